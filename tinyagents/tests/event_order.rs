//! The order in which a call is told of: its start, its progress, its one end, and then nothing.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lifecycle_support::{Made, call};
use serde_json::json;
use tinyagents::tinytools::{
    ToolError, ToolPolicy, ToolProgress, ToolResult, ToolRunContext, tool,
};
use tinyagents::{
    AgentEvent, Dispatcher, EventEmitter, EventLog, RunContext, StreamWriter, ToolCall,
    ToolRegistry,
};

/// Reports in every way there is.
fn report(ctx: &RunContext, writer: &StreamWriter, emitter: &EventEmitter) {
    ctx.report_progress(ToolProgress::of(1.0, 2.0));
    writer.write("part");
    emitter.custom(json!(1));
    ctx.custom(json!(2));
    ctx.emit_with(|| AgentEvent::Custom {
        call_id: None,
        tool_name: None,
        data: json!(3),
    });
}

type Held = (RunContext, StreamWriter, EventEmitter);

/// Where a body leaves what it was given.
#[derive(Clone, Default)]
struct Loot(Arc<Mutex<Vec<Held>>>);

/// Report, and keep everything for later.
#[tool(read_only, crate = ::tinyagents::tinytools)]
fn hoard(
    #[hidden] ctx: &RunContext,
    #[hidden] writer: &StreamWriter,
    #[hidden] emitter: &EventEmitter,
    #[hidden] loot: &Loot,
) -> &'static str {
    report(ctx, writer, emitter);
    let held = (ctx.clone(), writer.clone(), emitter.clone());
    loot.0.lock().unwrap().push(held);
    "done"
}

#[tokio::test]
async fn progress_comes_between_start_and_end_and_nothing_after_it() {
    let mut registry = ToolRegistry::new();
    registry.register(HoardTool).unwrap();
    let (log, loot) = (EventLog::new(), Loot::default());
    let ctx = RunContext::new()
        .with_events(log.clone())
        .provide(loot.clone());
    let calls = vec![ToolCall::new("c1", "hoard", json!({}))];
    let dispatcher = Dispatcher::new(registry);
    dispatcher.dispatch(&(), &ctx, calls).await.unwrap();
    let kinds = || -> Vec<&str> { log.events().iter().map(AgentEvent::kind).collect() };
    let expected = [
        "tool.started",
        "tool.progress",
        "tool.progress",
        "custom",
        "custom",
        "custom",
        "tool.completed",
    ];
    assert_eq!(kinds(), expected);
    for (ctx, writer, emitter) in loot.0.lock().unwrap().iter() {
        report(ctx, writer, emitter);
        report(&ctx.clone(), writer, emitter);
    }
    assert_eq!(kinds(), expected);
    // The run itself goes on.
    ctx.custom(json!("later"));
    assert_eq!(kinds().len(), expected.len() + 1);
}

/// What a thread that can't be stopped waits for, and says when it is done.
struct Thread {
    go_on: Mutex<Receiver<()>>,
    done: Mutex<Sender<()>>,
}

/// Go on after the time is up.
#[tool(read_only, blocking, timeout_ms = 50, crate = ::tinyagents::tinytools)]
fn stubborn(
    #[hidden] ctx: &RunContext,
    #[hidden] writer: &StreamWriter,
    #[hidden] emitter: &EventEmitter,
    #[hidden] thread: &Thread,
) {
    report(ctx, writer, emitter);
    thread.go_on.lock().unwrap().recv().unwrap();
    report(ctx, writer, emitter);
    thread.done.lock().unwrap().send(()).unwrap();
}

#[tokio::test]
async fn a_thread_that_outlives_its_call_has_no_more_to_say() {
    let mut registry = ToolRegistry::new();
    registry.register(StubbornTool).unwrap();
    let ((go, go_on), (done, is_done)) = (channel(), channel());
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone()).provide(Thread {
        go_on: Mutex::new(go_on),
        done: Mutex::new(done),
    });
    let calls = vec![ToolCall::new("c1", "stubborn", json!({}))];
    let dispatcher = Dispatcher::new(registry);
    dispatcher.dispatch(&(), &ctx, calls).await.unwrap();
    let before = log.events();
    assert_eq!(before.last().unwrap().kind(), "tool.failed");
    go.send(()).unwrap();
    is_done.recv().unwrap();
    assert_eq!(log.events(), before);
}

#[tokio::test(start_paused = true)]
async fn every_call_has_one_start_before_its_one_end_whatever_becomes_of_it() {
    let wait = |millis| tokio::time::sleep(Duration::from_millis(millis));
    let mut timed = ToolPolicy::read_only();
    timed.runtime.timeout_ms = Some(5);
    let tools = [
        Made::new("fine", move |_| async move {
            wait(3).await;
            Ok(ToolResult::success("ok"))
        }),
        Made::new("refuses", |_| async { Ok(ToolResult::error("no")) }),
        Made::new("fails", |_| async { anyhow::bail!("no") }),
        Made::new("panics", |_| async { panic!("no") }),
        Made::new("slow", move |_| async move {
            wait(1000).await;
            Ok(ToolResult::success(""))
        })
        .policy(timed),
        Made::new("asks", |_| async {
            Err(ToolError::approval_required(json!({})).into())
        }),
    ];
    let names = [
        "fine", "refuses", "fails", "panics", "slow", "asks", "unknown",
    ];
    let mut registry = ToolRegistry::new();
    for tool in tools {
        registry.register(tool.concurrent()).unwrap();
    }
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let calls: Vec<ToolCall> = (0..70)
        .map(|number| call(&format!("c{number}"), names[number % names.len()]))
        .chain([call("c0", "fine")])
        .collect();
    let dispatcher = Dispatcher::new(registry);
    let batch = dispatcher.dispatch(&(), &ctx, calls).await.unwrap();
    let mut told: HashMap<String, Vec<&str>> = HashMap::new();
    let events = log.events();
    for event in &events {
        let (AgentEvent::ToolStarted { call_id, .. }
        | AgentEvent::ToolCompleted { call_id, .. }
        | AgentEvent::ToolFailed { call_id, .. }
        | AgentEvent::ToolDeferred { call_id, .. }) = event
        else {
            continue;
        };
        told.entry(call_id.clone()).or_default().push(event.kind());
    }
    assert_eq!(told.len(), 71);
    for call in &batch.calls {
        let kinds = &told[&call.id];
        assert_eq!(kinds.len(), 2, "{}: {kinds:?}", call.name);
        assert_eq!(kinds[0], "tool.started");
        let end = match call.name.as_str() {
            "fine" if call.id.len() <= 3 => "tool.completed",
            "asks" => "tool.deferred",
            _ => "tool.failed",
        };
        assert_eq!(kinds[1], end, "{} {}", call.id, call.name);
    }
}
