//! How tools are called, in the system prompt.

use crate::dialect::{Dialect, render_instructions};
use crate::model::{Message, ToolSchema};

/// Appends how tools are called, and the catalogue, to the system prompt; makes one where there is none.
///
/// Nothing is added without tools, in [`Dialect::Native`], or where it is there already.
#[must_use]
pub fn with_tool_instructions(
    mut messages: Vec<Message>,
    dialect: Dialect,
    schemas: &[ToolSchema],
) -> Vec<Message> {
    let added = render_instructions(dialect, schemas);
    if added.is_empty() {
        return messages;
    }
    match messages.first_mut() {
        Some(Message::System(prompt)) => {
            if !prompt.content.contains(&added) {
                if !prompt.content.is_empty() {
                    prompt.content.push_str("\n\n");
                }
                prompt.content.push_str(&added);
            }
        }
        _ => messages.insert(0, Message::system(added)),
    }
    messages
}
