//! Requests by hand to a server over streamable HTTP, and what it refuses.
#![cfg(feature = "mcp")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;

use serde_json::{Value, json};
use tinyagents::mcp::{HttpTransport, McpServeError, McpServer};
use tinyagents::{RunContext, TinyAgentsError, Tool, ToolSet, async_trait, tools};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use mcp_http_support::{EchoTool, Served, Stage, connect, serve};
use mcp_server_support::{Lifecycle, call, registry, text};

mod mcp_http_support;
mod mcp_server_support;

const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#;

/// Sends one request and gives the status and the rest, as far as it comes at once.
async fn raw(served: &Served, head: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    let request = format!(
        "{head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer)
}

fn post(headers: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nX-User: raw\r\nAccept: application/json, text/event-stream\r\n{headers}"
    )
}

#[tokio::test]
async fn only_requests_for_this_host_from_its_own_pages_are_answered() {
    let served = serve().await;
    let port = served.address.port();
    let good = [
        format!("Host: 127.0.0.1:{port}"),
        format!("Host: localhost:{port}"),
        "Host: LOCALHOST".to_owned(),
        format!("Host: [::1]:{port}"),
        format!("Host: localhost:{port}\r\nOrigin: http://localhost:6274"),
        format!("Host: localhost:{port}\r\nOrigin: http://127.0.0.1:{port}"),
    ];
    for headers in good {
        let (status, answer) = raw(&served, &post(&headers), HELLO).await;
        assert_eq!(status, 200, "{headers}: {answer}");
        assert!(answer.contains("\"protocolVersion\""), "{answer}");
    }
    let attacks = [
        format!("Host: evil.example:{port}"),
        "Host: localhost.evil.example".to_owned(),
        "Host: 127.0.0.1.evil.example".to_owned(),
        "Host: evil.example\r\nOrigin: http://evil.example".to_owned(),
        "Host: 0.0.0.0".to_owned(),
        "Host: 169.254.169.254".to_owned(),
        "Host: user@localhost@evil.example".to_owned(),
        "Host: \u{fc}".to_owned(),
        "Host:".to_owned(),
        format!("Host: localhost:{port}\r\nHost: evil.example"),
        format!("Host: evil.example\r\nHost: localhost:{port}"),
        "X-No-Host: 1".to_owned(),
        format!("Host: localhost:{port}\r\nOrigin: http://evil.example"),
        format!("Host: localhost:{port}\r\nOrigin: https://localhost:{port}"),
        format!("Host: localhost:{port}\r\nOrigin: http://localhost.evil.example"),
        format!("Host: localhost:{port}\r\nOrigin: http://localhost@evil.example"),
        format!("Host: localhost:{port}\r\nOrigin: http://evil.example/http://localhost"),
        format!("Host: localhost:{port}\r\nOrigin: null"),
        format!("Host: localhost:{port}\r\nOrigin: file://"),
        format!("Host: localhost:{port}\r\nOrigin: "),
    ];
    for headers in attacks {
        let (status, answer) = raw(&served, &post(&headers), HELLO).await;
        assert!((400..500).contains(&status), "{headers}: {status} {answer}");
        assert!(!answer.contains("\"protocolVersion\""), "{answer}");
    }
}

#[tokio::test]
async fn a_call_without_its_session_and_a_malformed_body_are_refused() {
    let served = serve().await;
    let host = format!("Host: {}", served.address);
    let asked = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "echo", "arguments": { "text": "a" } }
    });
    for (headers, body) in [
        (host.clone(), asked.to_string()),
        (
            format!("{host}\r\nMcp-Session-Id: made-up"),
            asked.to_string(),
        ),
        (host.clone(), "{".to_owned()),
        (host.clone(), String::new()),
        (host.clone(), "[]".to_owned()),
    ] {
        let (status, answer) = raw(&served, &post(&headers), &body).await;
        assert!((400..500).contains(&status), "{body}: {status} {answer}");
    }
    let elsewhere = post(&host).replace("/mcp", "/");
    assert_eq!(raw(&served, &elsewhere, HELLO).await.0, 404);
    let (status, _) = raw(&served, &post(&host), &"x".repeat(5 * 1024 * 1024)).await;
    assert_eq!(status, 413);
}

#[tokio::test]
async fn a_session_that_the_host_refuses_is_told_nothing_more() {
    let served = serve().await;
    let headers = post(&format!("Host: {}", served.address)).replace("X-User: raw\r\n", "");
    let (_, answer) = raw(&served, &headers, HELLO).await;
    assert!(answer.contains("the session was refused"), "{answer}");
    assert!(
        !answer.contains("no user") && !answer.contains("\"protocolVersion\""),
        "{answer}"
    );
}

