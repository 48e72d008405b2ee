//! A transport whose end is told at once, and whose closing can't hang.

use std::borrow::Cow;
use std::future::Future;
use std::time::Duration;

use futures::FutureExt as _;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio_util::sync::CancellationToken;

use super::child::Process;
use crate::mcp::unsent::Unsent;

/// Answers that wait for the server to take them; with more than that it is not read any further, or one that asks and
/// never reads would have its client keep them all. Requests don't count: a server may well read only once it has
/// answered, and that has to be read.
const MOST_UNSENT: usize = 256;

/// A transport that says when the other side is gone. The service on top of it ends only when everything is tidied up;
/// whoever waits for an answer should know before.
pub(super) struct Watched<T> {
    pub(super) inner: T,
    pub(super) process: Option<Process>,
    pub(super) gone: CancellationToken,
    pub(super) close_timeout: Duration,
    pub(super) unsent: Unsent,
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
        let is_answer = matches!(
            message,
            TxJsonRpcMessage::<RoleClient>::Response(_) | TxJsonRpcMessage::<RoleClient>::Error(_)
        );
        let place = is_answer.then(|| self.unsent.begin());
        // As a block of its own it would hold the message twice.
        self.inner.send(message).map(move |sent| {
            drop(place);
            sent
        })
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        std::future::poll_fn(|cx| self.unsent.poll_fewer(MOST_UNSENT, cx)).await;
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

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::StreamExt as _;
    use futures::stream::FuturesUnordered;
    use rmcp::model::{ClientResult, NumberOrString};
    use rmcp::transport::async_rw::AsyncRwTransport;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn a_server_that_asks_and_never_reads_is_not_read_without_bound() {
        let (mut server, client) = tokio::io::duplex(1024);
        let (reader, writer) = tokio::io::split(client);
        let mut transport = Watched {
            inner: AsyncRwTransport::new_client(reader, writer),
            process: None,
            gone: CancellationToken::new(),
            close_timeout: Duration::from_secs(1),
            unsent: Unsent::default(),
        };
        let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        let mut answers = FuturesUnordered::new();
        for _ in 0..MOST_UNSENT {
            server.write_all(ping).await.unwrap();
            assert!(futures::poll!(pin!(transport.receive())).is_ready());
            let answer = ClientResult::empty(());
            let answer =
                TxJsonRpcMessage::<RoleClient>::response(answer, NumberOrString::Number(1));
            answers.push(transport.send(answer));
        }
        server.write_all(ping).await.unwrap();
        assert!(futures::poll!(pin!(transport.receive())).is_pending());
        let mut taken = [0; 1024];
        let reading = async { while server.read(&mut taken).await.is_ok() {} };
        tokio::select! {
            _ = answers.next() => {}
            () = reading => unreachable!("there is no end"),
        }
        assert!(futures::poll!(pin!(transport.receive())).is_ready());
    }
}
