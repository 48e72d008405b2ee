//! One answer, put together from its pieces.
//!
//! A whole answer is one piece: `message` has the shape of `delta`.

use serde_json::{Map, Value};

use super::calls::Calls;
use super::json::{as_text, grow};
use super::piece::{Piece, REASONING_FIELDS, reasoning_in};
use super::usage::read_usage;
use crate::model::{AssistantMessage, ModelError, ModelResponse, ProviderExtras, Usage};

/// One answer, as far as it has come.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    text: String,
    reasoning: String,
    calls: Calls,
    /// The call of the interface that came before `tool_calls`.
    function_call: Calls,
    extras: ProviderExtras,
    usage: Usage,
    finish_reason: Option<String>,
    has_choice: bool,
}

impl Assembly {
    /// Nothing yet, of the endpoint at `origin`.
    pub(super) fn new(origin: &str) -> Self {
        Self {
            extras: ProviderExtras {
                origin: origin.to_owned(),
                ..ProviderExtras::default()
            },
            ..Self::default()
        }
    }

    /// Takes a chunk of a stream, or a whole answer.
    pub(super) fn add(&mut self, chunk: &Value) -> Result<Piece, ModelError> {
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.usage = read_usage(usage);
        }
        let mut piece = Piece::default();
        let choices = chunk.get("choices").and_then(Value::as_array);
        // Only one was asked for; of more, the first is the answer.
        let first = choices
            .into_iter()
            .flatten()
            .find(|choice| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0);
        if let Some(choice) = first {
            self.has_choice = true;
            if let Some(reason) = choice.get("finish_reason").and_then(as_text) {
                self.finish_reason = Some(reason);
            }
            let message = choice.get("delta").or_else(|| choice.get("message"));
            if let Some(fields) = message.and_then(Value::as_object) {
                self.add_message(fields, &mut piece)?;
            }
        }
        self.text.push_str(&piece.text);
        self.reasoning.push_str(&piece.reasoning);
        Ok(piece)
    }

    /// Whether the model said that it is at its end; nothing but the usage can follow.
    pub(super) fn is_finished(&self) -> bool {
        self.finish_reason.is_some()
    }

    /// The answer.
    pub(super) fn finish(mut self) -> Result<ModelResponse, ModelError> {
        if !self.has_choice {
            return Err(ModelError::InvalidResponse("it holds no choice".to_owned()));
        }
        let cut = self.finish_reason.as_deref().and_then(cut_by);
        let (mut calls, extras) = self.calls.finish(cut);
        if calls.is_empty() {
            calls = self.function_call.finish(cut).0;
        }
        self.extras.calls = extras;
        let mut message = AssistantMessage::new(self.text).with_tool_calls(calls);
        message.reasoning = self.reasoning;
        let has_extras = self.extras.reasoning_field.is_some()
            || !self.extras.message.is_empty()
            || !self.extras.calls.is_empty();
        message.extras = has_extras.then(|| Box::new(self.extras));
        Ok(ModelResponse::new(message)
            .with_usage(self.usage)
            .with_finish_reason(self.finish_reason))
    }

    fn add_message(
        &mut self,
        fields: &Map<String, Value>,
        piece: &mut Piece,
    ) -> Result<(), ModelError> {
        if let Some((field, reasoning)) = reasoning_in(fields) {
            piece.reasoning.push_str(reasoning);
            self.extras
                .reasoning_field
                .get_or_insert_with(|| field.to_owned());
        }
        for (key, value) in fields {
            match key.as_str() {
                "content" => piece.add_content(value),
                // Said in place of an answer, and to the same reader.
                "refusal" => piece.text.push_str(value.as_str().unwrap_or_default()),
                "tool_calls" => {
                    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
                    items
                        .iter()
                        .try_for_each(|item| self.calls.add(item))
                        .map_err(|_| too_many_calls())?;
                }
                "function_call" if value.is_object() => self
                    .function_call
                    .add(&serde_json::json!({ "function": value }))
                    .map_err(|_| too_many_calls())?,
                "role" | "function_call" => {}
                key if REASONING_FIELDS.contains(&key) && value.is_string() => {}
                key => grow(&mut self.extras.message, key, value),
            }
        }
        Ok(())
    }
}

fn too_many_calls() -> ModelError {
    ModelError::InvalidResponse("it holds too many calls".to_owned())
}

