//! Calls that are cancelled, and calls that are dropped half-way.

use std::future::Future;
use std::pin::pin;
use std::task::Poll;

use serde_json::Value;

use super::{ToolCheck, ToolFaults};

const CANCELLED: &str = "a cancelled call ends";
const DROPPED: &str = "a call that is dropped half-way leaves the tool whole";

/// At how many of its first waits a call is dropped.
const DROPS: usize = 4;

impl<S: Clone + Send + Sync + 'static> ToolCheck<S> {
    /// Nothing runs in a run that is over.
    pub(super) async fn is_refused_when_cancelled(
        &self,
        arguments: &Value,
        faults: &mut ToolFaults,
    ) {
        let ctx = self.ctx.child();
        ctx.cancel();
        let call = self.call(0, arguments.clone());
        if let Some(batch) = self.dispatch(ctx, vec![call], faults).await
            && batch.messages.iter().any(|row| !row.is_error)
        {
            faults.add(CANCELLED, "it ran although it had been cancelled before");
        }
    }

    pub(super) async fn ends_when_cancelled(&self, arguments: &Value, faults: &mut ToolFaults) {
        let ctx = self.ctx.child();
        let call = self.call(0, arguments.clone());
        let mut running = pin!(self.dispatch(ctx.clone(), vec![call], faults));
        if futures::poll!(running.as_mut()).is_pending() {
            ctx.cancel();
            running.await;
        }
    }

    /// Drops a call at its first waits, and then sees whether the tool still works.
    pub(super) async fn survives_being_dropped(&self, arguments: &Value, faults: &mut ToolFaults) {
        for waits in 1..=DROPS {
            let call = self.call(0, arguments.clone());
            let is_over = {
                let mut running = pin!(self.dispatch(self.ctx.child(), vec![call], faults));
                is_over_within(waits, running.as_mut()).await
            };
            let works = self.works(DROPPED, arguments.clone(), faults).await;
            if is_over || !works {
                return;
            }
        }
    }
}

/// Polls a future up to that many times, each time after it was woken. Whether it is over then.
async fn is_over_within<F: Future>(polls: usize, mut future: std::pin::Pin<&mut F>) -> bool {
    let mut left = polls;
    std::future::poll_fn(|cx| {
        if future.as_mut().poll(cx).is_ready() {
            return Poll::Ready(true);
        }
        left -= 1;
        if left == 0 {
            return Poll::Ready(false);
        }
        Poll::Pending
    })
    .await
}
