//! Messages that the other side has not taken yet.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use futures::task::AtomicWaker;

/// Counts the messages on their way, and lets one task wait until there are fewer.
#[derive(Clone, Default)]
pub(in crate::mcp) struct Unsent(Arc<State>);

#[derive(Default)]
struct State {
    messages: AtomicUsize,
    /// Of who waits.
    waker: AtomicWaker,
}

impl Unsent {
    /// One more, until the value is dropped.
    pub(in crate::mcp) fn begin(&self) -> UnsentMessage {
        self.0.messages.fetch_add(1, Ordering::AcqRel);
        UnsentMessage(self.clone())
    }

    /// Ready as long as there are fewer than `most`.
    pub(in crate::mcp) fn poll_fewer(&self, most: usize, cx: &Context<'_>) -> Poll<()> {
        let is_fewer = || self.0.messages.load(Ordering::Acquire) < most;
        if is_fewer() {
            return Poll::Ready(());
        }
        self.0.waker.register(cx.waker());
        // One may have gone meanwhile.
        if is_fewer() {
            return Poll::Ready(());
        }
        Poll::Pending
    }
}

/// A message on its way.
pub(in crate::mcp) struct UnsentMessage(Unsent);

impl Drop for UnsentMessage {
    fn drop(&mut self) {
        let Self(Unsent(state)) = self;
        state.messages.fetch_sub(1, Ordering::AcqRel);
        state.waker.wake();
    }
}
