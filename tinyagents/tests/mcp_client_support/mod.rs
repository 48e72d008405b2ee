//! The other end of a connection, by hand: a server that says what a test wants it to say.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::must_use_candidate
)]

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tinyagents::mcp::{McpToolSet, McpToolSetBuilder, McpTransport};
use tinyagents::toolset::ToolSet;
use tinyagents::{RunContext, Tool};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex,
    split,
};

/// The server's end of a connection.
pub struct Wire {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
}

/// A transport, and its other end.
pub fn wire() -> (McpTransport, Wire) {
    let (ours, theirs) = duplex(64 * 1024);
    let (read, write) = split(ours);
    (McpTransport::streams(read, write), Wire::new(theirs))
}

/// A transport that can be had again: each of these ends is taken in turn; then there is no server any more.
pub fn wires(count: usize) -> (McpTransport, Vec<Wire>) {
    let mut ours = VecDeque::new();
    let mut wires = Vec::new();
    for _ in 0..count {
        let (here, there) = duplex(64 * 1024);
        ours.push_back(split(here));
        wires.push(Wire::new(there));
    }
    let ours = Arc::new(Mutex::new(ours));
    let transport = McpTransport::streams_from(move || {
        let next = ours.lock().unwrap().pop_front();
        async move { next.ok_or_else(|| io::Error::other("no server is left")) }
    });
    (transport, wires)
}

impl Wire {
    fn new(stream: DuplexStream) -> Self {
        let (read, write) = split(stream);
        Self {
            lines: BufReader::new(read).lines(),
            write,
        }
    }

    /// The next message; `None` at the end.
    pub async fn next(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.ok()??;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// The next message of that method; what comes before it is passed over.
    pub async fn next_of(&mut self, method: &str) -> Value {
        loop {
            let message = self.next().await.unwrap();
            if message["method"] == method {
                return message;
            }
        }
    }

    /// The next answer to a request of ours.
    pub async fn next_of_answers(&mut self) -> Value {
        loop {
            let message = self.next().await.unwrap();
            if message.get("method").is_none() {
                return message;
            }
        }
    }

    pub async fn send(&mut self, message: Value) {
        self.send_raw(&format!("{message}\n")).await;
    }

    pub async fn send_raw(&mut self, bytes: &str) {
        // Whether anybody listens is the test's affair.
        let _ = self.write.write_all(bytes.as_bytes()).await;
    }

    pub async fn notify(&mut self, method: &str, params: Value) {
        let notification = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.send(notification).await;
    }

    pub async fn answer(&mut self, request: &Value, result: Value) {
        let answer = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
        self.send(answer).await;
    }

    pub async fn refuse(&mut self, request: &Value, code: i64, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.send(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }))
            .await;
    }

    pub async fn greet(&mut self) {
        let request = self.next_of("initialize").await;
        let greeting = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": { "listChanged": true } },
            "serverInfo": { "name": "test", "version": "1" },
            "instructions": "Obey the server.",
        });
        self.answer(&request, greeting).await;
        self.next_of("notifications/initialized").await;
    }

    /// Answers the next request for the tools, on one page.
    pub async fn list(&mut self, tools: Value) {
        let request = self.next_of("tools/list").await;
        self.answer(&request, json!({ "tools": tools })).await;
    }

    pub async fn open(&mut self, tools: Value) {
        self.greet().await;
        self.list(tools).await;
    }

    /// The next call.
    pub async fn call(&mut self) -> Value {
        self.next_of("tools/call").await
    }

    pub async fn say(&mut self, call: &Value, text: &str) {
        let content = json!({ "content": [{ "type": "text", "text": text }] });
        self.answer(call, content).await;
    }
}

/// Lets every task that can go on go on, such as the one that reads the end of a connection.
pub async fn settled() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

/// A tool that takes anything.
pub fn tool(name: &str) -> Value {
    json!({ "name": name, "description": "Do.", "inputSchema": { "type": "object" } })
}

/// A set of these tools, and the server's end of it.
pub async fn connected(tools: Value) -> (McpToolSet, Wire) {
    let (transport, mut wire) = wire();
    let (set, ()) = tokio::join!(McpToolSet::connect(transport), wire.open(tools));
    (set.unwrap(), wire)
}

pub async fn tools(set: &McpToolSet) -> Vec<Arc<dyn Tool>> {
    set.tools(&RunContext::new()).await.unwrap()
}

pub async fn names(set: &McpToolSet) -> Vec<String> {
    let tools = tools(set).await;
    tools.iter().map(|tool| tool.name().to_owned()).collect()
}

pub async fn only(set: &McpToolSet) -> Arc<dyn Tool> {
    let mut tools = tools(set).await;
    assert_eq!(tools.len(), 1);
    tools.remove(0)
}

/// A set of one page of tools, taken in this way.
pub async fn taken(
    build: impl FnOnce(McpToolSetBuilder) -> McpToolSetBuilder,
    listed: Value,
) -> (McpToolSet, Wire) {
    let (transport, mut wire) = wire();
    let builder = build(McpToolSet::builder(transport).with_name("test"));
    let (set, ()) = tokio::join!(builder.connect(), wire.open(listed));
    (set.unwrap(), wire)
}
