//! Requests without sessions, as of revision 2026-07-28, over HTTP: each is a session of its own.
#![cfg(feature = "mcp")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "test code")]

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::json;
use tinyagents::effects::MemoryLedger;
use tinyagents::mcp::McpServer;
use tinyagents::mcp::rmcp::model::SubscriptionFilter;
use tinyagents::{RunContext, RunLimits, ToolRunContext, tool, tools};

use mcp_places_support::{EchoTool, Places, connect, serve};
use mcp_server_support::house::{ShoutTool, Switch, house};
use mcp_server_support::{Client, call, is_error, registry, text};

mod mcp_places_support;
mod mcp_server_support;

#[tokio::test]
async fn limits_hold_over_all_requests_whose_contexts_are_children_of_one() {
    for (is_shared, expected) in [(true, [false, false, true]), (false, [false; 3])] {
        let places = Arc::<Places>::default();
        let limited = || {
            RunContext::new().with_limits(RunLimits {
                max_tool_calls: 2,
                ..RunLimits::default()
            })
        };
        let user = limited();
        let server = McpServer::new(registry(tools![EchoTool])).with_sessions(move |_| {
            let ctx = if is_shared { user.child() } else { limited() };
            Ok(ctx.provide(places.take()))
        });
        let client = connect(serve(server).await, Client::default()).await;
        for is_refused in expected {
            let asked = client.call_tool(call("echo", json!({ "text": "a" })));
            assert_eq!(is_error(&asked.await.unwrap()), is_refused);
        }
    }
}

#[tokio::test]
async fn what_one_request_has_found_another_one_calls() {
    let client = connect(
        serve(McpServer::new(registry(tools![ShoutTool]))).await,
        Client::default(),
    );
    let client = client.await;
    let asked = client.call_tool(call("tool_search", json!({ "query": "shout text" })));
    assert!(text(&asked.await.unwrap()).contains("shout"));
    let arguments = json!({ "name": "shout", "arguments": { "text": "a" } });
    let asked = client.call_tool(call("tool_call", arguments)).await;
    assert_eq!(text(&asked.unwrap()), "A");
}

#[tokio::test]
async fn who_listens_is_told_what_calls_of_other_requests_have_changed_once() {
    let switch = Switch::default();
    let user = RunContext::new();
    let ended = user.cancellation_token().clone();
    let server = house(&switch).with_sessions(move |_| Ok(user.child()));
    let host = server.tool_list_changes();
    let address = serve(server).await;
    let (listener, caller) = (
        connect(address, Client::default()).await,
        connect(address, Client::default()).await,
    );
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut news = listener.listen(filter).await.unwrap();
    for _ in 0..3 {
        caller.call_tool(call("turn_on", json!({}))).await.unwrap();
    }
    news.next().await.unwrap();
    let names = listener.list_all_tools().await.unwrap();
    let names: Vec<&str> = names.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["lamp", "turn_on"]);
    // A call that changes nothing is no news; what the host tells is.
    caller.call_tool(call("turn_on", json!({}))).await.unwrap();
    host.notify();
    // The stream's end comes after all that is to be told.
    ended.cancel();
    let mut more = 0;
    while news.next().await.unwrap().is_some() {
        more += 1;
    }
    assert_eq!(more, 1);
}

/// Pays, and says for which call.
#[tool]
fn pay(#[hidden] ctx: &dyn ToolRunContext) -> String {
    ctx.call_id().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_call_of_another_request_of_one_run_is_another_call() {
    let ledger = Arc::<MemoryLedger>::default();
    let server = McpServer::new(registry(tools![PayTool])).with_sessions(move |_| {
        Ok(RunContext::new()
            .with_run_id("r1")
            .with_tool_effect_ledger(Arc::clone(&ledger)))
    });
    let client = connect(serve(server).await, Client::default()).await;
    let mut ids = HashSet::new();
    for _ in 0..2 {
        let asked = client.call_tool(call("pay", json!({}))).await;
        let id = text(&asked.unwrap());
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        assert!(id.len() <= 40 && id.chars().all(is_plain), "{id}");
        // A recorded answer would be that of the first call.
        assert!(ids.insert(id));
    }
}
