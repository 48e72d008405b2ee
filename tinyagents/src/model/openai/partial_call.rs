//! One call, put together from its pieces.

use serde_json::{Map, Value};

use super::json::grow;
use crate::admission::relaxed_json::recover_relaxed_object;
use crate::model::ToolCall;

/// A call, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct PartialCall {
    pub(super) index: Option<u64>,
    pub(super) id: String,
    name: String,
    arguments: Arguments,
    pub(super) extras: Map<String, Value>,
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

impl PartialCall {
    /// Nothing yet, of the call with that index.
    pub(super) fn at(index: Option<u64>) -> Self {
        Self {
            index,
            ..Self::default()
        }
    }

    /// Takes a piece of the call, or all of it.
    pub(super) fn add(&mut self, id: String, piece: &Map<String, Value>) {
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

    /// The call; with a reason why the answer was cut, invalid where its arguments may lack something.
    pub(super) fn finish(self, cut: Option<&str>) -> ToolCall {
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

    fn assemble(functions: &[Value]) -> PartialCall {
        let mut call = PartialCall::default();
        for function in functions {
            let piece = json!({ "function": function });
            call.add("a".to_owned(), piece.as_object().unwrap());
        }
        call
    }

    #[test]
    fn a_name_comes_whole_again_and_again_or_in_pieces() {
        let again = assemble(&[
            json!({ "name": "get_weather", "arguments": "{" }),
            json!({ "name": "get_weather", "arguments": "}" }),
        ]);
        let pieces = assemble(&[
            json!({ "name": "get_" }),
            json!({ "name": "weather" }),
            json!({ "arguments": "{}" }),
        ]);
        let expected = ToolCall::new("a", "get_weather", json!({}));
        assert_eq!(again.finish(None), expected);
        assert_eq!(pieces.finish(None), expected);
    }

    #[test]
    fn arguments_that_are_an_object_already_are_taken_as_they_are() {
        let call = assemble(&[json!({ "name": "t", "arguments": { "a": [1] } })]);
        assert_eq!(
            call.finish(None),
            ToolCall::new("a", "t", json!({ "a": [1] }))
        );
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
            let call = assemble(&[json!({ "name": "erase", "arguments": text })]);
            let call = call.finish(Some("cut off"));
            assert_eq!(call.invalid.as_deref(), Some("cut off"), "{text}");
            match &call.arguments {
                Value::String(raw) => assert!(
                    !raw.trim().is_empty() && recover_relaxed_object(raw).is_none(),
                    "{text}"
                ),
                arguments => assert_eq!(arguments, &json!([text])),
            }
        }
        let call = assemble(&[json!({ "name": "erase", "arguments": whole })]);
        assert_eq!(call.finish(Some("cut off")).invalid, None);
    }
}
