//! A transcript for a model that knows neither calls nor tool rows.

use std::borrow::Cow;

use serde_json::json;
use tinytools::ToolContent;

use super::render::{Speech, calls_or_json};
use super::scrub;
use crate::model::{AssistantMessage, Message, ToolMessage, ToolSchema, UserMessage};

/// Above the results in the user turn that brings them.
pub(crate) const RESULTS: &str = "[Tool results]";

/// The transcript with calls and results in the text of turns, which alternate.
pub(super) fn in_text<S: Speech + ?Sized>(
    speech: &S,
    messages: Vec<Message>,
    schemas: &[ToolSchema],
) -> Vec<Message> {
    let mut history: Vec<Message> = Vec::with_capacity(messages.len());
    let mut rows: Vec<ToolMessage> = Vec::new();
    for message in messages {
        let message = match message {
            Message::Tool(row) => {
                rows.push(row);
                continue;
            }
            Message::Assistant(turn) => assistant(turn, speech, schemas),
            other => other,
        };
        if !rows.is_empty() {
            add(
                &mut history,
                results(std::mem::take(&mut rows), speech),
                schemas,
            );
        }
        add(&mut history, message, schemas);
    }
    if !rows.is_empty() {
        add(&mut history, results(rows, speech), schemas);
    }
    history
}

/// Adds a turn, or makes it part of the one before it.
fn add(history: &mut Vec<Message>, message: Message, schemas: &[ToolSchema]) {
    let message = match (history.pop(), message) {
        (Some(Message::User(before)), Message::User(turn)) => one_user_turn(before, turn),
        (Some(Message::System(before)), Message::System(turn)) => {
            Message::system(paragraphs(before.content, &turn.content))
        }
        (Some(Message::Assistant(mut before)), Message::Assistant(turn)) => {
            close(&mut before.content, schemas);
            before.content = paragraphs(before.content, &turn.content);
            before.into()
        }
        (before, turn) => {
            history.extend(before);
            turn
        }
    };
    history.push(message);
}

fn paragraphs(before: String, text: &str) -> String {
    match (before.trim().is_empty(), text.trim().is_empty()) {
        (true, _) => text.to_owned(),
        (false, true) => before,
        (false, false) => [&before, "\n\n", text].concat(),
    }
}

fn one_user_turn(before: UserMessage, turn: UserMessage) -> Message {
    if !before.blocks.iter().chain(&turn.blocks).any(is_seen) {
        return Message::user(paragraphs(before.content, &turn.content));
    }
    let blocks = |turn: UserMessage| {
        if turn.blocks.is_empty() {
            vec![ToolContent::text(turn.content)]
        } else {
            turn.blocks
        }
    };
    Message::user_blocks([blocks(before), blocks(turn)].concat())
}

/// Whether the block is more than text.
fn is_seen(block: &ToolContent) -> bool {
    !matches!(block, ToolContent::Text { .. } | ToolContent::Json { .. })
}

/// Ends what the text leaves open, such as a code fence: it would hide the calls that come after it.
fn close(text: &mut String, schemas: &[ToolSchema]) {
    if let Some(closer) = scrub::closer(text, schemas) {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&closer);
    }
}

fn assistant<S: Speech + ?Sized>(
    mut turn: AssistantMessage,
    speech: &S,
    schemas: &[ToolSchema],
) -> Message {
    if turn.tool_calls.is_empty() {
        return turn.into();
    }
    let mut parts = Vec::with_capacity(turn.tool_calls.len() + 1);
    if !turn.content.trim().is_empty() {
        close(&mut turn.content, schemas);
        parts.push(format!("{}\n", turn.content));
    }
    let calls: Vec<_> = turn
        .tool_calls
        .iter()
        .map(|call| (call, declared(&call.name, schemas)))
        .collect();
    parts.extend(calls_or_json(speech, &calls));
    Message::assistant(parts.join("\n"))
}

/// The schema of a tool; of one that isn't known, that it takes anything.
fn declared<'a>(name: &str, schemas: &'a [ToolSchema]) -> Cow<'a, ToolSchema> {
    let known = schemas.iter().find(|schema| schema.name == name);
    known.map_or_else(
        || Cow::Owned(ToolSchema::new(name, "", json!({ "type": "object" }))),
        Cow::Borrowed,
    )
}

/// One user turn with the results.
fn results<S: Speech + ?Sized>(rows: Vec<ToolMessage>, speech: &S) -> Message {
    let mut text = vec![RESULTS.to_owned()];
    text.extend(rows.iter().map(|row| speech.result(row)));
    let text = text.join("\n");
    let seen: Vec<ToolContent> = rows
        .into_iter()
        .flat_map(|row| row.blocks)
        .filter(is_seen)
        .collect();
    if seen.is_empty() {
        return Message::user(text);
    }
    let blocks = std::iter::once(ToolContent::text(text)).chain(seen);
    Message::user_blocks(blocks.collect())
}
