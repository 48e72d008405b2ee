//! Return types: what becomes content, what becomes a failure, and what has an output schema.
#![expect(clippy::unnecessary_wraps, clippy::unwrap_used, reason = "tests")]

use serde_json::{Value, json};
use tinytools::schemars::JsonSchema;
use tinytools::serde::Serialize;
use tinytools::{IntoToolResult, Tool, ToolContent, ToolError, ToolResult, tool};

fn run(tool: &dyn Tool) -> anyhow::Result<ToolResult> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(tool.execute(json!({})))
}

fn content(tool: &dyn Tool) -> Value {
    serde_json::to_value(run(tool).unwrap().content).unwrap()
}

fn json_block(value: &Value) -> Value {
    json!([{ "type": "json", "json": value }])
}

#[derive(Serialize, JsonSchema)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
struct Report {
    degrees: i8,
}

#[derive(Serialize)]
#[serde(crate = "tinytools::serde")]
struct Bare {
    degrees: i8,
}

struct Shout(&'static str);

impl IntoToolResult for Shout {
    fn into_tool_result(self) -> ToolResult {
        ToolResult::success(self.0.to_uppercase())
    }
}

#[derive(Debug)]
struct Broken;

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("it is broken")
    }
}

impl std::error::Error for Broken {}

macro_rules! tools {
    ($($name:ident -> $ty:ty $body:block)*) => {
        $(
            #[tool(description = "Try it.", crate = ::tinytools)]
            fn $name() -> $ty $body
        )*
    };
}

type Fallible<T> = Result<T, Broken>;

mod own {
    use tinytools::serde::Serialize;

    /// Not the one of the standard library.
    #[derive(Serialize)]
    #[serde(crate = "tinytools::serde")]
    pub(crate) struct Result<T> {
        pub(crate) value: T,
    }
}

tools! {
    text -> String { "four".into() }
    literal -> &'static str { "four" }
    unit -> () {}
    number -> u8 { 4 }
    truth -> bool { true }
    value -> Value { json!({ "a": 1 }) }
    blocks -> Vec<ToolContent> { vec![ToolContent::text("a"), ToolContent::text("b")] }
    whole -> ToolResult { ToolResult::error("no") }
    both -> ToolResult {
        ToolResult::success("four").with_content(ToolContent::json(json!({ "degrees": 4 })))
    }
    report -> Report { Report { degrees: 4 } }
    bare -> Bare { Bare { degrees: 4 } }
    nothing -> Option<Report> { None }
    shout -> Shout { Shout("four") }
    list -> Vec<Report> { vec![Report { degrees: 4 }] }
    ok -> Result<Report, String> { Ok(Report { degrees: 4 }) }
    ok_text -> Result<String, ToolError> { Ok("four".into()) }
    alias -> Fallible<Report> { Ok(Report { degrees: 4 }) }
    own_result -> own::Result<u8> { own::Result { value: 4 } }
    io_result -> std::io::Result<()> { Err(std::io::Error::other("disk")) }
    anyhow_result -> anyhow::Result<u8> { Err(anyhow::Error::new(Broken).context("outer")) }
    alias_failed -> Fallible<u8> { Err(Broken) }
    text_failed -> Result<u8, String> { Err("no luck".into()) }
    literal_failed -> Result<u8, &'static str> { Err("no luck") }
    tool_failed -> Result<u8, ToolError> { Err(ToolError::retry("again")) }
    boxed_failed -> Result<u8, Box<dyn std::error::Error + Send + Sync>> { Err(Box::new(ToolError::retry("again"))) }
    wrapped_failed -> anyhow::Result<u8> { Err(ToolError::retry("again").into()) }
}

#[test]
fn text_is_text_and_everything_else_is_json() {
    let four = json!([{ "type": "text", "text": "four" }]);
    assert_eq!(content(&TextTool), four);
    assert_eq!(content(&LiteralTool), four);
    assert_eq!(content(&OkTextTool), four);
    assert_eq!(content(&UnitTool), json!([]));
    assert_eq!(content(&NumberTool), json_block(&json!(4)));
    assert_eq!(content(&TruthTool), json_block(&json!(true)));
    assert_eq!(content(&ValueTool), json_block(&json!({ "a": 1 })));
    assert_eq!(content(&BlocksTool).as_array().unwrap().len(), 2);
    assert_eq!(content(&ReportTool), json_block(&json!({ "degrees": 4 })));
    assert_eq!(content(&BareTool), json_block(&json!({ "degrees": 4 })));
    assert_eq!(content(&OkTool), json_block(&json!({ "degrees": 4 })));
    assert_eq!(content(&AliasTool), json_block(&json!({ "degrees": 4 })));
    assert_eq!(content(&OwnResultTool), json_block(&json!({ "value": 4 })));
    assert_eq!(content(&NothingTool), json_block(&Value::Null));
    assert_eq!(
        content(&ShoutTool),
        json!([{ "type": "text", "text": "FOUR" }])
    );
    assert_eq!(
        content(&BothTool),
        json!([
            { "type": "text", "text": "four" },
            { "type": "json", "json": { "degrees": 4 } }
        ])
    );
    assert!(run(&WholeTool).unwrap().is_error);
}

#[test]
fn types_with_a_schema_have_an_output_schema() {
    let degrees = |tool: &dyn Tool| {
        let schema = tool.output_schema().unwrap();
        schema["properties"]["degrees"]["type"] == "integer"
    };
    assert!(degrees(&ReportTool) && degrees(&OkTool) && degrees(&AliasTool));
    assert_eq!(ListTool.output_schema().unwrap()["type"], "array");
    assert_eq!(NumberTool.output_schema().unwrap()["type"], "integer");
    let without: [&dyn Tool; 9] = [
        &TextTool,
        &LiteralTool,
        &UnitTool,
        &ValueTool,
        &WholeTool,
        &BareTool,
        &ShoutTool,
        &OwnResultTool,
        &OkTextTool,
    ];
    for tool in without {
        assert_eq!(tool.output_schema(), None, "{}", tool.name());
    }
}

#[test]
fn errors_keep_their_type_and_their_text() {
    let failed = |tool: &dyn Tool| run(tool).unwrap_err();
    assert!(failed(&AliasFailedTool).is::<Broken>());
    assert!(failed(&AnyhowResultTool).is::<Broken>());
    assert!(failed(&IoResultTool).is::<std::io::Error>());
    assert_eq!(failed(&TextFailedTool).to_string(), "no luck");
    assert_eq!(failed(&LiteralFailedTool).to_string(), "no luck");
    for tool in [
        &ToolFailedTool as &dyn Tool,
        &BoxedFailedTool,
        &WrappedFailedTool,
    ] {
        let error = failed(tool);
        assert!(
            matches!(ToolError::find(&error), Some(ToolError::Retry(_))),
            "{}",
            tool.name()
        );
    }
}