/// Why an answer that stopped for this reason is not complete.
fn cut_by(finish_reason: &str) -> Option<&'static str> {
    match finish_reason {
        "length" | "max_tokens" | "model_length" | "MAX_TOKENS" => {
            Some("the answer was cut off at its limit of tokens")
        }
        "content_filter" => Some("the answer was cut off by the provider's content filter"),
        "error" => Some("the answer was cut off by a failure of the provider"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::ToolCall;

    fn read(message: &Value, finish_reason: &str) -> ModelResponse {
        let mut assembly = Assembly::new("https://x.test/v1");
        let choice = json!({ "index": 0, "message": message, "finish_reason": finish_reason });
        assembly.add(&json!({ "choices": [choice] })).unwrap();
        assembly.finish().unwrap()
    }

    #[test]
    fn of_several_choices_the_first_is_the_answer() {
        let mut assembly = Assembly::new("x");
        for (index, text) in [(1, "no"), (0, "ye"), (1, "pe"), (0, "s")] {
            let chunk = json!({ "choices": [{ "index": index, "delta": { "content": text } }] });
            assembly.add(&chunk).unwrap();
        }
        assert_eq!(assembly.finish().unwrap().text(), "yes");
    }

    #[test]
    fn calls_of_an_answer_that_ran_out_of_tokens_do_not_run_unless_they_are_whole() {
        let call = |arguments: &str| json!({ "id": "c", "function": { "name": "t", "arguments": arguments } });
        let message = json!({ "content": null, "tool_calls": [call("{}")] });
        assert_eq!(read(&message, "length").tool_calls()[0].invalid, None);
        for reason in ["length", "content_filter"] {
            for arguments in ["", "{\"a\":", "null"] {
                let message = json!({ "tool_calls": [call(arguments)] });
                let response = read(&message, reason);
                assert!(response.tool_calls()[0].invalid.is_some(), "{arguments}");
                assert_eq!(response.finish_reason.as_deref(), Some(reason));
            }
        }
        let message = json!({ "tool_calls": [call("")] });
        assert_eq!(read(&message, "tool_calls").tool_calls()[0].invalid, None);
    }

    #[test]
    fn reasoning_is_passed_through_once_with_the_field_it_came_in() {
        for field in REASONING_FIELDS {
            let response = read(&json!({ "content": "4", field: "2 + 2" }), "stop");
            assert_eq!(response.message.reasoning, "2 + 2");
            let extras = response.message.extras.unwrap();
            assert_eq!(extras.reasoning_field.as_deref(), Some(field));
            assert!(extras.message.is_empty());
        }
        let both = json!({ "reasoning": "hm", "reasoning_content": "hm", "content": "" });
        assert_eq!(read(&both, "stop").message.reasoning, "hm");
        let parts = json!({ "content": [
            { "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }] },
            { "type": "text", "text": "4" }
        ] });
        let response = read(&parts, "stop");
        assert_eq!(
            (response.text(), response.message.reasoning.as_str()),
            ("4", "hm")
        );
    }

    #[test]
    fn fields_of_a_vendor_are_kept() {
        let message =
            json!({ "content": "", "reasoning_details": [{ "signature": "c2ln" }], "audio": null });
        let extras = read(&message, "stop").message.extras.unwrap();
        assert_eq!(extras.origin, "https://x.test/v1");
        assert_eq!(
            Value::Object(extras.message),
            json!({ "reasoning_details": [{ "signature": "c2ln" }] })
        );
        assert_eq!(
            read(&json!({ "content": "plain" }), "stop").message.extras,
            None
        );
    }

    #[test]
    fn a_refusal_and_a_call_of_the_older_interface_are_understood() {
        let response = read(&json!({ "content": null, "refusal": "I can't." }), "stop");
        assert_eq!(response.text(), "I can't.");
        let message = json!({ "function_call": { "name": "t", "arguments": "{\"a\":1}" } });
        let response = read(&message, "function_call");
        assert_eq!(
            response.tool_calls(),
            [ToolCall::new("", "t", json!({ "a": 1 }))]
        );
    }

    #[test]
    fn an_answer_without_a_choice_is_none() {
        let mut assembly = Assembly::new("x");
        assembly.add(&json!({ "choices": [] })).unwrap();
        assert!(matches!(
            assembly.finish(),
            Err(ModelError::InvalidResponse(_))
        ));
    }
}
