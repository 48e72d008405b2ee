//! Clients learn that the tools have changed.
#![cfg(feature = "mcp")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "test code")]

use serde_json::json;
use tinyagents::mcp::McpServer;
use tinyagents::mcp::rmcp::model::SubscriptionFilter;
use tinyagents::toolset::ToolSetExt;
use tinyagents::{RunContext, ToolRegistry, tools};

use mcp_server_support::house::{LampTool, ShoutTool, Switch, house};
use mcp_server_support::{
    Client, Connected, Lifecycle, call, connect_as, protocol_error, registry, server_of, text,
};

mod mcp_server_support;

async fn names((client, _): &Connected) -> Vec<String> {
    let listed = client.list_all_tools().await.unwrap();
    listed.iter().map(|tool| tool.name.to_string()).collect()
}

#[tokio::test]
async fn a_set_that_varies_is_told_and_its_tools_are_callable() {
    let switch = Switch::default();
    let told = Client::default();
    let connected = connect_as(house(&switch), told.clone(), Lifecycle::Handshake).await;
    let client = &connected.0;
    let info = client.peer_info().unwrap();
    assert_eq!(
        info.capabilities.tools.as_ref().unwrap().list_changed,
        Some(true)
    );
    assert_eq!(
        info.instructions.as_deref(),
        Some("House.\n\nTurn the lamp on first.")
    );

    assert_eq!(names(&connected).await, ["turn_on"]);
    let early = client.call_tool(call("lamp", json!({}))).await.unwrap_err();
    assert_eq!(protocol_error(early).0, -32602);
    client.call_tool(call("turn_on", json!({}))).await.unwrap();
    told.changed.notified().await;
    assert_eq!(names(&connected).await, ["lamp", "turn_on"]);
    let result = client.call_tool(call("lamp", json!({}))).await.unwrap();
    assert_eq!(text(&result), "light");
}

#[tokio::test]
async fn a_host_that_knows_earlier_tells_every_client() {
    let switch = Switch::default();
    let server = house(&switch);
    let changes = server.tool_list_changes();
    let told = Client::default();
    let connected = connect_as(server, told.clone(), Lifecycle::Handshake).await;
    assert_eq!(names(&connected).await, ["turn_on"]);
    switch.turn_on();
    changes.notify();
    told.changed.notified().await;
    assert_eq!(names(&connected).await, ["lamp", "turn_on"]);
}

#[tokio::test]
async fn a_client_without_handshake_is_told_where_it_listens() {
    let switch = Switch::default();
    let server = house(&switch);
    let connected = connect_as(server, Client::default(), Lifecycle::Stateless).await;
    assert_eq!(names(&connected).await, ["turn_on"]);
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut news = connected.0.listen(filter).await.unwrap();
    let asked = call("turn_on", json!({}));
    connected.0.call_tool(asked).await.unwrap();
    news.next().await.unwrap();
    assert_eq!(names(&connected).await, ["lamp", "turn_on"]);
}

#[tokio::test(start_paused = true)]
async fn who_listens_looks_once_for_many_calls_and_misses_none_of_their_changes() {
    const CALLS: usize = 1_000;
    let switch = Switch::default();
    let connected = connect_as(house(&switch), Client::default(), Lifecycle::Stateless).await;
    let client = &connected.0;
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut news = client.listen(filter).await.unwrap();
    let before = switch.times_asked();
    for _ in 0..CALLS {
        let unknown = client.call_tool(call("lamp", json!({}))).await;
        assert_eq!(protocol_error(unknown.unwrap_err()).0, -32602);
    }
    // Each call asks once for itself.
    let looks = switch.times_asked() - before - CALLS;
    assert!(looks < 10, "{looks}");
    client.call_tool(call("turn_on", json!({}))).await.unwrap();
    news.next().await.unwrap();
    assert_eq!(names(&connected).await, ["lamp", "turn_on"]);
}

#[tokio::test(start_paused = true)]
async fn a_change_shortly_before_the_end_is_told_first() {
    let switch = Switch::default();
    let user = RunContext::new();
    let ended = user.cancellation_token().clone();
    let server = house(&switch).with_sessions(move |_| Ok(user.child()));
    let connected = connect_as(server, Client::default(), Lifecycle::Stateless).await;
    let client = &connected.0;
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut news = client.listen(filter).await.unwrap();
    let before = switch.times_asked();
    drop(client.call_tool(call("lamp", json!({}))).await);
    while switch.times_asked() < before + 2 {
        tokio::task::yield_now().await;
    }
    client.call_tool(call("turn_on", json!({}))).await.unwrap();
    ended.cancel();
    assert!(news.next().await.unwrap().is_some());
    assert!(news.next().await.unwrap().is_none());
}

#[tokio::test]
async fn what_a_search_has_found_is_listed_from_then_on() {
    let server = McpServer::new(registry(tools![ShoutTool]));
    let told = Client::default();
    let connected = connect_as(server, told.clone(), Lifecycle::Handshake).await;
    assert_eq!(names(&connected).await, ["tool_search", "tool_call"]);
    let asked = call("tool_search", json!({ "query": "shout text" }));
    let found = connected.0.call_tool(asked).await.unwrap();
    assert!(text(&found).contains("shout"), "{}", text(&found));
    told.changed.notified().await;
    assert_eq!(
        names(&connected).await,
        ["tool_search", "tool_call", "shout"]
    );
    for asked in [
        call("shout", json!({ "text": "a" })),
        call(
            "tool_call",
            json!({ "name": "shout", "arguments": { "text": "a" } }),
        ),
    ] {
        let result = connected.0.call_tool(asked).await.unwrap();
        assert_eq!(text(&result), "A");
    }
}

#[tokio::test]
async fn a_server_whose_tools_never_change_says_so() {
    let connected = connect_as(server_of(LampTool), Client::default(), Lifecycle::Handshake).await;
    let info = connected.0.peer_info().unwrap();
    assert_eq!(info.capabilities.tools.as_ref().unwrap().list_changed, None);
}

#[tokio::test]
async fn a_renamed_tool_goes_by_its_new_name() {
    let set = registry(tools![LampTool]).prefixed("house");
    let server = McpServer::new(ToolRegistry::new()).with_toolset(set);
    let connected = connect_as(server, Client::default(), Lifecycle::Handshake).await;
    assert_eq!(names(&connected).await, ["house_lamp"]);
    let result = connected.0.call_tool(call("house_lamp", json!({})));
    assert_eq!(text(&result.await.unwrap()), "light");
    let unknown = connected.0.call_tool(call("lamp", json!({}))).await;
    assert_eq!(protocol_error(unknown.unwrap_err()).0, -32602);
}
