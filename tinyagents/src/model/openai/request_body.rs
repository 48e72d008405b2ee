//! A request as endpoints read it.
//!
//! The shape: <https://platform.openai.com/docs/api-reference/chat/create>.

use serde_json::{Map, Value, json};

use super::metadata;
use crate::model::{ModelProfile, ModelRequest, ToolChoice, ToolSchema};
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Message, ToolFormat};

    fn body_for(profile: &ModelProfile, parameters: &Value, request: &ModelRequest) -> Value {
        let form = Form {
            model: "m",
            profile,
            origin: None,
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
