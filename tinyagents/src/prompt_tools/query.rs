//! A user's turn that a template can take for the question.

use crate::dialect::{CLOSE, RESULTS};
use crate::model::Message;

/// What is asked where nobody did.
const QUERY: &str = "Continue.";

/// Makes sure that there is a user turn with text of its own, neither blank nor results alone: without one, some templates
/// refuse to render. Where there is none, one is inserted after the leading system turns.
#[must_use]
pub fn ensure_resolvable_user_turn(mut messages: Vec<Message>) -> Vec<Message> {
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

/// Whether a user says something, results of tools aside.
fn is_query(message: &Message) -> bool {
    let text = message.text().trim();
    // Nothing in a result closes its envelope: what comes after the last one is the user's.
    let own = match text.rsplit_once(CLOSE) {
        Some((_, after)) if text.starts_with(RESULTS) => after,
        _ => text,
    };
    message.as_user().is_some() && !own.is_empty()
}
