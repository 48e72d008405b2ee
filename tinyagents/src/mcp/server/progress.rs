//! Progress of a call, on its way to the client that asked for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use tinytools::ToolProgress;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::context::WatchProgress;

/// What a slow client has not taken yet; more than that is dropped, since the answer holds all that matters.
const WAITING: usize = 64;

/// What a call has said, and a part of its answer.
type Said = (ToolProgress, Option<String>);

/// Follows one call for the client that asked for it. Nothing is set up before the call says something: most say
/// nothing, and clients ask for the progress of every call.
pub(super) struct Progress {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    runtime: Handle,
    state: Mutex<State>,
}

enum State {
    Silent,
    Told {
        sender: mpsc::Sender<Said>,
        forwarding: JoinHandle<()>,
    },
    /// The call has its answer; nothing follows that.
    Ended,
}

impl Progress {
    /// Has to be called inside of the async runtime that the connection runs on.
    pub(super) fn new(peer: Peer<RoleServer>, token: ProgressToken) -> Self {
        Self {
            peer,
            token,
            runtime: Handle::current(),
            state: Mutex::new(State::Silent),
        }
    }

    /// Ends with the value that it gives.
    pub(super) fn ending(self: &Arc<Self>) -> ProgressEnd {
        ProgressEnd(Arc::clone(self))
    }

    fn take(&self) -> State {
        std::mem::replace(&mut *self.state(), State::Ended)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WatchProgress for Progress {
    fn progress(&self, progress: &ToolProgress, partial_output: Option<&str>) {
        let said = (progress.clone(), partial_output.map(str::to_owned));
        let mut state = self.state();
        if let State::Silent = *state {
            let (sender, receiver) = mpsc::channel(WAITING);
            let forwarder = Forwarder::new(receiver, self.token.clone());
            let forwarding = self.runtime.spawn(forwarder.forward(self.peer.clone()));
            *state = State::Told { sender, forwarding };
        }
        if let State::Told { sender, .. } = &*state {
            // Full, or nobody there any more.
            drop(sender.try_send(said));
        }
    }
}

/// Ends the following of a call, with what was said sent before its answer; dropped, at once.
pub(super) struct ProgressEnd(Arc<Progress>);

impl ProgressEnd {
    /// Resolves when all that the call has said is sent, or nobody is there to take it. A blocking tool that was given
    /// up may go on and say more; that is dropped.
    pub(super) async fn told(self) {
        if let State::Told { sender, forwarding } = self.0.take() {
            drop(sender);
            // It fails only when the runtime ends.
            drop(forwarding.await);
        }
    }
}

impl Drop for ProgressEnd {
    fn drop(&mut self) {
        if let State::Told { forwarding, .. } = self.0.take() {
            forwarding.abort();
        }
    }
}

/// Sends it to the client.
struct Forwarder {
    receiver: mpsc::Receiver<Said>,
    token: ProgressToken,
    last: Option<f64>,
    /// The tool tells how far it is, and not only what it does.
    has_numbers: bool,
}

impl Forwarder {
    fn new(receiver: mpsc::Receiver<Said>, token: ProgressToken) -> Self {
        Self {
            receiver,
            token,
            last: None,
            has_numbers: false,
        }
    }

    /// Sends all there is, until the call has ended.
    async fn forward(mut self, peer: Peer<RoleServer>) {
        while let Some((progress, partial_output)) = self.receiver.recv().await {
            let told = self.notification(progress, partial_output);
            if peer.notify_progress(told).await.is_err() {
                return;
            }
        }
    }

    /// The protocol's number has to grow with each notification. Where a tool tells none they are counted; where its
    /// own doesn't grow, the smallest step is taken.
    fn notification(
        &mut self,
        progress: ToolProgress,
        partial_output: Option<String>,
    ) -> ProgressNotificationParam {
        let told = progress.progress.filter(|told| told.is_finite());
        self.has_numbers |= told.is_some();
        let number = match (told, self.last) {
            (Some(told), Some(last)) if told <= last => last.next_up(),
            (Some(told), _) => told,
            (None, Some(last)) if self.has_numbers => last.next_up(),
            (None, Some(last)) => last + 1.0,
            (None, None) => 0.0,
        };
        self.last = Some(number);
        let mut param = ProgressNotificationParam::new(self.token.clone(), number);
        param.total = progress.total.filter(|total| total.is_finite());
        param.message = progress.message.or(partial_output);
        param
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;

    use super::*;

    #[test]
    fn the_number_grows_with_each_notification_whatever_a_tool_says() {
        let (_sender, receiver) = mpsc::channel(WAITING);
        let token = ProgressToken(NumberOrString::Number(1));
        let mut forwarder = Forwarder::new(receiver, token);
        let told = [
            ToolProgress::message("begun"),
            ToolProgress::message("on the way"),
            ToolProgress::of(1.0, 4.0),
            ToolProgress::of(2.5, 4.0),
            ToolProgress::message("still there"),
            ToolProgress::of(2.0, 4.0),
            ToolProgress::of(f64::NAN, f64::INFINITY),
        ];
        let mut last = f64::NEG_INFINITY;
        for progress in told {
            let sent = forwarder.notification(progress, None);
            assert!(sent.progress > last && sent.progress.is_finite());
            assert!(
                sent.total
                    .is_none_or(|total| total.to_bits() == 4.0_f64.to_bits())
            );
            last = sent.progress;
        }
    }
}
