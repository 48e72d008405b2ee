//! Typed calls from a model's text.

use super::parsed_text::ParsedText;
use super::scrub;
use crate::model::{ToolCall, ToolSchema};

/// Reads the calls in a model's text, in whatever grammar it wrote them, and what is left for a reader.
///
/// A name is matched to an offered tool by case, separators and namespace; one that isn't offered is kept as written.
/// Values become what the tool's schema wants where nothing is lost by it: `"5"` is 5 for an integer. What is quoted isn't a
/// call: code fences, code spans, quotations, reasoning, results; after text, lines that Markdown shows as code since they
/// are indented; in HTML, comments, `<pre>` and `<example>`, which end with their line where they begin in the middle of
/// one. A call that breaks off or can't be read is [`invalid`](ToolCall::invalid), with its text as arguments.
///
/// ```
/// use serde_json::json;
/// use tinyagents::{ToolSchema, dialect};
///
/// let schemas = [ToolSchema::new("get_weather", "", json!({
///     "type": "object", "properties": { "city": { "type": "string" } }
/// }))];
/// let parsed = dialect::parse_calls(r#"[TOOL_CALLS]getWeather{"city": "Oslo"}"#, &schemas);
/// assert_eq!(parsed.calls[0].name, "get_weather");
/// assert!(dialect::parse_calls("Say `[TOOL_CALLS]now{}`.", &schemas).calls.is_empty());
/// ```
#[must_use]
pub fn parse_calls(text: &str, schemas: &[ToolSchema]) -> ParsedText {
    scrub::whole(text, schemas)
}

/// The first call in a model's text, as [`parse_calls`] reads it.
#[must_use]
pub fn parse_call(text: &str, schemas: &[ToolSchema]) -> Option<ToolCall> {
    parse_calls(text, schemas).calls.into_iter().next()
}
