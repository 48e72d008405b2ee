//! The places for bodies that block their thread.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::harness::RunPolicy;

/// How many blocking bodies may run at once. One whose call was given up keeps its place until it ends.
#[derive(Clone, Debug)]
pub(crate) struct BlockingPlaces(Arc<Semaphore>);

impl BlockingPlaces {
    pub(crate) fn of(policy: &RunPolicy) -> Self {
        let places = policy.max_blocking_tools.clamp(1, Semaphore::MAX_PERMITS);
        Self(Arc::new(Semaphore::new(places)))
    }

    /// Waits for a place. There is always one in the end: nobody closes them.
    pub(super) async fn take(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0).acquire_owned().await.ok()
    }
}

impl Default for BlockingPlaces {
    fn default() -> Self {
        Self::of(&RunPolicy::default())
    }
}
