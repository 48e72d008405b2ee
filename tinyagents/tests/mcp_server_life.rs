//! Progress, cancellation and the end of sessions, over the Model Context Protocol.
#![cfg(feature = "mcp")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "test code")]

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tinyagents::mcp::McpServer;
use tinyagents::mcp::rmcp::model::{
    CallToolRequest, ClientRequest, NumberOrString, ProgressToken, RequestMetaObject, ServerResult,
};
use tinyagents::mcp::rmcp::service::PeerRequestOptions;
use tinyagents::tinytools::ToolProgress;
use tinyagents::{RunPolicy, StreamWriter, ToolRunContext, tool, tools};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use mcp_server_support::{
    Client, Lifecycle, call, connect, connect_as, is_error, registry, server_of, text,
};

mod mcp_server_support;

/// Where the calls are, for tests to see.
#[derive(Clone, Default)]
struct Stage {
    begun: Arc<Notify>,
    ended: Arc<Notify>,
    saw_cancellation: Arc<AtomicBool>,
    running: Arc<AtomicU32>,
    most: Arc<AtomicU32>,
    said: Arc<Mutex<Vec<String>>>,
}

/// Tells when the call is gone, however it goes.
struct Gone<'a>(&'a Stage);

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        self.0.ended.notify_one();
    }
}

/// Never ends by itself.
#[tool(read_only)]
async fn wait(#[hidden] stage: &Stage) -> String {
    let _gone = Gone(stage);
    stage.begun.notify_one();
    std::future::pending().await
}

/// Ends when it is told to, or that nobody waits.
#[tool(cancelable = false, writes_files)]
async fn careful(#[hidden] stage: &Stage, #[hidden] ctx: &dyn ToolRunContext) -> String {
    let _gone = Gone(stage);
    stage.begun.notify_one();
    ctx.cancelled().await;
    stage.saw_cancellation.store(true, Ordering::SeqCst);
    "cleaned up".to_owned()
}

/// Blocks its thread until it sees that nobody waits.
#[tool(read_only, blocking)]
fn block(#[hidden] stage: &Stage, #[hidden] cancellation: CancellationToken) -> String {
    let _gone = Gone(stage);
    let (sender, receiver) = std::sync::mpsc::channel();
    tokio::spawn(async move {
        cancellation.cancelled().await;
        sender.send(()).unwrap();
    });
    stage.begun.notify_one();
    receiver.recv().unwrap();
    stage.saw_cancellation.store(true, Ordering::SeqCst);
    "seen".to_owned()
}

fn server(stage: &Stage) -> McpServer {
    McpServer::new(registry(tools![WaitTool, CarefulTool, BlockTool])).with_state(stage.clone())
}

