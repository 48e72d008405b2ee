//! Requests without sessions, as of revision 2026-07-28, over HTTP: each is a session of its own.
#![cfg(feature = "mcp")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "test code")]

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use peak_alloc::PeakAlloc;
use serde_json::json;
use tinyagents::effects::MemoryLedger;
use tinyagents::mcp::rmcp::RoleClient;
use tinyagents::mcp::rmcp::model::SubscriptionFilter;
use tinyagents::mcp::rmcp::service::{RunningService, serve_client_with_lifecycle};
use tinyagents::mcp::rmcp::transport::StreamableHttpClientTransport;
use tinyagents::mcp::rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tinyagents::mcp::{HttpTransport, McpServer};
use tinyagents::{RunContext, RunLimits, ToolRunContext, tool, tools};
use tokio::sync::Notify;

use mcp_server_support::house::{ShoutTool, Switch, house};
use mcp_server_support::{Client, Lifecycle, call, is_error, registry, text};

mod mcp_server_support;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// What each session has one of.
struct Place(Arc<Places>);

#[derive(Default)]
struct Places {
    made: AtomicUsize,
    left: AtomicUsize,
    changed: Notify,
}

impl Places {
    fn take(self: &Arc<Self>) -> Place {
        self.made.fetch_add(1, Ordering::SeqCst);
        Place(Arc::clone(self))
    }

    /// Both counts, once they are the same.
    async fn settled(&self) -> usize {
        while self.made.load(Ordering::SeqCst) != self.left.load(Ordering::SeqCst) {
            self.changed.notified().await;
        }
        self.made.load(Ordering::SeqCst)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.left.fetch_add(1, Ordering::SeqCst);
        self.0.changed.notify_one();
    }
}

/// Says whether its place is that of the session.
#[tool(read_only)]
fn echo(#[hidden] place: &Place, text: String) -> String {
    assert!(place.0.made.load(Ordering::SeqCst) > place.0.left.load(Ordering::SeqCst));
    text
}

/// Where a server of this process listens; it ends with the test.
async fn serve(server: McpServer) -> SocketAddr {
    let http = HttpTransport::bind("127.0.0.1:0".parse().unwrap());
    let http = http.await.unwrap();
    let address = http.local_addr().unwrap();
    tokio::spawn(server.serve(http));
    address
}

async fn connect(address: SocketAddr, client: Client) -> RunningService<RoleClient, Client> {
    let url = format!("http://{address}/mcp");
    let config = StreamableHttpClientTransportConfig::with_uri(url);
    let transport = StreamableHttpClientTransport::from_config(config);
    let running = serve_client_with_lifecycle(client, transport, Lifecycle::Stateless.mode());
    running.await.unwrap()
}

async fn echo_often(client: &RunningService<RoleClient, Client>, times: usize) {
    for _ in 0..times {
        let asked = client.call_tool(call("echo", json!({ "text": "a" })));
        assert_eq!(text(&asked.await.unwrap()), "a");
    }
}

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
