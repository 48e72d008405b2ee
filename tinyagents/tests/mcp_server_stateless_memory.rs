//! What requests without sessions leave behind in the server's process, counted by the allocator.
#![cfg(feature = "mcp")]
#![allow(clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;

use peak_alloc::PeakAlloc;
use serde_json::json;
use tinyagents::mcp::McpServer;
use tinyagents::mcp::rmcp::RoleClient;
use tinyagents::mcp::rmcp::service::RunningService;
use tinyagents::{RunContext, tools};

use mcp_places_support::{EchoTool, Places, connect, serve};
use mcp_server_support::{Client, call, registry, text};

mod mcp_places_support;
mod mcp_server_support;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

async fn echo_often(client: &RunningService<RoleClient, Client>, times: usize) {
    for _ in 0..times {
        let asked = client.call_tool(call("echo", json!({ "text": "a" })));
        assert_eq!(text(&asked.await.unwrap()), "a");
    }
}

/// One test, since what is allocated is counted for the whole process.
#[tokio::test]
async fn thousands_of_requests_leave_nothing_behind() {
    const MANY: usize = 1_000;
    let places = Arc::<Places>::default();
    let taken = Arc::clone(&places);
    // The longest-lived thing that a session may hang on.
    let parent = RunContext::new();
    let server = McpServer::new(registry(tools![EchoTool]))
        .with_sessions(move |_| Ok(parent.child().provide(taken.take())));
    let client = connect(serve(server).await, Client::default()).await;
    echo_often(&client, MANY).await;
    let begun = places.settled().await;
    let before = ALLOCATOR.current_usage();
    echo_often(&client, MANY).await;
    assert_eq!(places.settled().await, begun + MANY);
    let grown = ALLOCATOR.current_usage().saturating_sub(before);
    println!("{grown} bytes more after {MANY} requests more");
    assert!(grown < 16 * MANY, "{grown}");
}
