//! Handing content to a store that may fail.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt as _;

use super::ArtifactStore;

/// How long a call waits for the store; its answer is more urgent than the whole of it.
const PATIENCE: Duration = Duration::from_secs(30);

/// Keeps the bytes; the address, or what the host is told of the failure. Whatever the store does, this returns.
pub(crate) async fn keep(
    store: &dyn ArtifactStore,
    media_type: &str,
    bytes: Vec<u8>,
) -> Result<String, String> {
    // The store is the host's code: where it panics, the call still has its answer.
    let kept = AssertUnwindSafe(async { store.put(media_type, bytes).await }).catch_unwind();
    match tokio::time::timeout(PATIENCE, kept).await {
        Ok(Ok(Ok(uri))) => Ok(uri),
        Ok(Ok(Err(error))) => Err(format!("{error:#}")),
        Ok(Err(_)) => Err("the store panicked".to_owned()),
        Err(_) => Err(format!("the store took longer than {PATIENCE:?}")),
    }
}
