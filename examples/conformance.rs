//! The tools that the protocol's conformance suite calls; what each has to answer is the suite's.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tinyagents::mcp::rmcp::RoleServer;
use tinyagents::mcp::rmcp::model::{self, ElicitRequestParams, ElicitationSchema};
use tinyagents::mcp::rmcp::service::Peer;
use tinyagents::toolset::ToolSet;
use tinyagents::{RunContext, StreamWriter, TinyAgentsError};
use tinytools::serde_json::{self, Value, json};
use tinytools::{
    Tool, ToolContent, ToolError, ToolPolicy, ToolProgress, ToolResult, async_trait, tool,
};

/// One red pixel.
const PNG: [u8; 69] = [
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53,
    0xde, 0x00, 0x00, 0x00, 0x0c, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0x00,
    0x00, 0x03, 0x01, 0x01, 0x00, 0xc9, 0xfe, 0x92, 0xef, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e,
    0x44, 0xae, 0x42, 0x60, 0x82,
];

/// All of them.
pub(crate) fn tools() -> Vec<Arc<dyn Tool>> {
    let mut tools = tinytools::tools![
        TestSimpleTextTool,
        TestImageContentTool,
        TestAudioContentTool,
        TestEmbeddedResourceTool,
        TestMultipleContentTypesTool,
        TestErrorHandlingTool,
        TestToolWithProgressTool,
        TestReconnectionTool,
        TestLoggingTool,
        TestSamplingTool,
        TestElicitationTool,
        TestElicitationSep1034DefaultsTool,
        TestElicitationSep1330EnumsTool,
    ];
    tools.push(Arc::new(JsonSchemaTool));
    tools.push(Arc::new(MirroredTool));
    tools.extend(CONFIRMED.map(|name| Arc::new(ConfirmedTool(name)) as Arc<dyn Tool>));
    tools
}

/// Answers with a text.
#[tool(read_only)]
fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Answers with a picture.
#[tool(read_only)]
fn test_image_content() -> ToolContent {
    ToolContent::image(PNG, "image/png")
}

/// Answers with a sound.
#[tool(read_only)]
fn test_audio_content() -> ToolContent {
    // A header and no samples: one channel, 8,000 samples a second, 8 bits each.
    let mut wav = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
    wav.extend(8_000_u32.to_le_bytes());
    wav.extend(8_000_u32.to_le_bytes());
    wav.extend(b"\x01\0\x08\0data\0\0\0\0");
    ToolContent::file("silence.wav", wav, "audio/wav")
}

/// Answers with a resource.
#[tool(read_only)]
fn test_embedded_resource() -> ToolContent {
    resource(
        "test://embedded-resource",
        "text/plain",
        "This is an embedded resource content.",
    )
}

/// Answers with a text, a picture and a resource.
#[tool(read_only)]
fn test_multiple_content_types() -> Vec<ToolContent> {
    vec![
        ToolContent::text("Multiple content types test:"),
        ToolContent::image(PNG, "image/png"),
        resource(
            "test://mixed-content-resource",
            "application/json",
            r#"{"test":"data","value":123}"#,
        ),
    ]
}

fn resource(uri: &str, media_type: &str, text: &str) -> ToolContent {
    let resource = json!({ "uri": uri, "mimeType": media_type, "text": text });
    ToolContent::Other(json!({ "type": "resource", "resource": resource }))
}

/// Fails.
#[tool(read_only)]
fn test_error_handling() -> Result<(), ToolError> {
    let text = "This tool intentionally returns an error for testing";
    Err(ToolError::failed(text))
}

/// Says how far it is, three times.
#[tool(read_only)]
async fn test_tool_with_progress(#[hidden] writer: &StreamWriter) -> &'static str {
    for done in [0.0, 50.0, 100.0] {
        writer.progress(ToolProgress::of(done, 100.0));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    "done"
}

/// Answers after a while, on the stream of its call: this server closes none before its answer.
#[tool(read_only)]
async fn test_reconnection() -> &'static str {
    tokio::time::sleep(Duration::from_millis(100)).await;
    "done"
}

/// Says something to the host, of which no client hears: this server sends no log.
#[tool(read_only, name = "test_logging_tool")]
fn test_logging(#[hidden] ctx: &RunContext) -> &'static str {
    ctx.custom(json!("called"));
    "done"
}

/// Asks the model behind the client.
#[tool(read_only)]
#[expect(
    deprecated,
    reason = "the suite asks for it where the protocol still has it"
)]
async fn test_sampling(
    #[hidden] client: &Peer<RoleServer>,
    /// The prompt to send.
    prompt: String,
) -> Result<String, ToolError> {
    let prompt = model::SamplingMessage::user_text(prompt);
    let asked = model::CreateMessageRequestParams::new(vec![prompt], 100);
    let failed = |_| ToolError::failed("the client has no model");
    let answer = client.create_message(asked).await.map_err(failed)?;
    let content = serde_json::to_value(&answer.message.content).unwrap_or_default();
    let text = content.get("text").and_then(Value::as_str);
    Ok(format!("LLM response: {}", text.unwrap_or_default()))
}

/// Asks the person behind the client.
#[tool(read_only)]
async fn test_elicitation(
    #[hidden] client: &Peer<RoleServer>,
    /// The message to show.
    message: String,
) -> Result<String, ToolError> {
    let schema = json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" }
        },
        "required": ["username", "email"]
    });
    let (action, content) = ask(client, message, schema).await?;
    Ok(format!(
        "User response: action: {action}, content: {content}"
    ))
}

