//! A run dropped or cancelled at every point at which it waits: nothing goes on without it, and no call stays unanswered.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use lifecycle_support::{Made, call};
use serde_json::json;
use tinyagents::middleware::Middleware;
use tinyagents::model::{AssistantMessage, ScriptedModel};
use tinyagents::runtime::{AgentHarness, AgentRun, StopReason};
use tinyagents::tinytools::{ToolError, ToolPolicy, ToolResult, async_trait};
use tinyagents::{
    Batch, Dispatcher, MemoryArtifactStore, Message, RunContext, TinyAgentsError, ToolCall,
    ToolRegistry,
};

/// Counts what is alive.
#[derive(Clone, Default)]
struct Alive(Arc<AtomicUsize>);

struct Life(Alive);

impl Alive {
    fn begin(&self) -> Life {
        self.0.fetch_add(1, Ordering::SeqCst);
        Life(self.clone())
    }

    fn now(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Wakes the test, and counts how often it was asked to.
struct CountingWaker {
    test: Waker,
    wakes: AtomicUsize,
}

impl Wake for CountingWaker {
    fn wake(self: Arc<Self>) {
        self.wakes.fetch_add(1, Ordering::SeqCst);
        self.test.wake_by_ref();
    }
}

/// What happens at the point that is tried.
enum At<'a> {
    Drop(&'a Alive),
    Cancel(&'a RunContext),
}

struct Outcome<T> {
    /// `None` when it was dropped.
    output: Option<T>,
    polls: usize,
    wakes: usize,
    /// What was alive when it was dropped.
    dropped_alive: usize,
    /// Wakers that somebody still holds after all is over: timers, waiters, tasks.
    wakers_left: usize,
}

/// Drives a future until its end, and lets something happen before one of its polls.
struct Driver<'a, F: Future> {
    running: Option<Pin<Box<F>>>,
    waker: Option<Arc<CountingWaker>>,
    polls: usize,
    point: usize,
    at: At<'a>,
}

impl<F: Future> Future for Driver<'_, F> {
    type Output = Outcome<F::Output>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let waker = this.waker.get_or_insert_with(|| {
            Arc::new(CountingWaker {
                test: cx.waker().clone(),
                wakes: AtomicUsize::new(0),
            })
        });
        let waker = Arc::clone(waker);
        let mut output = None;
        let is_here = this.polls == this.point;
        let mut dropped_alive = None;
        match this.at {
            At::Drop(alive) if is_here => dropped_alive = Some(alive.now()),
            At::Cancel(ctx) if is_here => ctx.cancel(),
            _ => {}
        }
        if dropped_alive.is_none() {
            this.polls += 1;
            let asked = Waker::from(Arc::clone(&waker));
            let running = this.running.as_mut().unwrap().as_mut();
            match running.poll(&mut Context::from_waker(&asked)) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(done) => output = Some(done),
            }
        }
        this.running = None;
        this.waker = None;
        Poll::Ready(Outcome {
            output,
            polls: this.polls,
            wakes: waker.wakes.load(Ordering::SeqCst),
            dropped_alive: dropped_alive.unwrap_or_default(),
            wakers_left: Arc::strong_count(&waker) - 1,
        })
    }
}

async fn drive<F: Future>(running: F, point: usize, at: At<'_>) -> Outcome<F::Output> {
    let driver = Driver {
        running: Some(Box::pin(running)),
        waker: None,
        polls: 0,
        point,
        at,
    };
    driver.await
}

/// Waits before and after every call.
struct Waits(Alive);

#[async_trait]
impl Middleware for Waits {
    async fn after_tool(
        &self,
        _: &mut RunContext,
        _: &ToolCall,
        _: &mut ToolResult,
    ) -> Result<(), TinyAgentsError> {
        let _life = self.0.begin();
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(())
    }
}

fn tools(alive: &Alive) -> Vec<Made> {
    let steps = alive.clone();
    let steps = Made::new("steps", move |_| {
        let life = steps.begin();
        async move {
            let _life = life;
            for millis in 0..3 {
                tokio::task::yield_now().await;
                tokio::time::sleep(Duration::from_millis(millis)).await;
            }
            Ok(ToolResult::success("x".repeat(100)))
        }
    });
    let flaky = alive.clone();
    let mut retried = ToolPolicy::read_only();
    retried.runtime.max_retries = 1;
    let flaky = Made::new("flaky", move |_| {
        let life = flaky.begin();
        async move {
            let _life = life;
            tokio::task::yield_now().await;
            Err(ToolError::transient(anyhow::anyhow!("busy")).into())
        }
    });
    let slow = alive.clone();
    let mut timed = ToolPolicy::classified();
    timed.runtime.timeout_ms = Some(20);
    timed.runtime.max_result_bytes = Some(50);
    let slow = Made::new("slow", move |_| {
        let life = slow.begin();
        async move {
            let _life = life;
            tokio::time::sleep(Duration::from_secs(9)).await;
            Ok(ToolResult::success(""))
        }
    });
    let mut bounded = ToolPolicy::read_only();
    bounded.runtime.max_result_bytes = Some(60);
    vec![
        steps.policy(bounded).concurrent(),
        flaky.policy(retried).concurrent(),
        slow.policy(timed),
    ]
}

fn calls() -> Vec<ToolCall> {
    [
        "steps", "flaky", "steps", "slow", "steps", "missing", "flaky",
    ]
    .iter()
    .enumerate()
    .map(|(number, name)| call(&format!("c{number}"), name))
    .collect()
}

