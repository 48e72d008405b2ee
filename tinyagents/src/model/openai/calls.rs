//! The calls of one answer, put together from their pieces.

use serde_json::{Map, Value};

use super::json::{as_text, grow};
use crate::admission::relaxed_json::recover_relaxed_object;
use crate::model::ToolCall;

/// Most calls of one answer.
const MAX_CALLS: usize = 1_024;

/// An answer had more calls than it may have.
#[derive(Debug)]
pub(super) struct TooManyCalls;

/// The calls of one answer, as far as they have come.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<PartialCall>);

#[derive(Debug, Default)]
struct PartialCall {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: Arguments,
    extras: Map<String, Value>,
}

#[derive(Debug)]
enum Arguments {
    Text(String),
    /// Some endpoints send the object itself in place of its text.
    Value(Value),
}

impl Default for Arguments {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Calls {
    /// Takes a piece of a call, or a whole one: an item of `tool_calls`.
    pub(super) fn add(&mut self, piece: &Value) -> Result<(), TooManyCalls> {
        let Some(piece) = piece.as_object() else {
            return Ok(());
        };
        let index = piece.get("index").and_then(Value::as_u64);
        let id = piece.get("id").and_then(as_text).unwrap_or_default();
        let position = match self.position(index, &id) {
            Some(position) => position,
            None if self.0.len() >= MAX_CALLS => return Err(TooManyCalls),
            None => {
                self.0.push(PartialCall {
                    index,
                    ..PartialCall::default()
                });
                self.0.len() - 1
            }
        };
        self.0[position].add(id, piece);
        Ok(())
    }

    /// The call that a piece belongs to. Its index says so; but some endpoints give all calls the same, or none, and then a
    /// new id begins a new call.
    fn position(&self, index: Option<u64>, id: &str) -> Option<usize> {
        let position = match index {
            Some(_) => self.0.iter().rposition(|call| call.index == index),
            None if id.is_empty() => self.0.len().checked_sub(1),
            None => self.0.iter().rposition(|call| call.id == id),
        }?;
        let known = &self.0[position].id;
        (id.is_empty() || known.is_empty() || known == id).then_some(position)
    }

    /// The calls, in the order of their indices, and what their provider alone can read. `cut` says why the answer is not
    /// complete; a call whose arguments may lack something is then invalid.
    pub(super) fn finish(mut self, cut: Option<&str>) -> (Vec<ToolCall>, Vec<Map<String, Value>>) {
        self.0.sort_by_key(|call| call.index);
        let mut extras = Vec::new();
        let calls = self
            .0
            .into_iter()
            .map(|mut call| {
                extras.push(std::mem::take(&mut call.extras));
                call.finish(cut)
            })
            .collect();
        if extras.iter().all(Map::is_empty) {
            extras.clear();
        }
        (calls, extras)
    }
}

impl PartialCall {
    fn add(&mut self, id: String, piece: &Map<String, Value>) {
        if self.id.is_empty() {
            self.id = id;
        }
        if let Some(function) = piece.get("function").and_then(Value::as_object) {
            self.add_function(function);
        }
        for (key, value) in piece {
            if !matches!(key.as_str(), "index" | "id" | "type" | "function") {
                grow(&mut self.extras, key, value);
            }
        }
    }

    fn add_function(&mut self, function: &Map<String, Value>) {
        if let Some(name) = function.get("name").and_then(Value::as_str)
            // Some endpoints repeat the whole name with each piece.
            && name != self.name
        {
            self.name.push_str(name);
        }
        match function.get("arguments") {
            None | Some(Value::Null) => {}
            Some(Value::String(more)) => match &mut self.arguments {
                Arguments::Text(text) => text.push_str(more),
                Arguments::Value(_) => {}
            },
            Some(value) => self.arguments = Arguments::Value(value.clone()),
        }
    }

