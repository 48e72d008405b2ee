//! A transport whose end is told at once, and whose closing can't hang.

use std::borrow::Cow;
use std::future::Future;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;

use super::child::Process;

/// A transport that says when the other side is gone. The service on top of it ends only when everything is tidied up;
/// whoever waits for an answer should know before.
pub(super) struct Watched<T> {
    pub(super) inner: T,
    pub(super) process: Option<Process>,
    pub(super) gone: CancellationToken,
    pub(super) close_timeout: Duration,
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await;
        if message.is_none() {
            self.gone.cancel();
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.gone.cancel();
        // Somebody who doesn't read keeps a write waiting, and with it whoever wants to close.
        let closed = tokio::time::timeout(self.close_timeout, self.inner.close()).await;
        if let Some(process) = &mut self.process {
            process.stop(self.close_timeout).await;
        }
        closed.unwrap_or(Ok(()))
    }
}
