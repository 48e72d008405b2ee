//! Message lists that the chat template of a serving runtime can render: LM Studio, llama.cpp, Ollama.
//!
//! Such templates may know no tool role, want turns to alternate, and look for a user's turn to answer.
//!
//! ```
//! use serde_json::json;
//! use tinyagents::dialect::Dialect;
//! use tinyagents::{Message, ToolCall, ToolSchema, prompt_tools};
//!
//! let schemas = [ToolSchema::new("now", "The time.", json!({ "type": "object" }))];
//! let messages = vec![
//!     Message::user("What time is it?"),
//!     Message::assistant_calls("", vec![ToolCall::new("c1", "now", json!({}))]),
//!     Message::tool("c1", "now", "12:00"),
//! ];
//! let messages = prompt_tools::coalesce_tool_results(messages);
//! assert_eq!(messages[2].text(), "[Tool results]\n<tool_result id=\"c1\">\n12:00\n</tool_result>");
//! let messages = prompt_tools::ensure_resolvable_user_turn(messages);
//! let messages = prompt_tools::with_tool_instructions(messages, Dialect::Json, &schemas);
//! assert_eq!(messages.len(), 4);
//! ```

mod instructions;
mod pair;
mod query;

pub use instructions::with_tool_instructions;
pub use pair::pair_tool_cycles;
pub use query::ensure_resolvable_user_turn;

use crate::dialect::{Dialect, render_history};
use crate::model::Message;

/// Writes the calls of assistant turns as markup in their text, and consecutive tool rows as one user turn that begins with
/// `[Tool results]`, each result in an envelope with its call's id.
///
/// A user turn right after the rows joins theirs. The markup is that of [`Dialect::Json`]; for another dialect see
/// [`render_history`].
#[must_use]
pub fn coalesce_tool_results(messages: Vec<Message>) -> Vec<Message> {
    render_history(messages, Dialect::Json, &[])
}
