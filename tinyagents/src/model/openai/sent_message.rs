//! A message of the transcript as endpoints read it.

use serde_json::{Map, Value, json};

use super::call_ids::sent_id;
use super::request_body::Form;
use super::user_content::user_content;
use crate::model::{AssistantMessage, Message, ToolCall};

impl Form<'_> {
    /// A message.
    pub(super) fn message(&self, message: &Message) -> Value {
        match message {
            Message::System(system) => json!({ "role": "system", "content": system.content }),
            Message::User(user) => json!({ "role": "user", "content": user_content(user) }),
            Message::Assistant(assistant) => self.assistant(assistant),
            Message::Tool(row) => json!({
                "role": "tool",
                "tool_call_id": sent_id(&row.call_id, self.profile.name_rules),
                "content": row.content
            }),
        }
    }

    fn assistant(&self, message: &AssistantMessage) -> Value {
        let mut fields = Map::new();
        fields.insert("role".to_owned(), json!("assistant"));
        let content = if message.content.is_empty() && !message.tool_calls.is_empty() {
            Value::Null
        } else {
            json!(message.content)
        };
        fields.insert("content".to_owned(), content);
        let mut calls: Vec<Value> = message
            .tool_calls
            .iter()
            .map(|call| self.call(call))
            .collect();
        let extras = message
            .extras
            .as_deref()
            .filter(|extras| self.origin == Some(extras.origin.as_str()));
        if let Some(extras) = extras {
            add_missing(&mut fields, &extras.message);
            if let Some(field) = &extras.reasoning_field {
                fields
                    .entry(field.clone())
                    .or_insert_with(|| json!(message.reasoning));
            }
            for (call, extras) in calls.iter_mut().zip(&extras.calls) {
                if let Some(call) = call.as_object_mut() {
                    add_missing(call, extras);
                }
            }
        }
        if !calls.is_empty() {
            fields.insert("tool_calls".to_owned(), Value::Array(calls));
        }
        Value::Object(fields)
    }

    fn call(&self, call: &ToolCall) -> Value {
        // Many servers read the arguments of the history and refuse the whole request where they are no object, so that one
        // bad call would end the run. What was wrong with it stands in its answer.
        let arguments = if call.arguments.is_object() {
            call.arguments.to_string()
        } else {
            "{}".to_owned()
        };
        json!({
            "id": sent_id(&call.id, self.profile.name_rules),
            "type": "function",
            "function": { "name": call.name, "arguments": arguments }
        })
    }
}

/// What a provider sent never takes the place of what the transcript says.
fn add_missing(fields: &mut Map<String, Value>, extras: &Map<String, Value>) {
    for (key, value) in extras {
        if key != "tool_calls" {
            fields.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ModelProfile, ProviderExtras};

    const ORIGIN: &str = "https://x.test/v1";

    fn sent(message: &Message) -> Value {
        let form = Form {
            model: "m",
            profile: &ModelProfile::default(),
            origin: Some(ORIGIN),
            tokens_field: "max_tokens",
            parameters: &Map::new(),
        };
        form.message(message)
    }

    #[test]
    fn history_is_sent_with_its_ids_and_with_arguments_that_a_server_can_read() {
        let calls = vec![
            ToolCall::new("c1", "weather", json!({ "city": "Oslo" })),
            ToolCall::from_text("c2", "weather", "{city:"),
        ];
        let history = [
            Message::assistant_calls("", calls),
            Message::tool("c1", "weather", "4 °C"),
        ];
        let history: Value = history.iter().map(sent).collect();
        assert_eq!(
            history,
            json!([
                { "role": "assistant", "content": null, "tool_calls": [
                    { "id": "c1", "type": "function", "function": { "name": "weather", "arguments": "{\"city\":\"Oslo\"}" } },
                    { "id": "c2", "type": "function", "function": { "name": "weather", "arguments": "{}" } }
                ] },
                { "role": "tool", "tool_call_id": "c1", "content": "4 °C" }
            ])
        );
    }

    #[test]
    fn extras_go_back_to_where_they_came_from_and_nowhere_else() {
        let signed = json!({ "extra_content": { "signature": "c2ln" }, "id": "forged" });
        let mut message = AssistantMessage::new("").with_tool_calls(vec![ToolCall::new(
            "c1",
            "weather",
            json!({}),
        )]);
        message.reasoning = "Hm.".into();
        message.extras = Some(Box::new(ProviderExtras {
            origin: ORIGIN.into(),
            reasoning_field: Some("reasoning_content".into()),
            message: json!({ "signature": "eA==", "role": "system", "tool_calls": [] })
                .as_object()
                .cloned()
                .unwrap(),
            calls: vec![signed.as_object().cloned().unwrap()],
        }));
        let sent = |message: &AssistantMessage| sent(&message.clone().into());
        assert_eq!(
            sent(&message),
            json!({
                "role": "assistant", "content": null, "signature": "eA==", "reasoning_content": "Hm.",
                "tool_calls": [{
                    "id": "c1", "type": "function", "function": { "name": "weather", "arguments": "{}" },
                    "extra_content": { "signature": "c2ln" }
                }]
            })
        );
        message.extras.as_mut().unwrap().origin = "https://y.test/v1".into();
        let elsewhere = sent(&message).to_string();
        assert!(
            !elsewhere.contains("Hm.") && !elsewhere.contains("c2ln"),
            "{elsewhere}"
        );
    }
}
