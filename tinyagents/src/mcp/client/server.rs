//! A server over all the connections to it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::McpError;
use super::opener::{Live, Opener};

/// Wait after the first failure; doubled for each further one.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// Longest wait between two tries.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// A connection that lasted as long was a good one, and its end is no failure.
const STEADY: Duration = Duration::from_secs(30);

/// A server over all the connections to it. There is one when somebody needs it: a server that died is reached again by
/// the next turn or call, not by itself.
pub(super) struct Server {
    pub(super) opener: Arc<Opener>,
    /// The lock is held to look and to put, never across an await.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    live: Option<Arc<Live>>,
    renewal: Option<Renewal>,
    failures: u32,
    not_before: Option<Instant>,
    is_closed: bool,
}

/// A try that is under way, for all who wait for it.
struct Renewal {
    outcome: Shared<BoxFuture<'static, Result<Arc<Live>, McpError>>>,
    task: AbortHandle,
}

impl Server {
    pub(super) fn new(opener: Opener) -> Arc<Self> {
        Arc::new(Self {
            opener: Arc::new(opener),
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn closed(&self) -> McpError {
        McpError::Closed {
            server: self.opener.name.clone(),
        }
    }

    /// A connection with an up-to-date list of tools: the one that there is, or what a try to get one brings. All who ask
    /// meanwhile wait for one try.
    pub(super) async fn live(self: &Arc<Self>) -> Result<Arc<Live>, McpError> {
        let outcome = {
            let mut state = self.state();
            if state.is_closed {
                return Err(self.closed());
            }
            if let Some(live) = &state.live
                && live.is_current()
            {
                return Ok(Arc::clone(live));
            }
            if let Some(renewal) = &state.renewal {
                renewal.outcome.clone()
            } else {
                state.note_lost();
                if let Some(retry_after) = state.wait() {
                    return Err(McpError::Waiting {
                        server: self.opener.name.clone(),
                        failures: state.failures,
                        retry_after,
                    });
                }
                let renewal = self.renewal(state.live.as_ref());
                let outcome = renewal.outcome.clone();
                state.renewal = Some(renewal);
                outcome
            }
        };
        outcome.await
    }

    /// Begins a try. It doesn't keep the server: when nobody has that any more, it is given up.
    fn renewal(self: &Arc<Self>, live: Option<&Arc<Live>>) -> Renewal {
        let opener = Arc::clone(&self.opener);
        let server = Arc::downgrade(self);
        let known = live.map(|live| Arc::clone(&live.connection));
        let task = tokio::spawn(async move {
            let outcome = opener.open(known).await.map(Arc::new);
            if let Some(server) = server.upgrade() {
                server.settle(&outcome);
            }
            outcome
        });
        let abort = task.abort_handle();
        let closed = self.closed();
        let outcome = async move { task.await.unwrap_or(Err(closed)) };
        Renewal {
            outcome: outcome.boxed().shared(),
            task: abort,
        }
    }

    fn settle(&self, outcome: &Result<Arc<Live>, McpError>) {
        let mut state = self.state();
        state.renewal = None;
        match outcome {
            Ok(_) if state.is_closed => {}
            Ok(live) => state.live = Some(Arc::clone(live)),
            Err(_) => {
                // A server that can't list its tools is better begun anew. Calls that are under way keep the connection.
                state.live = None;
                state.note_failure();
            }
        }
    }

    /// Closes the connection for good, and waits until nothing is left of it.
    pub(super) async fn close(&self) {
        let live = {
            let mut state = self.state();
            state.is_closed = true;
            state.give_up();
            state.live.take()
        };
        if let Some(live) = live {
            live.connection.close().await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.state().give_up();
    }
}

impl State {
    fn give_up(&mut self) {
        if let Some(renewal) = self.renewal.take() {
            renewal.task.abort();
        }
    }

    /// Lets a connection go that has ended. One that didn't last is a failure, so that a server which dies at every call
    /// isn't started as fast as it can die; the first such end is forgiven.
    fn note_lost(&mut self) {
        let Some(live) = self.live.take_if(|live| !live.connection.is_alive()) else {
            return;
        };
        if live.connection.age() >= STEADY {
            self.failures = 0;
            self.not_before = None;
            return;
        }
        self.failures = self.failures.saturating_add(1);
        let doublings = self.failures.checked_sub(2);
        self.not_before = doublings.map(|doublings| Instant::now() + backoff(doublings));
    }

    fn note_failure(&mut self) {
        self.not_before = Some(Instant::now() + backoff(self.failures));
        self.failures = self.failures.saturating_add(1);
    }

    /// How long nothing is to be tried.
    fn wait(&self) -> Option<Duration> {
        let wait = self.not_before?.saturating_duration_since(Instant::now());
        (!wait.is_zero()).then_some(wait)
    }
}

fn backoff(doublings: u32) -> Duration {
    let wait = FIRST_WAIT.saturating_mul(1 << doublings.min(16));
    wait.min(LONGEST_WAIT)
}
