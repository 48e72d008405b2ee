//! How much clients can have under way at a server.
#![cfg(feature = "mcp")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "test code")]

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tinyagents::mcp::{HttpTransport, McpServer};
use tinyagents::middleware::{Middleware, ToolDecision};
use tinyagents::model::ToolCall;
use tinyagents::{
    RunContext, RunLimits, RunPolicy, TinyAgentsError, Tool, ToolRunContext, ToolSet, async_trait,
    tool, tools,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore};

use mcp_server_support::registry;
use mcp_server_support::wire::{INITIALIZED, Wire};

mod mcp_server_support;

/// What calls wait for, and how many of them have begun and ended.
#[derive(Clone)]
struct Door {
    opened: Arc<Semaphore>,
    begun: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
    entered: Arc<Notify>,
}

impl Door {
    fn closed() -> Self {
        Self {
            opened: Arc::new(Semaphore::new(0)),
            begun: Arc::default(),
            ended: Arc::default(),
            entered: Arc::default(),
        }
    }

    fn open(&self) {
        self.opened.close();
    }

    fn has_ended(&self) -> usize {
        self.ended.load(Ordering::SeqCst)
    }
}

struct Ended<'a>(&'a Door);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::SeqCst);
    }
}

/// Waits until it is let through, or nobody wants it any more.
#[tool(read_only)]
async fn pass(#[hidden] door: &Door) -> String {
    go_through(door).await
}

/// Waits until it is let through, whoever wants it or not.
#[tool(read_only, cancelable = false)]
async fn insist(#[hidden] door: &Door, #[hidden] ctx: &dyn ToolRunContext) -> String {
    assert!(!ctx.is_cancelled());
    go_through(door).await
}

async fn go_through(door: &Door) -> String {
    let _ended = Ended(door);
    door.begun.fetch_add(1, Ordering::SeqCst);
    door.entered.notify_one();
    drop(door.opened.acquire().await);
    "through".to_owned()
}

fn server(door: &Door) -> McpServer {
    McpServer::new(registry(tools![PassTool, InsistTool])).with_state(door.clone())
}

fn request(id: usize, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn said(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn calls_beyond_the_bound_are_answered_at_once_and_the_client_is_read_all_the_while() {
    const CALLS: usize = 10_000;
    const MOST: usize = 256;
    let door = Door::closed();
    let Wire {
        mut lines,
        mut writer,
    } = Wire::begin(server(&door)).await;
    let mut receive = async || -> Value {
        serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap()
    };
    let before = Handle::current().metrics().num_alive_tasks();

    let sending = tokio::spawn(async move {
        for id in 1..=CALLS {
            let call = request(id, "tools/call", &json!({ "name": "pass" }));
            writer
                .write_all(format!("{call}\n").as_bytes())
                .await
                .unwrap();
        }
        writer
    });
    let mut answered = HashSet::new();
    let mut most_tasks = 0;
    for _ in MOST..CALLS {
        let answer = receive().await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(said(&answer).contains("call again"), "{answer}");
        assert!(answered.insert(answer["id"].as_u64().unwrap()));
        most_tasks = most_tasks.max(Handle::current().metrics().num_alive_tasks());
    }
    println!("{} tasks at most, for {MOST} calls", most_tasks - before);
    // Besides: at most 1,024 that were read, and the answers on their way.
    assert!(most_tasks - before < 2_048, "{most_tasks}");

    // A call that waits is cancelled, and its place is free again.
    let mut writer = sending.await.unwrap();
    let waiting = (1..=CALLS as u64)
        .find(|id| !answered.contains(id))
        .unwrap();
    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": waiting }
    });
    let ping = request(CALLS + 1, "ping", &json!({}));
    let list = request(CALLS + 2, "tools/list", &json!({}));
    writer
        .write_all(format!("{cancel}\n{ping}\n{list}\n").as_bytes())
        .await
        .unwrap();
    for _ in 0..2 {
        let answer = receive().await;
        assert!(answer.get("result").is_some(), "{answer}");
        assert!(answer["id"].as_u64().unwrap() > CALLS as u64, "{answer}");
    }
    assert_eq!(door.has_ended(), 1);

    door.open();
    answered.insert(waiting);
    for _ in 1..MOST {
        let answer = receive().await;
        assert_eq!(said(&answer), "through", "{answer}");
        assert!(answered.insert(answer["id"].as_u64().unwrap()));
    }
    assert_eq!(answered.len(), CALLS);
    let call = request(CALLS + 3, "tools/call", &json!({ "name": "pass" }));
    writer
        .write_all(format!("{call}\n").as_bytes())
        .await
        .unwrap();
    assert_eq!(said(&receive().await), "through");
}

/// A middleware that can't be relied upon.
struct Broken;

#[async_trait]
impl Middleware for Broken {
    async fn before_tool(
        &self,
        _: &mut RunContext,
        _: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        panic!("broken")
    }
}

