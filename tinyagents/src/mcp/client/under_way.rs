//! What a server was asked for and has not answered.

use std::sync::Arc;

use tokio::sync::watch;

/// Counts the requests that a server works on.
#[derive(Clone, Debug, Default)]
pub(super) struct UnderWay(Arc<watch::Sender<usize>>);

impl UnderWay {
    /// One more, until the value is dropped.
    pub(super) fn begin(&self) -> Request<'_> {
        self.0.send_modify(|requests| *requests += 1);
        Request(self)
    }

    /// Resolves when there is none.
    pub(super) async fn ended(&self) {
        // It fails only when the sender is gone, which is this one.
        let _ = self.0.subscribe().wait_for(|requests| *requests == 0).await;
    }
}

/// A request that somebody waits for.
pub(super) struct Request<'a>(&'a UnderWay);

impl Drop for Request<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|requests| *requests -= 1);
    }
}
