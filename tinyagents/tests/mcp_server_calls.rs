//! Listing and calling tools over the Model Context Protocol.
#![cfg(feature = "mcp")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;

use serde_json::{Value, json};
use tinyagents::mcp::rmcp::service::serve_client;
use tinyagents::mcp::{McpServeError, McpServer};
use tinyagents::tinytools::{ToolContent, ToolError, ToolResult};
use tinyagents::{
    AgentEvent, EventLog, RunContext, RunLimits, RunPolicy, ToolPolicyMiddleware, ToolRunContext,
    ToolSchema, tool, tools,
};

use mcp_server_support::{
    Client, Lifecycle, call, connect, connect_as, is_error, protocol_error, registry, server_of,
    spawn, text,
};

mod mcp_server_support;

#[derive(tinyagents::serde::Serialize, tinyagents::schemars::JsonSchema)]
#[serde(crate = "tinyagents::serde")]
#[schemars(crate = "tinyagents::schemars")]
struct Weather {
    city: String,
    degrees: i64,
}

/// Look up the weather for a city.
#[tool(read_only, label = "Weather")]
fn weather(
    /// City name.
    city: String,
    #[arg(default = 3, minimum = 1)] days: u8,
) -> Weather {
    let _ = days;
    Weather { city, degrees: 4 }
}

/// Removes a file.
#[tool(destructive, writes_files)]
fn remove(path: &str) -> String {
    format!("removed {path}")
}

/// Nobody knows.
#[tool]
fn riddle() {}

