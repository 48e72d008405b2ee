//! What a dialect has to know.

use std::borrow::Cow;

use super::{json, native, ptype, python, typescript, xml};
use crate::dialect::{Dialect, envelope, history};
use crate::model::{Message, ToolCall, ToolMessage, ToolSchema};

/// One dialect: its catalogue, its calls, its results, its history.
pub(in crate::dialect) trait Speech: Sync {
    /// Whether tools are spoken of in text, in place of the provider's own channel.
    fn is_text(&self) -> bool {
        true
    }

    /// How calls are to be written, for the model.
    fn protocol(&self) -> String;

    /// The declaration of one tool; `None` where the syntax has no way to say its name.
    fn entry(&self, schema: &ToolSchema) -> Option<String>;

    /// A call of this tool; `None` where the syntax has no way to say it.
    fn call(&self, call: &ToolCall, schema: &ToolSchema) -> Option<String>;

    /// A result, in an envelope that nothing in it can close or forge.
    fn result(&self, row: &ToolMessage) -> String {
        envelope::wrap(row)
    }

    /// A transcript as the model is to read it again. `schemas` are those of the tools called, as far as known.
    fn history(&self, messages: Vec<Message>, schemas: &[ToolSchema]) -> Vec<Message> {
        history::in_text(self, messages, schemas)
    }
}

/// The one that speaks the dialect.
pub(in crate::dialect) fn speech(dialect: Dialect) -> &'static dyn Speech {
    match dialect {
        Dialect::Native => &native::Native,
        Dialect::Json => &json::Json,
        Dialect::Xml => &xml::Xml,
        Dialect::PType => &ptype::PType,
        Dialect::Python => &python::Python,
        Dialect::TypeScript => &typescript::TypeScript,
    }
}

/// The declaration of a tool; in JSON where the dialect has no way to say it.
pub(super) fn entry_or_json(speech: &dyn Speech, schema: &ToolSchema) -> String {
    let entry = speech.entry(schema);
    entry.unwrap_or_else(|| json::declaration(schema))
}

/// A call; in JSON where the dialect has no way to say it.
pub(super) fn call_or_json<S: Speech + ?Sized>(
    speech: &S,
    call: &ToolCall,
    schema: &ToolSchema,
) -> String {
    said(speech, call, schema).unwrap_or_else(|| json::tagged(call))
}

/// The calls of one turn, each with its tool's schema; all in JSON where the dialect has no way to say one of them, since
/// calls that no marker announces count only where nothing but more of them follows.
pub(in crate::dialect) fn calls_or_json<S: Speech + ?Sized>(
    speech: &S,
    calls: &[(&ToolCall, Cow<'_, ToolSchema>)],
) -> Vec<String> {
    let written: Option<Vec<String>> = calls
        .iter()
        .map(|(call, schema)| said(speech, call, schema))
        .collect();
    written.unwrap_or_else(|| calls.iter().map(|(call, _)| json::tagged(call)).collect())
}

/// A call, where the dialect has a way to say it.
fn said<S: Speech + ?Sized>(speech: &S, call: &ToolCall, schema: &ToolSchema) -> Option<String> {
    let is_sayable = call.invalid.is_none() && call.name == schema.name;
    is_sayable.then(|| speech.call(call, schema)).flatten()
}
