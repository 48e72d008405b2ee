//! Bodies that block their thread: off the async threads, and cancellable before they start and after they were given up.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use lifecycle_support::run;
use serde_json::json;
use tinyagents::tinytools::{ToolRunContext, tool, tools};
use tinyagents::{Dispatcher, RunContext, RunPolicy, ToolCall, ToolRegistry};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// What the test tells a body, and what the body tells the test.
struct Gate {
    released: Mutex<Receiver<()>>,
    started: Notify,
    threads: Mutex<Vec<ThreadId>>,
    runs: AtomicUsize,
    saw_cancellation: AtomicBool,
    ended: Notify,
}

impl Gate {
    fn new() -> (Arc<Self>, Sender<()>) {
        let (release, released) = channel();
        let gate = Self {
            released: Mutex::new(released),
            started: Notify::new(),
            threads: Mutex::default(),
            runs: AtomicUsize::new(0),
            saw_cancellation: AtomicBool::new(false),
            ended: Notify::new(),
        };
        (Arc::new(gate), release)
    }
}

/// Blocks its thread until the test says so.
#[tool(read_only, blocking, crate = ::tinyagents::tinytools)]
fn wait(#[hidden] gate: &Gate, #[hidden] ctx: &dyn ToolRunContext) -> &'static str {
    gate.runs.fetch_add(1, Ordering::SeqCst);
    gate.threads
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(thread::current().id());
    gate.started.notify_one();
    let released = gate
        .released
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .recv();
    gate.saw_cancellation
        .store(ctx.is_cancelled(), Ordering::SeqCst);
    gate.ended.notify_one();
    if released.is_ok() {
        "released"
    } else {
        "left alone"
    }
}

fn host(gate: &Arc<Gate>, token: &CancellationToken) -> (Dispatcher, RunContext) {
    let mut registry = ToolRegistry::new();
    registry.register_all(tools![WaitTool]).unwrap();
    let ctx = RunContext::new()
        .provide_arc(Arc::clone(gate))
        .with_cancellation(token);
    (Dispatcher::new(registry), ctx)
}

fn call(id: &str) -> ToolCall {
    ToolCall::new(id, "wait", json!({}))
}

#[tokio::test]
async fn the_only_async_thread_goes_on_while_a_body_blocks() {
    let (gate, release) = Gate::new();
    let (dispatcher, ctx) = host(&gate, &CancellationToken::new());
    let releasing = async {
        gate.started.notified().await;
        release.send(()).unwrap();
    };
    let (batch, ()) = tokio::join!(run(&dispatcher, &ctx, vec![call("a")]), releasing);
    assert_eq!(batch.messages[0].content, "released");
    assert_ne!(*gate.threads.lock().unwrap(), [thread::current().id()]);
}

#[tokio::test]
async fn a_cancelled_call_is_answered_at_once_and_its_body_sees_that_nobody_waits() {
    let (gate, release) = Gate::new();
    let token = CancellationToken::new();
    let (dispatcher, ctx) = host(&gate, &token);
    let cancelling = async {
        gate.started.notified().await;
        token.cancel();
    };
    let (batch, ()) = tokio::join!(run(&dispatcher, &ctx, vec![call("a")]), cancelling);
    assert!(batch.messages[0].is_error);
    assert_eq!(gate.runs.load(Ordering::SeqCst), 1, "the body still blocks");
    release.send(()).unwrap();
    gate.ended.notified().await;
    assert!(gate.saw_cancellation.load(Ordering::SeqCst));
}

/// Of two threads for bodies one is stuck: whatever else was handed over and may begin has begun when this is done.
async fn begins_another(gate: &Gate) -> bool {
    tokio::select! {
        () = gate.started.notified() => true,
        _ = tokio::task::spawn_blocking(|| ()) => false,
    }
}

fn on_two_threads(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.max_blocking_threads(2).enable_time();
    runtime.start_paused(true).build().unwrap().block_on(test);
}

#[test]
fn a_body_that_nobody_waits_for_keeps_its_place_until_it_ends() {
    on_two_threads(keeps_its_place());
}

async fn keeps_its_place() {
    let (gate, release) = Gate::new();
    let token = CancellationToken::new();
    let (dispatcher, ctx) = host(&gate, &token);
    let dispatcher = dispatcher.with_policy(RunPolicy {
        max_blocking_tools: 1,
        ..RunPolicy::default()
    });
    let cancelling = async {
        gate.started.notified().await;
        token.cancel();
    };
    tokio::join!(run(&dispatcher, &ctx, vec![call("a")]), cancelling);

    // The body of `a` still blocks: `b` waits for its place, and is cancelled there.
    let token = CancellationToken::new();
    let (_, ctx) = host(&gate, &token);
    let clone = dispatcher.clone();
    let mut waiting = pin!(run(&clone, &ctx, vec![call("b")]));
    assert!(futures::poll!(waiting.as_mut()).is_pending());
    assert!(!begins_another(&gate).await);
    assert_eq!(gate.runs.load(Ordering::SeqCst), 1);
    token.cancel();
    assert!(waiting.await.messages[0].is_error);

    release.send(()).unwrap();
    gate.ended.notified().await;
    let (_, ctx) = host(&gate, &CancellationToken::new());
    release.send(()).unwrap();
    let batch = run(&dispatcher, &ctx, vec![call("c")]).await;
    assert_eq!(batch.messages[0].content, "released");
    assert_eq!(gate.runs.load(Ordering::SeqCst), 2);
}

#[test]
fn the_wait_for_a_place_is_part_of_a_calls_own_time() {
    on_two_threads(waits_in_its_own_time());
}

async fn waits_in_its_own_time() {
    let (gate, release) = Gate::new();
    let (dispatcher, ctx) = host(&gate, &CancellationToken::new());
    let dispatcher = dispatcher.with_policy(RunPolicy {
        max_blocking_tools: 0,
        default_tool_timeout: Some(Duration::from_secs(1)),
        ..RunPolicy::default()
    });
    for id in ["a", "b"] {
        let passing = async {
            if id == "a" {
                gate.started.notified().await;
            } else {
                assert!(!begins_another(&gate).await);
            }
            tokio::time::advance(Duration::from_secs(2)).await;
        };
        let (batch, ()) = tokio::join!(run(&dispatcher, &ctx, vec![call(id)]), passing);
        assert!(
            batch.messages[0]
                .content
                .contains("timed out after 1000 ms")
        );
        assert_eq!(gate.runs.load(Ordering::SeqCst), 1);
    }
    drop(release);
}

#[test]
fn a_call_that_is_cancelled_before_its_thread_is_free_never_runs() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let (gate, release) = Gate::new();
    let token = CancellationToken::new();
    let (dispatcher, ctx) = host(&gate, &token);
    runtime.block_on(async {
        let cancelling = async {
            gate.started.notified().await;
            token.cancel();
        };
        let calls = vec![call("a"), call("b")];
        let (batch, ()) = tokio::join!(run(&dispatcher, &ctx, calls), cancelling);
        assert!(batch.messages.iter().all(|message| message.is_error));
        release.send(()).unwrap();
        gate.ended.notified().await;
    });
    // Of the body that has not ended yet there must be none.
    drop(release);
    drop(runtime);
    assert_eq!(gate.runs.load(Ordering::SeqCst), 1);
}
