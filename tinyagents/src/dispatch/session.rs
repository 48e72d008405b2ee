//! A session: calls that come one by one, from a client that doesn't wait for the one before.

use tokio::sync::{Semaphore, SemaphorePermit};

use super::interrupted;
use crate::context::RunContext;

/// Which calls of one session run together: as in a batch, those that are safe beside others, up to the policy's number;
/// any other one waits for those before it, and those after it wait for it.
#[derive(Debug)]
pub(crate) struct SessionGate {
    pub(super) places: Semaphore,
    pub(super) all: u32,
}

impl SessionGate {
    /// Waits for a place; none is given to a call whose run ends before.
    pub(super) async fn enter(
        &self,
        ctx: &RunContext,
        is_concurrency_safe: bool,
    ) -> Option<SemaphorePermit<'_>> {
        if let Some(place) = self.try_enter(is_concurrency_safe) {
            return Some(place);
        }
        tokio::select! {
            biased;
            _ = interrupted(ctx) => None,
            // The semaphore is fair: who asks for all of its places is not overtaken.
            place = self.places.acquire_many(self.needed(is_concurrency_safe)) => place.ok(),
        }
    }

    /// A place, where there is one at once.
    pub(super) fn try_enter(&self, is_concurrency_safe: bool) -> Option<SemaphorePermit<'_>> {
        let needed = self.needed(is_concurrency_safe);
        self.places.try_acquire_many(needed).ok()
    }

    fn needed(&self, is_concurrency_safe: bool) -> u32 {
        if is_concurrency_safe { 1 } else { self.all }
    }
}
