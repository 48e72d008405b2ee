//! Requests that were read and have no answer yet.

use std::collections::HashSet;

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};

/// More are not read before some are answered. Far fewer have a [place](super::places) to wait at; all others are answered
/// as soon as it is their turn, so the client is read again without its doing.
const MOST: usize = 1_024;

/// The protocol's crate starts a task for each request that is read, however many there are.
#[derive(Default)]
pub(super) struct Unanswered(HashSet<RequestId>);

impl Unanswered {
    pub(super) fn is_full(&self) -> bool {
        self.0.len() >= MOST
    }

    pub(super) fn note_read(&mut self, message: &RxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Request(request) => {
                self.0.insert(request.id.clone());
            }
            // What is cancelled gets no answer.
            JsonRpcMessage::Notification(told) => {
                if let ClientNotification::CancelledNotification(cancelled) = &told.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.0.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    pub(super) fn note_sent(&mut self, message: &TxJsonRpcMessage<RoleServer>) {
        let id = match message {
            JsonRpcMessage::Response(answer) => Some(&answer.id),
            JsonRpcMessage::Error(answer) => answer.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = id {
            self.0.remove(id);
        }
    }
}
