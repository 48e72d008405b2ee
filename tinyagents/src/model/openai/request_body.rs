//! A request as endpoints read it.
//!
//! The shape: <https://platform.openai.com/docs/api-reference/chat/create>.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use tinytools::{MediaSource, ToolContent};

use super::call_ids::sent_id;
use super::metadata;
use crate::model::{
    AssistantMessage, Message, ModelProfile, ModelRequest, ToolCall, ToolChoice, ToolSchema,
    UserMessage,
};
use crate::schema::{FindingEffect, SchemaTarget, lint};

/// What the adapter sets itself; a host gives these by other means.
pub(super) const OWN_FIELDS: [&str; 5] = ["model", "messages", "tools", "tool_choice", "stream"];

/// What of a request the model's settings decide.
#[derive(Debug)]
pub(super) struct Form<'a> {
    pub(super) model: &'a str,
    pub(super) profile: &'a ModelProfile,
    /// Whose extras may be sent; `None` for nobody's.
    pub(super) origin: Option<&'a str>,
    /// How the bound of tokens is called here.
    pub(super) tokens_field: &'a str,
    pub(super) parameters: &'a Map<String, Value>,
}

impl Form<'_> {
    /// The body of a request.
    pub(super) fn body(&self, request: &ModelRequest, is_streamed: bool) -> Value {
        let messages: Vec<Value> = request
            .messages
            .iter()
            .map(|message| self.message(message))
            .collect();
        let mut body = json!({ "model": self.model, "messages": messages });
        if !request.tools.is_empty() {
            let tools: Vec<Value> = request.tools.iter().map(|tool| self.tool(tool)).collect();
            body["tools"] = Value::Array(tools);
            match &request.tool_choice {
                ToolChoice::Auto => {}
                ToolChoice::None => body["tool_choice"] = json!("none"),
                ToolChoice::Required => body["tool_choice"] = json!("required"),
                ToolChoice::Tool(name) => {
                    body["tool_choice"] =
                        json!({ "type": "function", "function": { "name": name } });
                }
            }
            if !self.profile.parallel_calls {
                body["parallel_tool_calls"] = json!(false);
            }
        }
        if let Some(tokens) = request.max_output_tokens {
            body[self.tokens_field] = json!(tokens);
        }
        if is_streamed {
            body["stream"] = json!(true);
            body["stream_options"] = json!({ "include_usage": true });
        }
        if let Some(fields) = body.as_object_mut() {
            for (name, value) in self.parameters {
                if value.is_null() {
                    fields.shift_remove(name);
                } else {
                    fields.insert(name.clone(), value.clone());
                }
            }
            let is_unwanted = self
                .parameters
                .get(metadata::NAME)
                .is_some_and(Value::is_null);
            if !is_unwanted {
                metadata::add(fields, &request.metadata);
            }
        }
        body
    }

    fn tool(&self, tool: &ToolSchema) -> Value {
        let mut function = json!({ "name": tool.name });
        if !tool.description.is_empty() {
            function["description"] = json!(tool.description);
        }
        function["parameters"] = tool.parameters.clone();
        // A schema that strict mode refuses would fail the request with all tools in it.
        if self.profile.strict_schemas
            && lint(&tool.parameters, SchemaTarget::OpenAiStrict)
                .iter()
                .all(|finding| finding.effect != FindingEffect::Refused)
        {
            function["strict"] = json!(true);
        }
        json!({ "type": "function", "function": function })
    }

    fn message(&self, message: &Message) -> Value {
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

/// Text alone, unless there is something to see or to open.
fn user_content(message: &UserMessage) -> Value {
    let has_media = message
        .blocks
        .iter()
        .any(|block| matches!(block, ToolContent::Image { .. } | ToolContent::File { .. }));
    if !has_media {
        return json!(message.content);
    }
    message.blocks.iter().map(part).collect()
}

fn part(block: &ToolContent) -> Value {
    let sent = match block {
        ToolContent::Image { source, media_type } => {
            address(source, media_type.as_deref().unwrap_or("image/png"))
                .map(|url| json!({ "type": "image_url", "image_url": { "url": url } }))
        }
        // Files are sent with their bytes alone.
        ToolContent::File {
            name,
            source: source @ MediaSource::Inline { .. },
            media_type,
        } => {
            let kind = media_type.as_deref().unwrap_or("application/octet-stream");
            address(source, kind).map(
                |data| json!({ "type": "file", "file": { "filename": name, "file_data": data } }),
            )
        }
        _ => None,
    };
    sent.unwrap_or_else(|| json!({ "type": "text", "text": block.to_string() }))
}

fn address(source: &MediaSource, media_type: &str) -> Option<String> {
    match source {
        MediaSource::Url { url } => Some(url.clone()),
        MediaSource::Inline { data } => Some(format!(
            "data:{media_type};base64,{}",
            STANDARD.encode(data)
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ProviderExtras, ToolFormat};

    const ORIGIN: &str = "https://x.test/v1";

    fn body_for(profile: &ModelProfile, parameters: &Value, request: &ModelRequest) -> Value {
        let form = Form {
            model: "m",
            profile,
            origin: Some(ORIGIN),
            tokens_field: "max_tokens",
            parameters: parameters.as_object().unwrap(),
        };
        form.body(request, false)
    }

    fn body(request: &ModelRequest) -> Value {
        body_for(&ModelProfile::default(), &json!({}), request)
    }

    fn tool() -> ToolSchema {
        ToolSchema::new("weather", "Look it up.", json!({ "type": "object" }))
    }

    #[test]
    fn a_plain_request_has_nothing_that_an_older_server_could_refuse() {
        let request = ModelRequest::new(vec![Message::system("Be brief."), Message::user("Oslo?")]);
        assert_eq!(
            body(&request),
            json!({ "model": "m", "messages": [
                { "role": "system", "content": "Be brief." },
                { "role": "user", "content": "Oslo?" }
            ] })
        );
    }

    #[test]
    fn tools_and_the_choice_among_them_are_declared() {
        let request = ModelRequest::new(vec![]).with_tools([tool()]);
        let sent = body(&request);
        assert_eq!(
            sent["tools"],
            json!([{ "type": "function", "function": {
                "name": "weather", "description": "Look it up.", "parameters": { "type": "object" }
            } }])
        );
        assert!(sent.get("tool_choice").is_none() && sent.get("parallel_tool_calls").is_none());
        for (choice, wire) in [
            (ToolChoice::None, json!("none")),
            (ToolChoice::Required, json!("required")),
            (
                ToolChoice::Tool("weather".into()),
                json!({ "type": "function", "function": { "name": "weather" } }),
            ),
        ] {
            let request = request.clone().with_tool_choice(choice);
            assert_eq!(body(&request)["tool_choice"], wire);
        }
        let profile = ModelProfile::default().with_parallel_calls(false);
        assert_eq!(
            body_for(&profile, &json!({}), &request)["parallel_tool_calls"],
            json!(false)
        );
    }

    #[test]
    fn strict_mode_is_asked_for_where_the_schema_fits_it() {
        let strict = json!({
            "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"], "additionalProperties": false
        });
        let loose = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
        let request = ModelRequest::new(vec![]).with_tools([
            ToolSchema::new("s", "", strict),
            ToolSchema::new("l", "", loose),
        ]);
        let profile = ModelProfile::default().with_strict_schemas(true);
        let sent = body_for(&profile, &json!({}), &request);
        assert_eq!(sent["tools"][0]["function"]["strict"], json!(true));
        assert!(sent["tools"][1]["function"].get("strict").is_none());
        assert!(
            body(&request)["tools"][0]["function"]
                .get("strict")
                .is_none()
        );
    }

    #[test]
    fn history_is_sent_with_its_ids_and_with_arguments_that_a_server_can_read() {
        let calls = vec![
            ToolCall::new("c1", "weather", json!({ "city": "Oslo" })),
            ToolCall::from_text("c2", "weather", "{city:"),
        ];
        let request = ModelRequest::new(vec![
            Message::assistant_calls("", calls),
            Message::tool("c1", "weather", "4 °C"),
        ]);
        assert_eq!(
            body(&request)["messages"],
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
        let sent = |message: &AssistantMessage| {
            body(&ModelRequest::new(vec![message.clone().into()]))["messages"][0].clone()
        };
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

    #[test]
    fn pictures_and_files_are_sent_as_parts() {
        let request = ModelRequest::new(vec![Message::user_blocks(vec![
            ToolContent::text("look"),
            ToolContent::image_url("https://x.test/a.png"),
            ToolContent::file("a.pdf", *b"%PDF", "application/pdf"),
        ])]);
        assert_eq!(
            body(&request)["messages"][0]["content"],
            json!([
                { "type": "text", "text": "look" },
                { "type": "image_url", "image_url": { "url": "https://x.test/a.png" } },
                { "type": "file", "file": { "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg==" } }
            ])
        );
    }

    #[test]
    fn a_tools_format_is_sent_with_a_stored_completion_and_never_in_its_declaration() {
        let mut request =
            ModelRequest::new(vec![]).with_tools([tool().with_format(ToolFormat::Xml)]);
        request.keep_formats();
        let plain = body(&request);
        assert_eq!(plain, body(&ModelRequest::new(vec![]).with_tools([tool()])));
        let stored = body_for(
            &ModelProfile::default(),
            &json!({ "store": true }),
            &request,
        );
        assert_eq!(stored["tools"], plain["tools"]);
        assert_eq!(
            stored["metadata"],
            json!({ "tool_formats": "{\"weather\":{\"type\":\"xml\"}}" })
        );
        let parameters = json!({ "store": true, "metadata": null });
        let unwanted = body_for(&ModelProfile::default(), &parameters, &request);
        assert!(unwanted.get("metadata").is_none());
    }

    #[test]
    fn parameters_are_added_and_null_takes_one_away() {
        let form_parameters = json!({ "temperature": 0, "stream_options": null });
        let request = ModelRequest::new(vec![]).with_max_output_tokens(Some(9));
        let sent = body_for(&ModelProfile::default(), &form_parameters, &request);
        assert_eq!(sent["temperature"], json!(0));
        assert_eq!(sent["max_tokens"], json!(9));
        assert!(sent.get("stream_options").is_none());
    }
}
