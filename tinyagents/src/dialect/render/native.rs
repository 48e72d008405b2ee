//! The provider's own channel: the request carries the schemas, the response the calls, and nothing is written.

use super::speech::Speech;
use crate::model::{Message, ToolCall, ToolMessage, ToolSchema};

pub(super) struct Native;

impl Speech for Native {
    fn is_text(&self) -> bool {
        false
    }

    fn protocol(&self) -> String {
        String::new()
    }

    fn entry(&self, _: &ToolSchema) -> Option<String> {
        Some(String::new())
    }

    fn call(&self, _: &ToolCall, _: &ToolSchema) -> Option<String> {
        None
    }

    fn result(&self, row: &ToolMessage) -> String {
        row.content.clone()
    }

    fn history(&self, messages: Vec<Message>, _: &[ToolSchema]) -> Vec<Message> {
        messages
    }
}