#[tokio::test]
async fn a_cancelled_call_ends_and_the_session_goes_on() {
    for name in ["wait", "careful", "block"] {
        let stage = Stage::default();
        let (client, _serving) = connect(server(&stage)).await;
        {
            let asked = client.call_tool(call(name, json!({})));
            tokio::select! {
                _ = asked => panic!("nobody has told it to end"),
                () = stage.begun.notified() => {}
            }
            // Dropping the request is how this client cancels.
        }
        stage.ended.notified().await;
        let should_see = name != "wait";
        assert_eq!(
            stage.saw_cancellation.load(Ordering::SeqCst),
            should_see,
            "{name}"
        );
        assert_eq!(client.list_all_tools().await.unwrap().len(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_runs_any_more_when_the_client_has_left() {
    for lifecycle in Lifecycle::BOTH {
        let stage = Stage::default();
        let (client, serving) = connect_as(server(&stage), Client::default(), lifecycle).await;
        let peer = client.peer().clone();
        let asked = tokio::spawn(async move { peer.call_tool(call("wait", json!({}))).await });
        stage.begun.notified().await;
        client.cancel().await.unwrap();
        stage.ended.notified().await;
        serving.await.unwrap().unwrap();
        assert!(asked.await.unwrap().is_err());
    }
}

#[tokio::test]
async fn nothing_runs_any_more_when_the_server_is_dropped() {
    let stage = Stage::default();
    let (client, serving) = connect(server(&stage)).await;
    let peer = client.peer().clone();
    let asked = tokio::spawn(async move { peer.call_tool(call("wait", json!({}))).await });
    stage.begun.notified().await;
    serving.abort();
    stage.ended.notified().await;
    let answer = asked.await.unwrap();
    assert!(answer.is_err() || answer.is_ok_and(|result| is_error(&result)));
}

/// Says how far it is.
#[tool(read_only)]
async fn steps(#[hidden] writer: &StreamWriter, #[hidden] ctx: &dyn ToolRunContext) -> String {
    writer.progress(ToolProgress::of(1.0, 3.0).with_message("one"));
    ctx.report_progress(ToolProgress::of(2.0, 3.0));
    tokio::task::yield_now().await;
    writer.write("half of the answer");
    writer.progress(ToolProgress::of(3.0, 3.0));
    "done".to_owned()
}

#[tokio::test]
async fn progress_comes_with_the_clients_token_in_order_and_before_the_answer() {
    for lifecycle in Lifecycle::BOTH {
        let told = Client::default();
        let (client, _serving) = connect_as(server_of(StepsTool), told.clone(), lifecycle).await;
        let asked = CallToolRequest::new(call("steps", json!({})));
        let request = ClientRequest::CallToolRequest(asked);
        let options = PeerRequestOptions::no_options();
        let handle = client.send_cancellable_request(request, options);
        let handle = handle.await.unwrap();
        let token = handle.progress_token.clone();
        let answer = handle.await_response().await.unwrap();
        let ServerResult::CallToolResult(result) = answer else {
            panic!("{answer:?}");
        };
        assert_eq!(text(&result), "done");
        // Each notification is a task of the client's own.
        while told.progress.lock().unwrap().len() < 4 {
            tokio::task::yield_now().await;
        }
        let mut told = told.progress.lock().unwrap().clone();
        told.sort_by(|left, right| left.progress.total_cmp(&right.progress));
        let numbers: Vec<f64> = told.iter().map(|told| told.progress).collect();
        assert!(
            numbers.is_sorted_by(|left, right| left < right),
            "{numbers:?}"
        );
        let messages: Vec<Option<&str>> = told.iter().map(|told| told.message.as_deref()).collect();
        assert_eq!(
            messages,
            [Some("one"), None, Some("half of the answer"), None]
        );
        assert!(told.iter().all(|told| told.progress_token == token));
        assert_eq!((told[0].total, told[3].progress), (Some(3.0), 3.0));
    }
}

/// Floods the client.
#[tool(read_only)]
fn flood(#[hidden] writer: &StreamWriter) -> String {
    for _ in 0..100_000 {
        writer.write("x");
    }
    "done".to_owned()
}

#[tokio::test]
async fn a_flood_of_progress_is_bounded_and_the_answer_comes() {
    let told = Client::default();
    let server = server_of(FloodTool);
    let (client, _serving) = connect_as(server, told.clone(), Lifecycle::Handshake).await;
    let mut asked = call("flood", json!({}));
    let token = ProgressToken(NumberOrString::String("mine".into()));
    asked.meta = Some(RequestMetaObject::with_progress_token(token));
    let result = client.call_tool(asked).await.unwrap();
    assert_eq!(text(&result), "done");
    assert!(told.progress.lock().unwrap().len() < 1_000);
}

/// Runs beside others.
#[tool(read_only)]
async fn beside(#[hidden] stage: &Stage, name: String) -> String {
    enter(stage, &name).await
}

/// Runs alone.
#[tool(writes_files)]
async fn alone(#[hidden] stage: &Stage, name: String) -> String {
    enter(stage, &name).await
}

async fn enter(stage: &Stage, name: &str) -> String {
    let running = stage.running.fetch_add(1, Ordering::SeqCst) + 1;
    stage.most.fetch_max(running, Ordering::SeqCst);
    stage.said.lock().unwrap().push(format!("+{name}"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    stage.said.lock().unwrap().push(format!("-{name}"));
    stage.running.fetch_sub(1, Ordering::SeqCst);
    name.to_owned()
}

#[tokio::test(start_paused = true)]
async fn calls_that_are_not_safe_beside_others_run_alone_and_in_order() {
    let stage = Stage::default();
    let registry = registry(tools![BesideTool, AloneTool]);
    let policy = RunPolicy {
        max_concurrent_tools: 2,
        ..RunPolicy::default()
    };
    let server = McpServer::new(registry)
        .with_policy(policy)
        .with_state(stage.clone());
    let (client, _serving) = connect(server).await;
    let (sent, mut answers) = mpsc::unbounded_channel();
    for (tool, name) in [
        ("beside", "a"),
        ("beside", "b"),
        ("alone", "c"),
        ("beside", "d"),
    ] {
        let (peer, sent) = (client.peer().clone(), sent.clone());
        tokio::spawn(async move {
            let answer = peer.call_tool(call(tool, json!({ "name": name }))).await;
            sent.send(text(&answer.unwrap())).unwrap();
        });
        // One after the other, as a client sends them.
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    for _ in 0..4 {
        answers.recv().await.unwrap();
    }
    let said = stage.said.lock().unwrap().join(" ");
    assert_eq!(said, "+a +b -a -b +c -c +d -d");
    assert_eq!(stage.most.load(Ordering::SeqCst), 2);
}

/// Takes its time.
#[tool(read_only, timeout_ms = 50)]
async fn slow() -> String {
    std::future::pending().await
}

#[tokio::test(start_paused = true)]
async fn a_time_out_is_an_error_of_the_call() {
    let (client, _serving) = connect(server_of(SlowTool)).await;
    let result = client.call_tool(call("slow", json!({}))).await.unwrap();
    assert!(is_error(&result), "{result:?}");
}
