//! Progress of a call, on its way to the client that asked for it.

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use tinytools::ToolProgress;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::context::RunId;
use crate::events::{AgentEvent, EventSink};

/// What a slow client has not taken yet; more than that is dropped, since the answer holds all that matters.
const WAITING: usize = 64;

/// Takes what a call says of itself.
pub(super) struct ProgressSink {
    sender: mpsc::Sender<(ToolProgress, Option<String>)>,
}

/// Sends it to the client.
pub(super) struct ProgressForwarder {
    receiver: mpsc::Receiver<(ToolProgress, Option<String>)>,
    token: ProgressToken,
    last: Option<f64>,
    /// The tool tells how far it is, and not only what it does.
    has_numbers: bool,
    ended: CancellationToken,
}

/// The two ends, and the token that says that the call has its answer.
pub(super) fn channel(
    token: ProgressToken,
) -> (ProgressSink, ProgressForwarder, CancellationToken) {
    let (sender, receiver) = mpsc::channel(WAITING);
    let ended = CancellationToken::new();
    let forwarder = ProgressForwarder {
        receiver,
        token,
        last: None,
        has_numbers: false,
        ended: ended.clone(),
    };
    (ProgressSink { sender }, forwarder, ended)
}

impl EventSink for ProgressSink {
    fn emit(&self, _: &RunId, event: AgentEvent) {
        if let AgentEvent::ToolProgress {
            progress,
            partial_output,
            ..
        } = event
        {
            // Full, or nobody there any more.
            drop(self.sender.try_send((progress, partial_output)));
        }
    }
}

impl ProgressForwarder {
    /// Sends all there is, until the call has ended; nothing follows its answer.
    pub(super) async fn forward(mut self, peer: &Peer<RoleServer>) {
        let ended = self.ended.clone();
        loop {
            let next = tokio::select! {
                biased;
                next = self.receiver.recv() => next,
                () = ended.cancelled() => {
                    // A blocking tool that was given up may hold the other end for long.
                    self.receiver.close();
                    self.receiver.recv().await
                }
            };
            let Some((progress, partial_output)) = next else {
                return;
            };
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
        let (_sink, mut forwarder, _ended) = channel(ProgressToken(NumberOrString::Number(1)));
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
