//! A transcript for a model that knows neither calls nor tool rows.

use tinytools::ToolContent;

use super::{Dialect, render_call, render_result};
use crate::model::{AssistantMessage, Message, ToolMessage, ToolSchema};

/// Above the results in the user turn that brings them.
pub(crate) const RESULTS: &str = "[Tool results]";

/// A transcript with calls as the dialect writes them and consecutive tool rows as one user turn, together with a user
/// turn that follows them. In [`Dialect::Native`] it stays as it is.
///
/// `schemas` are those of the tools called, as far as known; without one a call is written by name.
#[must_use]
pub fn render_history(
    messages: Vec<Message>,
    dialect: Dialect,
    schemas: &[ToolSchema],
) -> Vec<Message> {
    if dialect == Dialect::Native {
        return messages;
    }
    let mut history: Vec<Message> = Vec::with_capacity(messages.len());
    let mut rows: Vec<ToolMessage> = Vec::new();
    for message in messages {
        match message {
            Message::Tool(row) => rows.push(row),
            // Templates that want turns to alternate would refuse two of the user.
            Message::User(turn) if !rows.is_empty() => {
                let blocks = if turn.blocks.is_empty() {
                    vec![ToolContent::text(turn.content)]
                } else {
                    turn.blocks
                };
                history.push(results(std::mem::take(&mut rows), dialect, blocks));
            }
            other => {
                if !rows.is_empty() {
                    history.push(results(std::mem::take(&mut rows), dialect, Vec::new()));
                }
                history.push(match other {
                    Message::Assistant(turn) => assistant(turn, dialect, schemas),
                    other => other,
                });
            }
        }
    }
    if !rows.is_empty() {
        history.push(results(rows, dialect, Vec::new()));
    }
    history
}

fn assistant(turn: AssistantMessage, dialect: Dialect, schemas: &[ToolSchema]) -> Message {
    if turn.tool_calls.is_empty() {
        return turn.into();
    }
    let mut parts = Vec::with_capacity(turn.tool_calls.len() + 1);
    if !turn.content.trim().is_empty() {
        parts.push(format!("{}\n", turn.content));
    }
    for call in &turn.tool_calls {
        let schema = schemas.iter().find(|schema| schema.name == call.name);
        let unknown;
        let schema = if let Some(schema) = schema {
            schema
        } else {
            unknown = ToolSchema::new(&call.name, "", serde_json::json!({ "type": "object" }));
            &unknown
        };
        parts.push(render_call(dialect, call, schema));
    }
    Message::assistant(parts.join("\n"))
}

/// One user turn with the results, and what the user says after them.
fn results(rows: Vec<ToolMessage>, dialect: Dialect, after: Vec<ToolContent>) -> Message {
    let mut text = vec![RESULTS.to_owned()];
    text.extend(rows.iter().map(|row| render_result(dialect, row)));
    let text = text.join("\n");
    let shown =
        |block: &ToolContent| !matches!(block, ToolContent::Text { .. } | ToolContent::Json { .. });
    let seen: Vec<ToolContent> = rows
        .into_iter()
        .flat_map(|row| row.blocks)
        .filter(shown)
        .collect();
    if seen.is_empty() && !after.iter().any(shown) {
        let after: Vec<String> = after.iter().map(ToString::to_string).collect();
        let parts = std::iter::once(text).chain(after);
        return Message::user(parts.collect::<Vec<_>>().join("\n\n"));
    }
    let blocks = std::iter::once(ToolContent::text(text))
        .chain(seen)
        .chain(after);
    Message::user_blocks(blocks.collect())
}