fn ids<'a>(calls: impl IntoIterator<Item = &'a ToolCall>) -> Vec<&'a str> {
    calls.into_iter().map(|call| call.id.as_str()).collect()
}

fn context() -> RunContext {
    RunContext::new().with_artifact_store(MemoryArtifactStore::new())
}

fn dispatcher(alive: &Alive) -> Dispatcher {
    let mut registry = ToolRegistry::new();
    for tool in tools(alive) {
        registry.register(tool).unwrap();
    }
    Dispatcher::new(registry).with_middleware(Waits(alive.clone()))
}

fn answered(batch: &Batch) -> Vec<&str> {
    let rows = batch.messages.iter();
    rows.map(|row| row.call_id.as_str()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_batch_dropped_anywhere_leaves_nothing_behind_and_can_be_run_again() {
    let alive = Alive::default();
    let dispatcher = dispatcher(&alive);
    let ctx = context();
    let whole = drive(
        dispatcher.dispatch(&(), &ctx, calls()),
        usize::MAX,
        At::Drop(&alive),
    )
    .await;
    assert!(whole.polls > 20, "{} points are few", whole.polls);
    assert!(whole.wakes + 1 >= whole.polls, "polled without a reason");
    assert_eq!((alive.now(), whole.wakers_left), (0, 0));
    let mut most = 0;
    for point in 0..whole.polls {
        let ctx = context();
        let dropped = drive(
            dispatcher.dispatch(&(), &ctx, calls()),
            point,
            At::Drop(&alive),
        )
        .await;
        assert!(dropped.output.is_none());
        assert_eq!((alive.now(), dropped.wakers_left), (0, 0), "at {point}");
        most = most.max(dropped.dropped_alive);
        // The same context and calls again: nothing of the dropped run stands in the way.
        let again = dispatcher.dispatch(&(), &ctx, calls()).await.unwrap();
        assert_eq!(answered(&again), ids(&calls()), "at {point}");
        assert_eq!(again.stop, None, "at {point}");
    }
    assert!(most >= 2, "never dropped with more than {most} alive");
}

#[tokio::test(start_paused = true)]
async fn a_batch_cancelled_anywhere_answers_every_call_once() {
    let alive = Alive::default();
    let dispatcher = dispatcher(&alive);
    let ctx = context();
    let whole = drive(
        dispatcher.dispatch(&(), &ctx, calls()),
        usize::MAX,
        At::Drop(&alive),
    )
    .await;
    for point in 0..whole.polls {
        let ctx = context();
        let running = dispatcher.dispatch(&(), &ctx, calls());
        let cancelled = drive(running, point, At::Cancel(&ctx)).await;
        let batch = cancelled.output.unwrap().unwrap();
        assert_eq!(answered(&batch), ids(&calls()), "at {point}");
        assert_eq!((alive.now(), cancelled.wakers_left), (0, 0), "at {point}");
        assert!(
            matches!(batch.stop, None | Some(StopReason::Cancelled)),
            "at {point}: {:?}",
            batch.stop
        );
        assert!(cancelled.polls <= whole.polls, "at {point}");
    }
}

fn harness(alive: &Alive) -> AgentHarness<()> {
    let mut harness = AgentHarness::new();
    let turn = calls();
    let turn = turn.iter().map(|call| (call.name.as_str(), json!({})));
    harness.with_model(
        ScriptedModel::new()
            .calls(turn.collect::<Vec<_>>())
            .call("steps", json!({}))
            .text("done"),
    );
    for tool in tools(alive) {
        harness.register_tool(tool).unwrap();
    }
    harness.with_middleware(Waits(alive.clone()));
    harness
}

/// Whether each call of the transcript has its one row, directly after it.
fn is_whole(run: &AgentRun) -> bool {
    let mut messages = run.messages.iter().peekable();
    while let Some(message) = messages.next() {
        let Message::Assistant(AssistantMessage { tool_calls, .. }) = message else {
            continue;
        };
        for call in tool_calls {
            let row = messages.next().and_then(Message::as_tool);
            if row.is_none_or(|row| row.call_id != call.id) {
                return false;
            }
        }
    }
    true
}

#[tokio::test(start_paused = true)]
async fn a_run_dropped_or_cancelled_anywhere_leaves_nothing_running_and_no_call_open() {
    let alive = Alive::default();
    let whole = {
        let harness = harness(&alive);
        drive(
            harness.invoke_in_context(&(), context(), vec![Message::user("go")]),
            usize::MAX,
            At::Drop(&alive),
        )
        .await
    };
    let run = whole.output.unwrap().unwrap();
    assert_eq!(run.stop, StopReason::Finished);
    for point in 0..whole.polls {
        let dropping = harness(&alive);
        let running = dropping.invoke_in_context(&(), context(), vec![Message::user("go")]);
        let dropped = drive(running, point, At::Drop(&alive)).await;
        assert_eq!((alive.now(), dropped.wakers_left), (0, 0), "at {point}");

        let cancelling = harness(&alive);
        let ctx = context();
        let running = cancelling.invoke_in_context(&(), ctx.clone(), vec![Message::user("go")]);
        let cancelled = drive(running, point, At::Cancel(&ctx)).await;
        let run = cancelled.output.unwrap().unwrap();
        assert!(is_whole(&run), "at {point}: {:?}", run.messages);
        assert_eq!(run.stop, StopReason::Cancelled, "at {point}");
        assert_eq!((alive.now(), cancelled.wakers_left), (0, 0), "at {point}");
    }
}
