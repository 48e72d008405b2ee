//! A user's turn that a template can take for the question.

use crate::dialect::RESULTS;
use crate::model::Message;

/// What is asked where nobody did.
const QUERY: &str = "Continue.";

/// Makes sure that there is a user turn with text of its own, neither blank nor results alone: without one, some templates
/// refuse to render. Where there is none, one is inserted after the leading system turns.
#[must_use]
pub fn ensure_resolvable_user_turn(mut messages: Vec<Message>) -> Vec<Message> {
    let is_query = |message: &Message| {
        let text = message.text().trim_start();
        message.as_user().is_some() && !text.is_empty() && !text.starts_with(RESULTS)
    };
    if !messages.iter().any(is_query) {
        let leading = messages
            .iter()
            .take_while(|message| matches!(message, Message::System(_)))
            .count();
        // Two user turns in a row would break templates that want them to alternate.
        if let Some(Message::User(turn)) = messages.get_mut(leading) {
            let after = std::mem::take(&mut turn.content);
            turn.content = if after.trim().is_empty() {
                QUERY.to_owned()
            } else {
                format!("{QUERY}\n\n{after}")
            };
            if !turn.blocks.is_empty() {
                turn.blocks.insert(0, tinytools::ToolContent::text(QUERY));
            }
        } else {
            messages.insert(leading, Message::user(QUERY));
        }
    }
    messages
}