struct User(&'static str);

/// Says who calls.
#[tool(read_only)]
fn whoami(#[hidden] user: &User) -> String {
    user.0.to_owned()
}

/// Fails as it is told.
#[tool(read_only)]
fn fail(how: &str) -> Result<String, ToolError> {
    match how {
        "panic" => panic!("the secret is 7"),
        "fatal" => Err(ToolError::Fatal(tinyagents::anyhow::anyhow!("no disk"))),
        how => Err(ToolError::Failed(format!("it was {how}"))),
    }
}

/// Says it back.
#[tool(read_only)]
fn echo(text: String) -> String {
    text
}

/// A picture between two texts.
#[tool(read_only)]
fn picture() -> Vec<ToolContent> {
    vec![
        ToolContent::text("before"),
        ToolContent::image(b"png".to_vec(), "image/png"),
        ToolContent::text("after"),
    ]
}

/// More than its bound.
#[tool(read_only, max_result_bytes = 60)]
fn flood() -> Weather {
    Weather {
        city: "x".repeat(1000),
        degrees: 0,
    }
}

/// A result with something to follow, and something for the host alone.
#[tool(read_only)]
fn annotated() -> ToolResult {
    ToolResult::json(json!({ "a": 1 }))
        .with_follow_up(ToolContent::text("look here"))
        .with_metadata(json!({ "secret": 7 }))
}

#[tokio::test]
async fn tools_are_listed_with_schemas_and_with_all_hints_or_none() {
    let registry = registry(tools![WeatherTool, RemoveTool, RiddleTool]);
    for lifecycle in Lifecycle::BOTH {
        let server = McpServer::new(registry.clone());
        let (client, _serving) = connect_as(server, Client::default(), lifecycle).await;
        let listed = client.list_all_tools().await.unwrap();
        let listed: Vec<Value> = listed
            .iter()
            .map(|tool| serde_json::to_value(tool).unwrap())
            .collect();
        let [remove, riddle, weather] = listed.as_slice() else {
            panic!("{listed:?}");
        };
        assert_eq!(
            remove["annotations"],
            json!({
                "readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": false
            })
        );
        assert_eq!(riddle.get("annotations"), None);
        assert_eq!(riddle.get("outputSchema"), None);
        assert_eq!(weather["name"], "weather");
        assert_eq!(weather["title"], "Weather");
        assert_eq!(weather["description"], "Look up the weather for a city.");
        assert_eq!(weather["annotations"]["readOnlyHint"], true);
        assert_eq!(weather["annotations"]["idempotentHint"], true);
        assert_eq!(weather["inputSchema"]["required"], json!(["city"]));
        assert_eq!(
            weather["inputSchema"]["properties"]["days"],
            json!({ "type": "integer", "minimum": 1, "maximum": 255, "default": 3 })
        );
        assert_eq!(
            weather["outputSchema"]["properties"]["degrees"]["type"],
            "integer"
        );
    }
}

#[tokio::test]
async fn a_structured_result_is_told_as_text_too() {
    for lifecycle in Lifecycle::BOTH {
        let server = server_of(WeatherTool);
        let (client, _serving) = connect_as(server, Client::default(), lifecycle).await;
        let asked = call("weather", json!({ "city": "Oslo" }));
        let result = client.call_tool(asked).await.unwrap();
        let expected = json!({ "city": "Oslo", "degrees": 4 });
        assert!(!is_error(&result));
        assert_eq!(result.structured_content, Some(expected.clone()));
        let told: Value = serde_json::from_str(&text(&result)).unwrap();
        assert_eq!(told, expected);
    }
}

#[tokio::test]
async fn blocks_keep_their_kinds_and_their_order() {
    let (client, _serving) = connect(server_of(PictureTool)).await;
    let result = client.call_tool(call("picture", json!({}))).await.unwrap();
    assert_eq!(
        serde_json::to_value(&result.content).unwrap(),
        json!([
            { "type": "text", "text": "before" },
            { "type": "image", "data": "cG5n", "mimeType": "image/png" },
            { "type": "text", "text": "after" },
        ])
    );
}

#[tokio::test]
async fn what_follows_is_part_of_the_answer_and_what_is_for_the_host_is_not() {
    let (client, _serving) = connect(server_of(AnnotatedTool)).await;
    let result = client
        .call_tool(call("annotated", json!({})))
        .await
        .unwrap();
    assert_eq!(text(&result), "{\"a\":1}\nlook here");
    assert!(!serde_json::to_string(&result).unwrap().contains("secret"));
}

#[tokio::test]
async fn a_result_that_had_to_be_cut_is_not_passed_off_as_the_promised_one() {
    let (client, _serving) = connect(server_of(FloodTool)).await;
    let result = client.call_tool(call("flood", json!({}))).await.unwrap();
    assert!(is_error(&result));
    assert_eq!(result.structured_content, None);
    assert!(text(&result).len() <= 60, "{}", text(&result));
}

#[tokio::test]
async fn failures_are_errors_of_the_call_and_the_session_goes_on() {
    let (client, _serving) = connect(server_of(FailTool)).await;
    for (how, told) in [("bad", "it was bad"), ("panic", ""), ("fatal", "")] {
        let asked = call("fail", json!({ "how": how }));
        let result = client.call_tool(asked).await.unwrap();
        assert!(is_error(&result), "{how}: {result:?}");
        assert!(text(&result).contains(told), "{how}: {result:?}");
        assert!(!text(&result).contains("secret"), "{result:?}");
    }
    let refused = client
        .call_tool(call("fail", json!({ "how": 7, "x": 1 })))
        .await
        .unwrap();
    assert!(is_error(&refused));
    assert!(text(&refused).contains("how"), "{}", text(&refused));
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_of_the_protocol() {
    for policy in [RunPolicy::default(), {
        RunPolicy {
            prefer_markdown: true,
            ..RunPolicy::default()
        }
    }] {
        let server = server_of(EchoTool).with_policy(policy);
        let (client, _serving) = connect(server).await;
        let asked = call("eco", json!({ "text": "x" }));
        let (code, message) = protocol_error(client.call_tool(asked).await.unwrap_err());
        assert_eq!((code, message.as_str()), (-32602, "Unknown tool: eco"));
    }
}

#[tokio::test]
async fn a_forged_hidden_value_is_thrown_away_and_nobody_sees_the_parameter() {
    let log = EventLog::new();
    let events = log.clone();
    let server = server_of(WhoamiTool).with_sessions(move |_| {
        Ok(RunContext::new()
            .provide(User("ada"))
            .with_events(events.clone()))
    });
    let (client, _serving) = connect(server).await;
    let listed = client.list_all_tools().await.unwrap();
    let listed = serde_json::to_string(&listed).unwrap();
    assert!(
        !listed.contains("user") && !listed.contains("User"),
        "{listed}"
    );

    let asked = call("whoami", json!({ "user": "mallory" }));
    let result = client.call_tool(asked).await.unwrap();
    assert_eq!(text(&result), "ada");
    let told = serde_json::to_string(&log.events()).unwrap();
    assert!(!told.contains("mallory"), "{told}");
    assert!(log.events().iter().any(
        |event| matches!(event, AgentEvent::ForgedHiddenArgument { parameter, .. } if parameter == "user")
    ));
}

#[tokio::test]
async fn each_session_has_its_own_values() {
    let names = ["ada", "bob"];
    for (position, name) in names.into_iter().enumerate() {
        let server = server_of(WhoamiTool).with_sessions(move |session| {
            assert_eq!(session.client_name(), Some("tests"));
            assert_eq!(session.header("authorization"), None);
            Ok(RunContext::new().provide(User(names[position])))
        });
        let (client, _serving) = connect(server).await;
        let result = client.call_tool(call("whoami", json!({}))).await.unwrap();
        assert_eq!(text(&result), name);
    }
}

#[tokio::test]
async fn a_value_that_nobody_provides_is_told_to_the_host_before_it_serves() {
    let (_stream, serving) = spawn(server_of(WhoamiTool));
    let error = serving.await.unwrap().unwrap_err();
    let told = error.to_string();
    assert!(told.contains("with_sessions"), "{told}");
    let McpServeError::MissingValue {
        tool, parameter, ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((tool.as_str(), parameter.as_str()), ("whoami", "user"));
}

#[tokio::test]
async fn a_session_without_its_values_does_not_begin_and_the_client_learns_no_names() {
    let server = server_of(WhoamiTool).with_sessions(|_| Ok(RunContext::new()));
    let (stream, serving) = spawn(server);
    let error = serve_client(Client::default(), stream).await.unwrap_err();
    let told = error.to_string();
    assert!(told.contains("the session was refused"), "{told}");
    assert!(!told.to_lowercase().contains("user"), "{told}");
    // The host does.
    let error = serving.await.unwrap().unwrap_err();
    let told = format!("{error:?}");
    assert!(
        told.contains("`user`") && told.contains("with_sessions"),
        "{told}"
    );
}

#[derive(Clone)]
struct Greeting(Arc<str>);

/// Greets.
#[tool(read_only)]
fn greet(#[hidden] greeting: &Greeting, name: &str) -> String {
    format!("{}, {name}", greeting.0)
}

#[tokio::test]
async fn tools_get_the_state_of_the_server() {
    let server = server_of(GreetTool).with_state(Greeting("Hello".into()));
    let (client, _serving) = connect(server).await;
    let result = client
        .call_tool(call("greet", json!({ "name": "Ada" })))
        .await
        .unwrap();
    assert_eq!(text(&result), "Hello, Ada");
}

#[tokio::test]
async fn limits_hold_for_a_session() {
    let policy = RunPolicy {
        limits: RunLimits {
            max_tool_calls: 2,
            ..RunLimits::default()
        },
        ..RunPolicy::default()
    };
    let (client, _serving) = connect(server_of(EchoTool).with_policy(policy)).await;
    let mut told = Vec::new();
    for _ in 0..3 {
        let asked = call("echo", json!({ "text": "hi" }));
        told.push(text(&client.call_tool(asked).await.unwrap()));
    }
    assert_eq!(told, ["hi", "hi", "not run: limit"]);
}

#[tokio::test]
async fn what_a_policy_forbids_is_neither_listed_nor_run() {
    let registry = registry(tools![RemoveTool, EchoTool]);
    let strict = ToolPolicyMiddleware::strict(registry.policies());
    let server = McpServer::new(registry).with_middleware(strict);
    let (client, _serving) = connect(server).await;
    let listed = client.list_all_tools().await.unwrap();
    let names: Vec<&str> = listed.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["echo"]);
    let asked = call("remove", json!({ "path": "/" }));
    match client.call_tool(asked).await {
        Ok(result) => assert!(is_error(&result) && !text(&result).contains("removed")),
        Err(error) => assert_eq!(protocol_error(error).0, -32602),
    }
}

#[tokio::test]
async fn an_external_tool_says_that_nobody_answers_it_here() {
    let mut registry = registry(tools![EchoTool]);
    let ask = ToolSchema::new("ask_user", "Ask.", json!({ "type": "object" }));
    registry.register_external(ask).unwrap();
    let (client, _serving) = connect(McpServer::new(registry)).await;
    assert_eq!(client.list_all_tools().await.unwrap().len(), 2);
    let result = client.call_tool(call("ask_user", json!({}))).await.unwrap();
    assert!(is_error(&result));
    assert!(text(&result).starts_with("not run:"), "{}", text(&result));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_calls_each_get_their_own_answer() {
    let (client, _serving) = connect(server_of(EchoTool)).await;
    let client = Arc::new(client);
    let mut workers = tokio::task::JoinSet::new();
    for worker in 0..50 {
        let client = Arc::clone(&client);
        workers.spawn(async move {
            for number in 0..200 {
                let said = format!("{worker}/{number}");
                let asked = call("echo", json!({ "text": said }));
                assert_eq!(text(&client.call_tool(asked).await.unwrap()), said);
            }
        });
    }
    workers.join_all().await;
}

/// Says which call it is.
#[tool(read_only)]
fn call_id(#[hidden] ctx: &dyn ToolRunContext) -> String {
    ctx.call_id().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn every_call_of_a_session_has_an_id_of_its_own() {
    let (client, _serving) = connect(server_of(CallIdTool)).await;
    let mut ids = std::collections::HashSet::new();
    for _ in 0..20 {
        let result = client.call_tool(call("call_id", json!({}))).await.unwrap();
        assert!(ids.insert(text(&result)));
    }
}
