//! The provider's own channel: nothing is written.

use super::speech::Speech;
use crate::model::{ToolCall, ToolSchema};

pub(super) struct Native;

impl Speech for Native {
    fn protocol(&self) -> &'static str {
        ""
    }

    fn entry(&self, _: &ToolSchema) -> String {
        String::new()
    }

    fn call(&self, _: &ToolCall, _: &ToolSchema) -> Option<String> {
        None
    }
}