#[tokio::test]
async fn calls_are_answered_where_a_middleware_panics_and_their_places_are_free_again() {
    let server = server(&Door::closed()).with_middleware(Broken);
    let mut wire = Wire::begin(server).await;
    for id in 1..=300 {
        let call = request(id, "tools/call", &json!({ "name": "pass" }));
        let answer = wire.ask(&call).await;
        assert_eq!(answer["id"], id, "{answer}");
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
    }
}

/// Takes as long as the door is closed.
struct Slow(Door);

#[async_trait]
impl ToolSet for Slow {
    async fn tools(&self, _: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        if self.0.begun.fetch_add(1, Ordering::SeqCst) > 1 {
            drop(self.0.opened.acquire().await);
        }
        Ok(Vec::new())
    }
}

#[tokio::test(start_paused = true)]
async fn requests_that_wait_for_a_toolset_are_bounded_too() {
    const LISTS: usize = 1_000;
    const MOST: usize = 256;
    let door = Door::closed();
    let server = server(&door).with_toolset(Slow(door.clone()));
    let mut wire = Wire::begin(server).await;
    for id in 1..=LISTS {
        let list = request(id, "tools/list", &json!({}));
        wire.send(&list.to_string()).await;
    }
    for _ in MOST..LISTS {
        let answer = wire.receive().await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
    }
    door.open();
    for _ in 0..MOST {
        let answer = wire.receive().await;
        assert!(answer["result"]["tools"].is_array(), "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_says_hello_again_and_again_is_told_of_a_change_once() {
    let door = Door::closed();
    let server = server(&door);
    let changes = server.tool_list_changes();
    let mut wire = Wire::begin(server).await;
    let before = Handle::current().metrics().num_alive_tasks();
    for _ in 0..1_000 {
        wire.send(INITIALIZED).await;
    }
    wire.ask(&request(1, "ping", &json!({}))).await;
    tokio::task::yield_now().await;
    assert!(Handle::current().metrics().num_alive_tasks() < before + 10);
    changes.notify();
    let told = wire.receive().await;
    assert_eq!(told["method"], "notifications/tools/list_changed");
    let told = wire.ask(&request(2, "ping", &json!({}))).await;
    assert_eq!(told["id"], 2, "{told}");
}

/// What is in a request of a client without sessions.
fn sessionless() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "wire", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

async fn post(address: SocketAddr, headers: &str, message: &Value) -> TcpStream {
    let body = message.to_string();
    let method = message["method"].as_str().unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Accept: application/json, text/event-stream\r\nMcp-Method: {method}\r\n{headers}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

async fn whole(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

async fn serve(door: &Door) -> SocketAddr {
    let http = HttpTransport::bind("127.0.0.1:0".parse().unwrap());
    let http = http.await.unwrap();
    let address = http.local_addr().unwrap();
    let policy = RunPolicy {
        max_concurrent_tools: 10_000,
        limits: RunLimits {
            max_tool_calls: u32::MAX,
            ..RunLimits::default()
        },
        ..RunPolicy::default()
    };
    tokio::spawn(server(door).with_policy(policy).serve(http));
    address
}

/// That many calls are begun and left, and a further one is refused; until the others have ended.
async fn leave_calls(door: &Door, most: usize, call: impl AsyncFn() -> TcpStream) {
    for _ in 0..most {
        let stream = call().await;
        door.entered.notified().await;
        drop(stream);
    }
    let refused = call().await;
    tokio::select! {
        answer = whole(refused) => assert!(answer.contains("call again"), "{answer}"),
        () = door.entered.notified() => panic!("there is no bound"),
    }
    assert_eq!(door.has_ended(), 0);
    door.open();
    while door.has_ended() < most {
        tokio::task::yield_now().await;
    }
    let answer = whole(call().await).await;
    assert!(answer.contains("through"), "{answer}");
}

#[tokio::test]
async fn calls_that_clients_without_sessions_leave_behind_are_bounded() {
    let door = Door::closed();
    let address = serve(&door).await;
    let asked = json!({ "name": "insist", "_meta": sessionless() });
    let asked = request(1, "tools/call", &asked);
    let headers = "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Name: insist\r\n";
    leave_calls(&door, 2_048, || post(address, headers, &asked)).await;
}

#[tokio::test]
async fn calls_that_a_client_leaves_behind_in_its_session_are_bounded() {
    let door = Door::closed();
    let address = serve(&door).await;
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "wire", "version": "1" }
    });
    let greeted = whole(post(address, "", &request(0, "initialize", &hello)).await).await;
    let session = greeted.lines().find_map(|line| {
        line.to_lowercase()
            .strip_prefix("mcp-session-id: ")
            .map(str::to_owned)
    });
    let headers = format!(
        "Mcp-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: {}\r\n",
        session.unwrap()
    );
    let ready = serde_json::from_str(INITIALIZED).unwrap();
    whole(post(address, &headers, &ready).await).await;
    let ids = AtomicUsize::new(1);
    let call = async || {
        let id = ids.fetch_add(1, Ordering::SeqCst);
        let asked = request(id, "tools/call", &json!({ "name": "insist" }));
        post(address, &headers, &asked).await
    };
    leave_calls(&door, 256, call).await;
}
