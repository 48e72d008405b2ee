//! The sessions that HTTP clients have begun.

use std::cell::Cell;

use futures::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::WorkerTransport;
use rmcp::transport::common::server_side_http::session_id;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker, create_local_session,
};
use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};

/// More sessions are refused until others have ended; an idle one ends after five minutes.
const MOST_SESSIONS: usize = 1_024;

tokio::task_local! {
    static WAS_REFUSED: Cell<bool>;
}

/// Runs a request, and says whether it was refused a session: the answer that the protocol's crate makes of that is the
/// one of any failure.
pub(super) async fn noting_refusal<T>(request: impl Future<Output = T>) -> (T, bool) {
    let request = async {
        let answer = request.await;
        (answer, WAS_REFUSED.with(Cell::get))
    };
    WAS_REFUSED.scope(Cell::new(false), request).await
}

/// Sessions of this process, so many at most. One that a client has left is among them until it is idle, whether the
/// client has had an answer or not.
#[derive(Debug, Default)]
pub(super) struct BoundedSessions(LocalSessionManager);

#[derive(Debug, thiserror::Error)]
pub(super) enum SessionsError {
    #[error("there are too many sessions")]
    Full,
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
}

impl SessionManager for BoundedSessions {
    type Error = SessionsError;
    type Transport = WorkerTransport<LocalSessionWorker>;

    /// Looks and puts under one lock, without a wait after it: a request that is dropped leaves no session without its
    /// worker.
    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let mut sessions = self.0.sessions.write().await;
        if sessions.len() >= MOST_SESSIONS {
            // Outside of a noted request nobody asks.
            let _ = WAS_REFUSED.try_with(|was_refused| was_refused.set(true));
            return Err(SessionsError::Full);
        }
        let id = session_id();
        let (handle, worker) = create_local_session(id.clone(), self.0.session_config.clone());
        sessions.insert(id.clone(), handle);
        Ok((id, WorkerTransport::spawn(worker)))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        Ok(self.0.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        Ok(self.0.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        Ok(self.0.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.0.create_stream(id, message).await?)
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        Ok(self.0.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.0.create_standalone_stream(id).await?)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.0.resume(id, last_event_id).await?)
    }
}
