//! Clients learn that the tools have changed.
#![cfg(feature = "mcp")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tinyagents::mcp::McpServer;
use tinyagents::mcp::rmcp::model::SubscriptionFilter;
use tinyagents::toolset::ToolSetExt;
use tinyagents::{
    RunContext, TinyAgentsError, Tool, ToolRegistry, ToolSet, async_trait, tool, tools,
};

use mcp_server_support::{
    Client, Connected, Lifecycle, call, connect_as, protocol_error, registry, server_of, text,
};

mod mcp_server_support;

#[derive(Clone, Default)]
struct Switch(Arc<AtomicBool>);

/// Turns the other tool on.
#[tool(idempotent)]
fn turn_on(#[hidden] switch: &Switch) -> String {
    switch.0.store(true, Ordering::SeqCst);
    "on".to_owned()
}

/// Is there when it is on.
#[tool(read_only)]
fn lamp() -> String {
    "light".to_owned()
}

/// Changes a text that nobody asks for at first.
#[tool(read_only, exposure = Deferred)]
fn shout(text: &str) -> String {
    text.to_uppercase()
}

/// Shows its tools while the switch is on.
struct Switched {
    switch: Switch,
    tools: Vec<Arc<dyn Tool>>,
}

#[async_trait]
impl ToolSet for Switched {
    async fn tools(&self, _: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        let is_on = self.switch.0.load(Ordering::SeqCst);
        Ok(if is_on {
            self.tools.clone()
        } else {
            Vec::new()
        })
    }

    fn instructions(&self) -> Option<String> {
        Some("Turn the lamp on first.".to_owned())
    }
}

fn server(switch: &Switch) -> McpServer {
    let set = Switched {
        switch: switch.clone(),
        tools: tools![LampTool],
    };
    McpServer::new(registry(tools![TurnOnTool]))
        .with_state(switch.clone())
        .with_instructions("House.")
        .with_toolset(set)
}

async fn names((client, _): &Connected) -> Vec<String> {
    let listed = client.list_all_tools().await.unwrap();
    listed.iter().map(|tool| tool.name.to_string()).collect()
}

#[tokio::test]
async fn a_set_that_varies_is_told_and_its_tools_are_callable() {
    let switch = Switch::default();
    let told = Client::default();
    let connected = connect_as(server(&switch), told.clone(), Lifecycle::Handshake).await;
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
    let server = server(&switch);
    let changes = server.tool_list_changes();
    let told = Client::default();
    let connected = connect_as(server, told.clone(), Lifecycle::Handshake).await;
    assert_eq!(names(&connected).await, ["turn_on"]);
    switch.0.store(true, Ordering::SeqCst);
    changes.notify();
    told.changed.notified().await;
    assert_eq!(names(&connected).await, ["lamp", "turn_on"]);
}

#[tokio::test]
async fn a_client_without_handshake_is_told_where_it_listens() {
    let switch = Switch::default();
    let server = server(&switch);
    let connected = connect_as(server, Client::default(), Lifecycle::Stateless).await;
    assert_eq!(names(&connected).await, ["turn_on"]);
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut news = connected.0.listen(filter).await.unwrap();
    let asked = call("turn_on", json!({}));
    connected.0.call_tool(asked).await.unwrap();
    news.next().await.unwrap();
    assert_eq!(names(&connected).await, ["lamp", "turn_on"]);
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
