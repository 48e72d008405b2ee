//! What a client may send that it shouldn't, line by line.
#![cfg(feature = "mcp")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "test code")]

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tinyagents::mcp::{McpServeError, McpServer};
use tinyagents::{AgentDefinition, RunContext, ToolRegistry, tool};
use tokio::io::AsyncWriteExt;

use mcp_server_support::wire::Wire;
use mcp_server_support::{server_of, spawn};

mod mcp_server_support;

/// Says it back.
#[tool(read_only)]
fn echo(text: String) -> String {
    text
}

static PAID: AtomicUsize = AtomicUsize::new(0);

/// Pays.
#[tool(destructive)]
fn pay() -> String {
    PAID.fetch_add(1, Ordering::SeqCst);
    "paid".to_owned()
}

async fn begin() -> Wire {
    let mut registry = ToolRegistry::new();
    registry.register(EchoTool).unwrap();
    registry.register(PayTool).unwrap();
    Wire::begin(McpServer::new(registry)).await
}

/// The session still works.
async fn check(wire: &mut Wire) {
    let told = wire
        .ask(&json!({
            "jsonrpc": "2.0", "id": "check", "method": "tools/call",
            "params": { "name": "echo", "arguments": { "text": "still here" } }
        }))
        .await;
    assert_eq!(told["id"], "check", "{told}");
    assert_eq!(told["result"]["content"][0]["text"], "still here", "{told}");
}

#[tokio::test]
async fn malformed_requests_get_an_error_and_the_session_goes_on() {
    let mut wire = begin().await;
    for (position, params) in [
        json!({}),
        json!({ "name": 7 }),
        json!({ "name": "echo", "arguments": [1] }),
        json!({ "name": "echo", "arguments": "text" }),
        json!({ "name": null, "arguments": {} }),
        json!([]),
        json!(null),
    ]
    .into_iter()
    .enumerate()
    {
        let id = position + 1;
        let told = wire
            .ask(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
            .await;
        // What can't be read at all has no id either.
        assert!(told["id"] == id || told["id"].is_null(), "{told}");
        assert!(
            told["error"]["code"].as_i64().is_some_and(|code| code < 0),
            "{told}"
        );
        check(&mut wire).await;
    }
}

#[tokio::test]
async fn lines_that_are_no_message_do_not_end_the_session() {
    let mut wire = begin().await;
    for line in [
        "",
        "   ",
        "{\"jsonrpc\":\"2.0\",",
        "\u{0}\u{1}",
        "[]",
        "{}",
        "7",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":99}}",
        "{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":99,\"error\":{\"code\":1,\"message\":\"x\"}}",
    ] {
        wire.send(line).await;
        // Whatever comes of it comes before the answer.
        let asked = json!({
            "jsonrpc": "2.0", "id": "check", "method": "tools/call",
            "params": { "name": "echo", "arguments": { "text": "still here" } }
        });
        wire.send(&asked.to_string()).await;
        loop {
            let told = wire.receive().await;
            if told["id"] == "check" {
                assert_eq!(told["result"]["content"][0]["text"], "still here", "{told}");
                break;
            }
            assert!(told.get("error").is_some(), "{line}: {told}");
        }
    }
}

#[tokio::test]
async fn what_is_not_offered_is_not_found() {
    let mut wire = begin().await;
    for method in [
        "resources/list",
        "prompts/list",
        "completion/complete",
        "logging/setLevel",
        "x/y",
    ] {
        let params = match method {
            "completion/complete" => json!({
                "ref": { "type": "ref/prompt", "name": "x" }, "argument": { "name": "a", "value": "b" }
            }),
            "logging/setLevel" => json!({ "level": "info" }),
            _ => json!({}),
        };
        let told = wire
            .ask(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
            .await;
        assert_eq!(told["error"]["code"], -32601, "{method}: {told}");
    }
    let told = wire
        .ask(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": { "cursor": "x" } }))
        .await;
    assert_eq!(told["error"]["code"], -32602, "{told}");
}

#[tokio::test]
async fn absent_arguments_are_none_and_the_schema_decides() {
    let mut wire = begin().await;
    for params in [
        json!({ "name": "echo" }),
        json!({ "name": "echo", "arguments": null }),
        json!({ "name": "echo", "arguments": {} }),
    ] {
        let told = wire
            .ask(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }))
            .await;
        assert_eq!(told["result"]["isError"], true, "{told}");
        let text = told["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("text"), "{text}");
    }
}

#[tokio::test]
async fn a_client_that_says_nothing_ends_the_server_and_one_that_says_no_hello_does_not_begin() {
    let (stream, serving) = spawn(server_of(EchoTool));
    drop(stream);
    serving.await.unwrap().unwrap();

    let (stream, serving) = spawn(server_of(EchoTool));
    let (_reader, mut writer) = tokio::io::split(stream);
    let hello = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    writer.write_all(hello).await.unwrap();
    let error = serving.await.unwrap().unwrap_err();
    assert!(matches!(error, McpServeError::Handshake(_)), "{error}");
}

#[tokio::test]
async fn a_call_that_is_cancelled_before_it_begins_does_not_run() {
    let mut wire = begin().await;
    let call =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "pay" } });
    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 }
    });
    // In one piece, so that both are there before anything is done.
    wire.send(&format!("{call}\n{cancel}")).await;
    check(&mut wire).await;
    assert_eq!(PAID.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_session_that_is_revoked_runs_nothing_any_more_and_a_list_holds_for_every_call() {
    let mut registry = ToolRegistry::new();
    registry.register(EchoTool).unwrap();
    registry.register(PayTool).unwrap();
    let session =
        RunContext::new().with_definition(AgentDefinition::new("clerk").with_tools(["echo"]));
    let token = session.cancellation_token().clone();
    let server = McpServer::new(registry).with_sessions(move |_| Ok(session.clone()));
    let mut wire = Wire::begin(server).await;
    let call = |name: &str| {
        json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": name, "arguments": { "text": "hello" } }
        })
    };
    for _ in 0..3 {
        let told = wire.ask(&call("pay")).await;
        assert!(
            told["result"]["isError"] == true || told.get("error").is_some(),
            "{told}"
        );
        check(&mut wire).await;
    }
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let told = wire.ask(&list).await;
    assert_eq!(
        told["result"]["tools"].as_array().unwrap().len(),
        1,
        "{told}"
    );
    token.cancel();
    for _ in 0..3 {
        let told = wire.ask(&call("echo")).await;
        assert_eq!(told["result"]["isError"], true, "{told}");
        assert!(!told.to_string().contains("hello"), "{told}");
    }
    assert_eq!(PAID.load(Ordering::SeqCst), 0);
}