#[tokio::test]
async fn an_address_that_others_can_reach_has_to_be_asked_for() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let error = HttpTransport::bind(address.parse().unwrap())
            .await
            .unwrap_err();
        assert!(
            matches!(error, McpServeError::NotLoopback { .. }),
            "{error}"
        );
        let told = error.to_string();
        assert!(told.contains("bind_public"), "{told}");
    }
    let nobody: [&str; 0] = [];
    let error = HttpTransport::bind_public("0.0.0.0:0".parse().unwrap(), nobody).await;
    assert!(matches!(error, Err(McpServeError::NoHosts)));
}

#[tokio::test]
async fn a_public_server_answers_to_its_names_and_to_no_page() {
    let mut registry = tinyagents::ToolRegistry::new();
    registry.register(EchoTool).unwrap();
    let http = HttpTransport::bind_public("127.0.0.1:0".parse().unwrap(), ["mcp.example.com"])
        .await
        .unwrap();
    let served = Served {
        address: http.local_addr().unwrap(),
        stage: Stage::default(),
        serving: tokio::spawn(tinyagents::mcp::serve(registry, http)),
    };
    for (headers, expected) in [
        ("Host: mcp.example.com", 200),
        ("Host: mcp.example.com:8080", 200),
        ("Host: localhost", 403),
        (
            "Host: mcp.example.com\r\nOrigin: https://mcp.example.com",
            403,
        ),
    ] {
        let (status, answer) = raw(&served, &post(headers), HELLO).await;
        assert_eq!(status, expected, "{headers}: {answer}");
    }
}

/// The data of the events in an answer.
fn events(answer: &str) -> Vec<Value> {
    let data = answer.lines().filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|data| serde_json::from_str(data.trim()).ok())
        .collect()
}

#[tokio::test]
async fn a_deleted_session_is_gone() {
    let served = serve().await;
    let host = format!("Host: {}", served.address);
    let (_, hello) = raw(&served, &post(&host), HELLO).await;
    let session = hello
        .lines()
        .find_map(|line| {
            line.to_lowercase()
                .strip_prefix("mcp-session-id: ")
                .map(str::to_owned)
        })
        .unwrap();
    let headers = format!("{host}\r\nMcp-Session-Id: {session}");
    let asked = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "echo", "arguments": { "text": "a" } }
    });
    let (status, answer) = raw(&served, &post(&headers), &asked.to_string()).await;
    assert_eq!(status, 200, "{answer}");
    let answer = events(&answer).pop().unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], "a");

    let delete = format!("DELETE /mcp HTTP/1.1\r\n{headers}");
    assert!((200..300).contains(&raw(&served, &delete, "").await.0));
    let (status, _) = raw(&served, &post(&headers), &asked.to_string()).await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn one_session_too_many_is_refused_and_requests_without_any_are_answered() {
    let served = serve().await;
    let headers = post(&format!("Host: {}", served.address));
    for number in 0..1_024 {
        let (status, answer) = raw(&served, &headers, HELLO).await;
        assert_eq!(status, 200, "{number}: {answer}");
    }
    for (lie, refusals) in [
        ("", [503].as_slice()),
        ("\r\nMcp-Method: tools/call", &[400, 503]),
        ("\r\nMcp-Session-Id: é", &[400, 503]),
    ] {
        let (status, answer) = raw(&served, &format!("{headers}{lie}"), HELLO).await;
        assert!(refusals.contains(&status), "{status} {answer}");
        assert!(
            !answer.to_lowercase().contains("mcp-session-id"),
            "{answer}"
        );
    }
    let client = connect(&served, "ada", Lifecycle::Stateless).await;
    let result = client.call_tool(call("whoami", json!({}))).await.unwrap();
    assert_eq!(text(&result), "ada");
}

/// Says when it is asked for its tools, and never answers.
struct Silent(Arc<Notify>);

#[async_trait]
impl ToolSet for Silent {
    async fn tools(&self, _: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        self.0.notify_one();
        std::future::pending().await
    }
}

#[tokio::test]
async fn sessions_of_clients_that_left_before_their_answer_are_counted() {
    let asked = Arc::<Notify>::default();
    let silent = McpServer::new(registry(tools![]))
        .with_sessions(|_| Ok(RunContext::new()))
        .with_toolset(Silent(Arc::clone(&asked)));
    let http = HttpTransport::bind("127.0.0.1:0".parse().unwrap())
        .await
        .unwrap();
    let served = Served {
        address: http.local_addr().unwrap(),
        stage: Stage::default(),
        serving: tokio::spawn(silent.serve(http)),
    };
    let head = post(&format!("Host: {}", served.address));
    let hello = format!("{head}\r\nContent-Length: {}\r\n\r\n{HELLO}", HELLO.len());
    for _ in 0..1_024 {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream.write_all(hello.as_bytes()).await.unwrap();
        asked.notified().await;
    }
    let (status, answer) = raw(&served, &head, HELLO).await;
    assert_eq!(status, 503, "{answer}");
    assert!(!served.serving.is_finished());
}
