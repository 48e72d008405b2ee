//! One connection to a server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{ClientRequest, ErrorData, ServerResult};
use rmcp::service::{PeerRequestOptions, RequestHandle, RunningService, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;
use rmcp::{Peer, RoleClient};
use tinytools::ToolProgress;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::handler::Handler;
use super::progress::Progress;
use super::under_way::UnderWay;

/// How long the server is told that a request is given up; after that nobody listens anyway.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);

/// One connection to a server. Dropped, it is closed in the background.
#[derive(Debug)]
pub(super) struct Connection {
    peer: Peer<RoleClient>,
    /// The task that reads and writes; taken by whoever closes. The lock is held to take it.
    running: Mutex<Option<RunningService<RoleClient, Handler>>>,
    /// The other side is gone: nothing comes any more.
    gone: CancellationToken,
    /// A message could not be sent; what is under way may be answered all the same.
    is_broken: AtomicBool,
    is_stale: Arc<AtomicBool>,
    progress: Arc<Progress>,
    under_way: UnderWay,
    since: Instant,
}

/// Why a request has no result.
#[derive(Debug)]
pub(super) enum NoResult {
    /// The server doesn't know of it.
    NotSent,
    /// The server refused it.
    Refused(ErrorData),
    /// The server is gone, or the message could not be sent as a whole.
    Gone,
    /// There was no answer in time.
    TimedOut,
    /// The answer is none.
    Unreadable,
}

impl Connection {
    pub(super) fn new(
        running: RunningService<RoleClient, Handler>,
        gone: CancellationToken,
    ) -> Self {
        Self {
            peer: running.peer().clone(),
            is_stale: Arc::clone(&running.service().is_stale),
            progress: Arc::clone(&running.service().progress),
            under_way: running.service().under_way.clone(),
            running: Mutex::new(Some(running)),
            gone,
            is_broken: AtomicBool::new(false),
            since: Instant::now(),
        }
    }

    pub(super) fn is_alive(&self) -> bool {
        !self.gone.is_cancelled()
            && !self.is_broken.load(Ordering::Acquire)
            && !self.peer.is_transport_closed()
    }

    pub(super) fn age(&self) -> Duration {
        self.since.elapsed()
    }

    /// Whether the server has said that its tools are others than those that were listed last.
    pub(super) fn is_stale(&self) -> bool {
        self.is_stale.load(Ordering::Acquire)
    }

    /// To be said before the tools are listed, so that news that come meanwhile are not lost.
    pub(super) fn set_stale(&self, is_stale: bool) {
        self.is_stale.store(is_stale, Ordering::Release);
    }

    /// How the server wants its tools to be used.
    pub(super) fn instructions(&self) -> Option<String> {
        self.peer.peer_info()?.instructions.clone()
    }

    /// Makes a request, and tells of reports on it. Dropped or out of time, it tells the server that nobody waits any more.
    pub(super) async fn ask(
        &self,
        request: ClientRequest,
        until: Instant,
        report: &(dyn Fn(ToolProgress) + Send + Sync),
    ) -> Result<ServerResult, NoResult> {
        // A server may ask something before it is known here that the request was sent.
        let _under_way = self.under_way.begin();
        let sent = self
            .peer
            .send_request_with_option(request, PeerRequestOptions::no_options());
        let handle = match tokio::time::timeout_at(until, sent).await {
            Ok(sent) => sent.map_err(|_| NoResult::NotSent)?,
            Err(_) => return Err(NoResult::NotSent),
        };
        let mut reports = self.progress.of(handle.progress_token.clone());
        let mut pending = Pending(Some(handle));
        loop {
            tokio::select! {
                biased;
                answer = pending.answer() => {
                    while let Some(progress) = reports.take() {
                        report(progress);
                    }
                    return answer.map_err(|error| self.no_result(error));
                }
                () = self.gone.cancelled() => {
                    pending.forget();
                    return Err(NoResult::Gone);
                }
                progress = reports.next() => report(progress),
                () = tokio::time::sleep_until(until) => return Err(NoResult::TimedOut),
            }
        }
    }

    fn no_result(&self, error: ServiceError) -> NoResult {
        match error {
            ServiceError::McpError(refusal) => NoResult::Refused(refusal),
            ServiceError::UnexpectedResponse => NoResult::Unreadable,
            ServiceError::TransportSend(failed) => {
                self.is_broken.store(true, Ordering::Release);
                let failed = failed
                    .error
                    .downcast_ref::<StreamableHttpError<reqwest::Error>>();
                match failed {
                    // The server has forgotten the session before it looked at the request.
                    Some(StreamableHttpError::SessionExpired) => NoResult::NotSent,
                    _ => NoResult::Gone,
                }
            }
            _ => NoResult::Gone,
        }
    }

    /// Closes it, and waits until nothing is left of it.
    pub(super) async fn close(&self) {
        let running = self.running.lock();
        let running = running.unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut running) = running {
            let _ = running.close().await;
        }
    }
}

/// A request that has no answer yet. Dropped, it tells the server that none is needed.
struct Pending(Option<RequestHandle<RoleClient>>);

impl Pending {
    async fn answer(&mut self) -> Result<ServerResult, ServiceError> {
        let Some(handle) = &mut self.0 else {
            return std::future::pending().await;
        };
        let answer = (&mut handle.rx).await;
        self.forget();
        answer.unwrap_or(Err(ServiceError::TransportClosed))
    }

    fn forget(&mut self) {
        self.0 = None;
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let (Some(handle), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current())
        {
            runtime.spawn(async move {
                let cancelled = handle.cancel(Some("the caller has given up".to_owned()));
                let _ = tokio::time::timeout(CANCEL_TIMEOUT, cancelled).await;
            });
        }
    }
}
