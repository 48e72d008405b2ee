//! One attempt at a call: its time, its cancellation, its panics.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use serde_json::Value;
use tinytools::{Tool, ToolCallOptions, ToolResult};
use tokio::time::Instant;
use tracing::Instrument as _;

use super::BlockingPlaces;
use super::interruption::sleep_until;
use crate::admission::ReadyCall;
use crate::context::RunContext;
use crate::harness::RunPolicy;

/// How one attempt ended.
pub(super) enum Attempt {
    /// The result is in its place.
    Returned,
    Failed(anyhow::Error),
    Panicked(String),
    TimedOut(Duration),
    Deadline,
    Cancelled,
}

/// One attempt, bounded by its time, the run's time and cancellation, whichever comes first.
pub(super) async fn run_once(
    ready: &ReadyCall<'_, '_>,
    policy: &RunPolicy,
    places: &BlockingPlaces,
    limit: Option<Duration>,
    result: &mut ToolResult,
) -> Attempt {
    let Some(tool) = ready.tool.tool() else {
        return Attempt::Failed(anyhow::anyhow!("`{}` does not run here", ready.tool.name()));
    };
    // A tool uses its arguments up; the transcript, the hooks and another attempt need them as well.
    let arguments = ready.call.arguments.clone();
    let options = ToolCallOptions {
        prefer_markdown: policy.prefer_markdown,
    };
    if ready.tool.is_blocking() {
        let call = run_blocking(tool, places, arguments, options, ready.ctx, result);
        bounded(ready, limit, Box::pin(call)).await
    } else {
        let ctx = ready.ctx;
        let started = catch_unwind(AssertUnwindSafe(|| {
            tool.execute_with_context(arguments, options, Some(ctx))
        }));
        let mut call = match started {
            Ok(call) => Contained(Some(call)),
            Err(payload) => return Attempt::Panicked(panic_text(payload.as_ref())),
        };
        let call = poll_fn(|cx| {
            let polled = catch_unwind(AssertUnwindSafe(|| call.poll(cx)));
            match polled {
                Ok(Poll::Pending) => Poll::Pending,
                Ok(Poll::Ready(Ok(returned))) => {
                    *result = returned;
                    Poll::Ready(Attempt::Returned)
                }
                Ok(Poll::Ready(Err(error))) => Poll::Ready(Attempt::Failed(error)),
                Err(payload) => Poll::Ready(Attempt::Panicked(panic_text(payload.as_ref()))),
            }
        });
        bounded(ready, limit, call).await
    }
}

/// A tool's future, whose `Drop` may panic as its body may.
struct Contained<'a>(Option<Pin<Box<dyn Future<Output = anyhow::Result<ToolResult>> + Send + 'a>>>);

impl Contained<'_> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<anyhow::Result<ToolResult>> {
        match &mut self.0 {
            Some(call) => call.as_mut().poll(cx),
            None => Poll::Pending,
        }
    }
}

impl Drop for Contained<'_> {
    fn drop(&mut self) {
        let call = self.0.take();
        // The call has its answer; what its body leaves behind can't change that.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(call)));
    }
}

async fn bounded(
    ready: &ReadyCall<'_, '_>,
    limit: Option<Duration>,
    call: impl Future<Output = Attempt>,
) -> Attempt {
    let bound = limit.map(|limit| (limit, Instant::now().checked_add(limit)));
    let mut call = pin!(call);
    // Most small calls are done at once; they need no clock and no waiting for the run's end.
    if let Poll::Ready(ended) = futures::poll!(call.as_mut()) {
        return ended;
    }
    let waiting = async {
        // An answer that is there counts, even if time ran out in the same moment.
        tokio::select! {
            biased;
            ended = call => ended,
            () = cancelled(ready) => Attempt::Cancelled,
            limit = timed_out(bound) => Attempt::TimedOut(limit),
            () = sleep_until(ready.ctx.deadline()) => Attempt::Deadline,
        }
    };
    Box::pin(waiting).await
}

/// Resolves when the call must be dropped because the run is cancelled; never for one that has to finish.
async fn cancelled(ready: &ReadyCall<'_, '_>) {
    if ready.tool.policy().runtime.cancelable {
        ready.ctx.cancelled().await;
    } else {
        std::future::pending::<()>().await;
    }
}

async fn timed_out(bound: Option<(Duration, Option<Instant>)>) -> Duration {
    match bound {
        Some((limit, Some(at))) => {
            tokio::time::sleep_until(at).await;
            limit
        }
        // No bound, or one that is further away than the clock can tell.
        _ => std::future::pending().await,
    }
}

/// Runs the body on the blocking pool, over a tool and a context of its own. When this future is dropped, the thread
/// can't be stopped; its context then says that it is cancelled, and its place is free when it ends. A body that still
/// waits for a place or a thread never starts.
async fn run_blocking(
    tool: &Arc<dyn Tool>,
    places: &BlockingPlaces,
    arguments: Value,
    options: ToolCallOptions,
    ctx: &RunContext,
    result: &mut ToolResult,
) -> Attempt {
    let Some(place) = places.take().await else {
        return Attempt::Cancelled;
    };
    let token = ctx.cancellation_token().child_token();
    let _cancel_on_drop = token.clone().drop_guard();
    let tool = Arc::clone(tool);
    let ctx = ctx.clone().with_call_cancellation(token.clone());
    let runtime = tokio::runtime::Handle::current();
    // The thread's own spans and logs belong to the call.
    let span = tracing::Span::current();
    let body = tokio::task::spawn_blocking(move || {
        let _place = place;
        if token.is_cancelled() {
            return None;
        }
        let call = tool.execute_with_context(arguments, options, Some(&ctx));
        Some(runtime.block_on(call.instrument(span)))
    });
    match body.await {
        Ok(Some(Ok(returned))) => {
            *result = returned;
            Attempt::Returned
        }
        Ok(Some(Err(error))) => Attempt::Failed(error),
        Ok(None) => Attempt::Cancelled,
        Err(error) => match error.try_into_panic() {
            Ok(payload) => Attempt::Panicked(panic_text(payload.as_ref())),
            Err(_) => Attempt::Cancelled,
        },
    }
}

pub(super) fn panic_text(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a text".to_owned())
}
