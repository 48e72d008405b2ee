//! The user message that follows the rows of a turn.

use super::Message;

/// Adds to that message, which is at this place or is put there: what was said before comes first.
pub(crate) fn add_follow_up(messages: &mut Vec<Message>, at: usize, follow_up: Vec<Message>) {
    match (messages.get_mut(at), follow_up.as_slice()) {
        (Some(Message::User(before)), [Message::User(added)]) if !before.blocks.is_empty() => {
            before.content.push('\n');
            before.content.push_str(&added.content);
            before.blocks.extend(added.blocks.iter().cloned());
        }
        _ => drop(messages.splice(at..at, follow_up)),
    }
}
