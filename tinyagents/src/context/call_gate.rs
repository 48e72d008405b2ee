//! The end of a call, after which nothing more is told of it.

use std::sync::{PoisonError, RwLock};

/// Open until the call's terminal event. A body that lives on, such as the thread of a blocking tool that timed out,
/// finds it closed.
#[derive(Debug, Default)]
pub(super) struct CallGate {
    /// Held for the length of one event, never across an await.
    is_closed: RwLock<bool>,
}

impl CallGate {
    /// Does it unless the call has ended; the end waits until it is done.
    pub(super) fn while_open(&self, act: impl FnOnce()) {
        let is_closed = self
            .is_closed
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        if !*is_closed {
            act();
        }
    }

    /// Returns when everything begun before is done; nothing begins any more.
    pub(super) fn close(&self) {
        *self
            .is_closed
            .write()
            .unwrap_or_else(PoisonError::into_inner) = true;
    }
}
