//! Telling clients that the tools have changed.

use tokio::sync::watch;

/// Tells every client that the list of tools has changed; cheap to clone.
///
/// A server notices by itself what has changed when it is asked for the list or for a call. This is for a host that knows
/// earlier.
#[derive(Clone, Debug)]
pub struct ToolListChanges {
    sender: watch::Sender<u64>,
}

impl ToolListChanges {
    pub(super) fn new() -> Self {
        Self {
            sender: watch::Sender::new(0),
        }
    }

    /// Tells them.
    pub fn notify(&self) {
        self.sender
            .send_modify(|changes| *changes = changes.wrapping_add(1));
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        self.sender.subscribe()
    }
}
