//! Somebody who follows one call alone.

use std::fmt;
use std::sync::Arc;

use tinytools::ToolProgress;

/// Follows what one call, and whatever is begun in it, says of itself. It gets no other event, so a call that is followed
/// and says nothing costs no more than one that isn't.
pub(crate) trait WatchProgress: Send + Sync {
    /// Takes what a call has said, in the thread that it said it in: it must not block.
    fn progress(&self, progress: &ToolProgress, partial_output: Option<&str>);
}

/// Who follows a call.
#[derive(Clone)]
pub(super) struct ProgressWatcher(pub(super) Arc<dyn WatchProgress>);

impl fmt::Debug for ProgressWatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgressWatcher")
    }
}
