//! The user message after a batch's rows, and which call added what.

use tinytools::ToolContent;

use super::Batch;
use crate::model::Message;

/// What the calls of a batch add to the message after its rows.
#[derive(Default)]
pub(super) struct FollowUp {
    blocks: Vec<ToolContent>,
    shares: Vec<FollowUpShare>,
}

/// How many blocks of the message are of one call; only of those that have any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FollowUpShare {
    /// The call's place in the batch.
    position: usize,
    blocks: usize,
}

impl FollowUp {
    /// Adds what a call has; calls come in their order.
    pub(super) fn add(&mut self, position: usize, mut blocks: Vec<ToolContent>) {
        if !blocks.is_empty() {
            self.shares.push(FollowUpShare {
                position,
                blocks: blocks.len(),
            });
            self.blocks.append(&mut blocks);
        }
    }

    pub(super) fn finish(self, batch: &mut Batch) {
        batch.follow_up.extend(Message::follow_up(self.blocks));
        batch.follow_up_shares = self.shares;
    }
}

impl Batch {
    /// Takes the follow-up apart: what each call added, by its place in the batch.
    pub(crate) fn take_follow_up(&mut self) -> Vec<(usize, Vec<ToolContent>)> {
        let messages = std::mem::take(&mut self.follow_up).into_iter();
        let mut blocks = messages.flat_map(|message| match message {
            Message::User(message) => message.blocks,
            _ => Vec::new(),
        });
        std::mem::take(&mut self.follow_up_shares)
            .into_iter()
            .map(|share| (share.position, blocks.by_ref().take(share.blocks).collect()))
            .collect()
    }
}