    fn finish(self, cut: Option<&str>) -> ToolCall {
        match self.arguments {
            Arguments::Value(value) => ToolCall::new(self.id, self.name, value),
            Arguments::Text(text) => {
                let call = ToolCall::from_text(self.id, self.name, &text);
                match cut {
                    Some(reason) if !is_whole(&call, &text) => cut_call(call, text, reason),
                    _ => call,
                }
            }
        }
    }
}

/// Whether nothing can be missing: an object ends where it is closed. Blank text is not the same as no arguments here.
fn is_whole(call: &ToolCall, text: &str) -> bool {
    call.invalid.is_none() && text.trim_start().starts_with('{')
}

/// The call with the text as far as it came. Text that admission would take for no arguments, or mend into some, is put into
/// a list, which it does neither with: a call of which something is missing must not run.
fn cut_call(call: ToolCall, text: String, reason: &str) -> ToolCall {
    let could_run = text.trim().is_empty()
        || call.arguments.is_object()
        || recover_relaxed_object(&text).is_some();
    let text = Value::String(text);
    ToolCall {
        arguments: if could_run {
            Value::Array(vec![text])
        } else {
            text
        },
        invalid: Some(reason.to_owned()),
        ..call
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn assemble(pieces: &[Value]) -> Vec<ToolCall> {
        let mut calls = Calls::default();
        for piece in pieces {
            calls.add(piece).unwrap();
        }
        calls.finish(None).0
    }

    fn piece(index: u64, id: &str, name: &str, arguments: &str) -> Value {
        let mut piece = json!({ "index": index, "function": {} });
        for (key, value) in [("id", id), ("type", "function")] {
            if !id.is_empty() {
                piece[key] = json!(value);
            }
        }
        for (key, value) in [("name", name), ("arguments", arguments)] {
            if !value.is_empty() {
                piece["function"][key] = json!(value);
            }
        }
        piece
    }

    #[test]
    fn pieces_of_parallel_calls_are_told_apart_by_their_index() {
        let calls = assemble(&[
            piece(0, "c0", "weather", ""),
            piece(3, "c3", "clock", ""),
            piece(0, "", "", "{\"city\":"),
            piece(3, "", "", "{}"),
            piece(1, "c1", "weather", "{\"city\":\"Rome\"}"),
            piece(0, "", "", "\"Oslo\"}"),
        ]);
        assert_eq!(
            calls,
            [
                ToolCall::new("c0", "weather", json!({ "city": "Oslo" })),
                ToolCall::new("c1", "weather", json!({ "city": "Rome" })),
                ToolCall::new("c3", "clock", json!({})),
            ]
        );
    }

    #[test]
    fn arguments_may_come_before_the_name_and_the_id() {
        let calls = assemble(&[
            piece(0, "", "", "{\"a\""),
            piece(0, "", "", ":1}"),
            piece(0, "c0", "t", ""),
        ]);
        assert_eq!(calls, [ToolCall::new("c0", "t", json!({ "a": 1 }))]);
    }

    #[test]
    fn calls_of_one_index_or_of_none_are_told_apart_by_their_id() {
        let one_index = assemble(&[
            piece(0, "a", "t", "{\"n\":1}"),
            piece(0, "b", "t", "{\"n\":"),
            piece(0, "b", "", "2}"),
        ]);
        let no_index = assemble(&[
            json!({ "id": "a", "function": { "name": "t", "arguments": "{\"n\":1}" } }),
            json!({ "id": "b", "function": { "name": "t", "arguments": "{\"n\":" } }),
            json!({ "function": { "arguments": "2}" } }),
        ]);
        let expected = [
            ToolCall::new("a", "t", json!({ "n": 1 })),
            ToolCall::new("b", "t", json!({ "n": 2 })),
        ];
        assert_eq!(one_index, expected);
        assert_eq!(no_index, expected);
    }

    #[test]
    fn a_name_comes_whole_again_and_again_or_in_pieces() {
        let again = assemble(&[
            piece(0, "a", "get_weather", "{"),
            piece(0, "a", "get_weather", "}"),
        ]);
        let pieces = assemble(&[
            piece(0, "a", "get_", ""),
            piece(0, "", "weather", ""),
            piece(0, "", "", "{}"),
        ]);
        let expected = [ToolCall::new("a", "get_weather", json!({}))];
        assert_eq!(again, expected);
        assert_eq!(pieces, expected);
    }

    #[test]
    fn arguments_that_are_an_object_already_are_taken_as_they_are() {
        let calls =
            assemble(&[json!({ "id": 7, "function": { "name": "t", "arguments": { "a": [1] } } })]);
        assert_eq!(calls, [ToolCall::new("7", "t", json!({ "a": [1] }))]);
    }

    #[test]
    fn a_cut_call_is_invalid_and_cannot_be_mended() {
        let whole = r#"{"path":"/tmp/x","mode":{"all":true}}"#;
        let texts = (0..whole.len()).map(|end| whole[..end].to_owned()).chain(
            [
                "null",
                "  ",
                "{{\"a\":1}",
                "```json\n{\"a\":1}",
                "{a:1}",
                "\"{}\"",
            ]
            .map(str::to_owned),
        );
        for text in texts {
            let mut calls = Calls::default();
            calls.add(&piece(0, "a", "erase", &text)).unwrap();
            let call = calls.finish(Some("cut off")).0.remove(0);
            assert_eq!(call.invalid.as_deref(), Some("cut off"), "{text}");
            match &call.arguments {
                Value::String(raw) => assert!(
                    !raw.trim().is_empty() && recover_relaxed_object(raw).is_none(),
                    "{text}"
                ),
                arguments => assert_eq!(arguments, &json!([text])),
            }
        }
        let mut calls = Calls::default();
        calls.add(&piece(0, "a", "erase", whole)).unwrap();
        assert_eq!(calls.finish(Some("cut off")).0[0].invalid, None);
    }

    #[test]
    fn what_the_provider_alone_can_read_is_kept_by_call() {
        let mut calls = Calls::default();
        let mut second = piece(1, "b", "t", "{}");
        second["extra_content"] = json!({ "google": { "thought_signature": "c2ln" } });
        calls.add(&piece(0, "a", "t", "{}")).unwrap();
        calls.add(&second).unwrap();
        let (_, extras) = calls.finish(None);
        assert!(extras[0].is_empty());
        assert_eq!(
            extras[1]["extra_content"]["google"]["thought_signature"],
            "c2ln"
        );
    }

    #[test]
    fn calls_without_end_are_refused() {
        let mut calls = Calls::default();
        let outcome = (0..2_000).try_for_each(|index| calls.add(&piece(index * 7, "", "t", "")));
        assert!(outcome.is_err());
    }
}