/// Asks with a default for each kind of value.
#[tool(read_only)]
async fn test_elicitation_sep1034_defaults(
    #[hidden] client: &Peer<RoleServer>,
) -> Result<String, ToolError> {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true }
        }
    });
    let (action, content) = ask(client, "Please check these.".to_owned(), schema).await?;
    Ok(format!(
        "Elicitation completed: action={action}, content={content}"
    ))
}

/// Asks with each kind of choice.
#[tool(read_only)]
async fn test_elicitation_sep1330_enums(
    #[hidden] client: &Peer<RoleServer>,
) -> Result<String, ToolError> {
    let titled = |values: [&str; 3], titles: [&str; 3]| -> Vec<Value> {
        let pairs = values.into_iter().zip(titles);
        pairs
            .map(|(value, title)| json!({ "const": value, "title": title }))
            .collect()
    };
    let values = ["value1", "value2", "value3"];
    let options = ["option1", "option2", "option3"];
    let single = titled(values, ["First Option", "Second Option", "Third Option"]);
    let multiple = titled(values, ["First Choice", "Second Choice", "Third Choice"]);
    let schema = json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": options },
            "titledSingle": { "type": "string", "oneOf": single },
            "legacyEnum": {
                "type": "string", "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"]
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
            "titledMulti": { "type": "array", "items": { "anyOf": multiple } }
        }
    });
    let (action, content) = ask(client, "Please choose.".to_owned(), schema).await?;
    Ok(format!(
        "Elicitation completed: action={action}, content={content}"
    ))
}

/// What the person did, and said.
async fn ask(
    client: &Peer<RoleServer>,
    message: String,
    schema: Value,
) -> Result<(String, Value), ToolError> {
    let failed = |_| ToolError::failed("the client can't be asked");
    let requested_schema: ElicitationSchema =
        serde_json::from_value(schema).map_err(|error| ToolError::failed(error.to_string()))?;
    let question = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema,
    };
    let answer = client.create_elicitation(question).await.map_err(failed)?;
    let action = serde_json::to_value(&answer.action).unwrap_or_default();
    let action = action.as_str().unwrap_or_default().to_owned();
    Ok((action, answer.content.unwrap_or_default()))
}

/// A set of two tools, of which one comes and goes when the other is called.
#[derive(Clone, Default)]
pub(crate) struct ChangingTools(Arc<AtomicBool>);

#[async_trait]
impl ToolSet for ChangingTools {
    async fn tools(&self, _: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        let mut tools: Vec<Arc<dyn Tool>> = vec![Arc::new(ChangeTool(self.clone()))];
        if self.0.load(Ordering::Relaxed) {
            tools.push(Arc::new(TestGuestTool));
        }
        Ok(tools)
    }
}

/// Is there at times.
#[tool(read_only)]
fn test_guest() -> &'static str {
    "done"
}

/// Changes the list of tools.
struct ChangeTool(ChangingTools);

#[async_trait]
impl Tool for ChangeTool {
    fn name(&self) -> &'static str {
        "test_trigger_tool_change"
    }

    fn description(&self) -> &'static str {
        "Changes the list of tools"
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        let Self(ChangingTools(is_there)) = self;
        is_there.fetch_not(Ordering::Relaxed);
        Ok(ToolResult::success("done"))
    }
}

/// A tool whose schema uses what JSON Schema 2020-12 has.
struct JsonSchemaTool;

#[async_trait]
impl Tool for JsonSchemaTool {
    fn name(&self) -> &'static str {
        "json_schema_2020_12_tool"
    }

    fn description(&self) -> &'static str {
        "Tool with JSON Schema 2020-12 features"
    }

    fn parameters_schema(&self) -> Value {
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
                }
            },
            "properties": {
                "name": { "type": "string" },
                "address": { "$ref": "#/$defs/address" },
                "contactMethod": { "type": "string", "enum": ["phone", "email"] },
                "phone": { "type": "string" },
                "email": { "type": "string" }
            },
            "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
            "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
            "then": { "required": ["phone"] },
            "else": { "required": ["email"] },
            "additionalProperties": false
        })
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        Ok(ToolResult::success(format!("called with {args}")))
    }
}

/// A tool of whose arguments one is repeated in a header of the request.
struct MirroredTool;

#[async_trait]
impl Tool for MirroredTool {
    fn name(&self) -> &'static str {
        "test_custom_header"
    }

    fn description(&self) -> &'static str {
        "Says the region that the request was routed to"
    }

    fn parameters_schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
            "required": ["region"]
        })
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        Ok(ToolResult::success(format!("routed to {}", args["region"])))
    }
}

/// Names of tools whose calls the suite expects to be asked back about.
const CONFIRMED: [&str; 4] = [
    "test_input_required_result_elicitation",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_streaming_elicitation",
];

/// A tool that runs after a person has approved it.
struct ConfirmedTool(&'static str);

#[async_trait]
impl Tool for ConfirmedTool {
    fn name(&self) -> &str {
        self.0
    }

    fn description(&self) -> &'static str {
        "Runs when it is approved"
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::classified().requiring_approval()
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        Ok(ToolResult::success("state-ok"))
    }
}
