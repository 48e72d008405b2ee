//! Calls and their results, both or neither.

use std::collections::HashMap;

use crate::model::Message;

/// Drops incomplete cycles of calls and results: where the rows that follow an assistant turn don't cover the ids of all
/// its calls, the calls go and so do the rows. Rows that answer no call go too, and the second of two for one call. Calls of
/// one turn that share an id are answered by as many rows with it, in their order.
///
/// The text of an assistant turn stays; a turn of calls alone goes with them.
#[must_use]
pub fn pair_tool_cycles(messages: Vec<Message>) -> Vec<Message> {
    let mut kept: Vec<Message> = Vec::with_capacity(messages.len());
    let mut messages = messages.into_iter().peekable();
    while let Some(message) = messages.next() {
        let mut turn = match message {
            Message::Assistant(turn) if !turn.tool_calls.is_empty() => turn,
            Message::Tool(_) => continue,
            other => {
                kept.push(other);
                continue;
            }
        };
        let mut unanswered: HashMap<&str, usize> = HashMap::new();
        for call in &turn.tool_calls {
            *unanswered.entry(&call.id).or_default() += 1;
        }
        let mut rows = Vec::new();
        while let Some(Message::Tool(row)) =
            messages.next_if(|next| matches!(next, Message::Tool(_)))
        {
            let left = unanswered.get_mut(row.call_id.as_str());
            if let Some(left) = left.filter(|left| **left > 0) {
                *left -= 1;
                rows.push(Message::Tool(row));
            }
        }
        if unanswered.into_values().all(|left| left == 0) {
            kept.push(turn.into());
            kept.extend(rows);
        } else if !turn.content.trim().is_empty() {
            turn.tool_calls.clear();
            turn.deferred = None;
            kept.push(turn.into());
        }
    }
    kept
}
