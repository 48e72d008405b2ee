//! Calls and their results, both or neither.

use std::collections::HashSet;

use crate::model::Message;

/// Drops incomplete cycles of calls and results: where the rows that follow an assistant turn don't cover the ids of all
/// its calls, the calls go and so do the rows. Rows that answer no call go too, and the second of two for one call.
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
        let ids: HashSet<String> = turn.tool_calls.iter().map(|call| call.id.clone()).collect();
        let mut answered = HashSet::new();
        let mut rows = Vec::new();
        while let Some(Message::Tool(row)) =
            messages.next_if(|next| matches!(next, Message::Tool(_)))
        {
            if ids.contains(&row.call_id) && answered.insert(row.call_id.clone()) {
                rows.push(Message::Tool(row));
            }
        }
        if answered.len() == turn.tool_calls.len() {
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
