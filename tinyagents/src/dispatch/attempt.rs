//! One attempt at a call: its time, its cancellation, its panics.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tinytools::__private::{Call, Called};
use tinytools::{ToolCallOptions, ToolResult};
use tokio::time::Instant;
use tracing::Instrument as _;

use super::BlockingPlaces;
use super::interruption::sleep_until;
use crate::admission::ReadyCall;
use crate::context::RunContext;
use crate::harness::RunPolicy;
use crate::registry::RegisteredTool;

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

impl Attempt {
    /// Puts the result into its place.
    fn of(returned: anyhow::Result<ToolResult>, result: &mut ToolResult) -> Self {
        match returned {
            Ok(returned) => {
                *result = returned;
                Self::Returned
            }
            Err(error) => Self::Failed(error),
        }
    }

    fn panicked(payload: &(dyn Any + Send)) -> Self {
        Self::Panicked(panic_text(payload))
    }

    fn elsewhere(tool: &RegisteredTool) -> Self {
        Self::Failed(anyhow::anyhow!("`{}` does not run here", tool.name()))
    }

    /// Drops it, since another one follows. The `Drop` of its error may panic, which is an end of its own.
    pub(super) fn forget(self) -> Result<(), Self> {
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(self)));
        dropped.map_err(|payload| Self::panicked(payload.as_ref()))
    }
}

/// How far an attempt comes without waiting.
pub(super) enum Begun<'r> {
    Ended(Attempt),
    Waits(Box<Waiting<'r>>),
}

/// A tool that waits for something.
pub(super) struct Waiting<'r> {
    call: Contained<'r>,
    bound: Bound,
}

/// How long an attempt may take and when that is over, where it is bounded.
type Bound = Option<(Duration, Option<Instant>)>;

/// Begins an attempt on this thread. Most small calls are done at once; they need no waiting for the run's end.
pub(super) fn begin<'r>(
    ready: &ReadyCall<'r, '_>,
    policy: &RunPolicy,
    limit: Option<Duration>,
    result: &mut ToolResult,
    cx: &mut Context<'_>,
) -> Begun<'r> {
    let ReadyCall { call, ctx, .. } = *ready;
    let Some(tool) = ready.tool.tool() else {
        return Begun::Ended(Attempt::elsewhere(ready.tool));
    };
    let bound = bound(limit);
    let call = Call {
        args: &call.arguments,
        options: options(policy),
        ctx: Some(ctx),
    };
    let mut call = match catch_unwind(AssertUnwindSafe(|| tool.__call(call))) {
        Ok(Called::Done(returned)) => return Begun::Ended(Attempt::of(returned, result)),
        Ok(Called::Running(call)) => Contained(Some(call)),
        Err(payload) => return Begun::Ended(Attempt::panicked(payload.as_ref())),
    };
    match call.poll(result, cx) {
        Poll::Ready(ended) => Begun::Ended(ended),
        Poll::Pending => Begun::Waits(Box::new(Waiting { call, bound })),
    }
}

impl Waiting<'_> {
    /// Waits for the attempt's end: its own, or that of its time, of the run's time, or of the run, whichever comes first.
    pub(super) async fn end(
        &mut self,
        ready: &ReadyCall<'_, '_>,
        result: &mut ToolResult,
    ) -> Attempt {
        let Self { call, bound } = self;
        bounded(ready, *bound, poll_fn(|cx| call.poll(result, cx))).await
    }
}

/// One attempt on another thread, within the same bounds.
pub(super) async fn run_blocking(
    ready: &ReadyCall<'_, '_>,
    policy: &RunPolicy,
    places: &BlockingPlaces,
    limit: Option<Duration>,
    result: &mut ToolResult,
) -> Attempt {
    let call = on_other_thread(ready, places, options(policy), result);
    bounded(ready, bound(limit), call).await
}

fn options(policy: &RunPolicy) -> ToolCallOptions {
    ToolCallOptions {
        prefer_markdown: policy.prefer_markdown,
    }
}

fn bound(limit: Option<Duration>) -> Bound {
    limit.map(|limit| (limit, Instant::now().checked_add(limit)))
}

/// A tool's future, whose body and whose `Drop` may panic.
struct Contained<'r>(Option<Pin<Box<dyn Future<Output = anyhow::Result<ToolResult>> + Send + 'r>>>);

impl Contained<'_> {
    /// The result goes into its place.
    fn poll(&mut self, result: &mut ToolResult, cx: &mut Context<'_>) -> Poll<Attempt> {
        let Some(call) = &mut self.0 else {
            return Poll::Pending;
        };
        Poll::Ready(
            match catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(cx))) {
                Ok(Poll::Pending) => return Poll::Pending,
                Ok(Poll::Ready(returned)) => Attempt::of(returned, result),
                Err(payload) => Attempt::panicked(payload.as_ref()),
            },
        )
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
    bound: Bound,
    call: impl Future<Output = Attempt>,
) -> Attempt {
    // An answer that is there counts, even if time ran out in the same moment.
    tokio::select! {
        biased;
        ended = call => ended,
        () = cancelled(ready) => Attempt::Cancelled,
        limit = timed_out(bound) => Attempt::TimedOut(limit),
        () = sleep_until(ready.ctx.run().deadline()) => Attempt::Deadline,
    }
}

/// Resolves when the call must be dropped because the run is cancelled; never for one that has to finish.
async fn cancelled(ready: &ReadyCall<'_, '_>) {
    if ready.tool.policy().runtime.cancelable {
        ready.ctx.run().cancelled().await;
    } else {
        std::future::pending::<()>().await;
    }
}

async fn timed_out(bound: Bound) -> Duration {
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
async fn on_other_thread(
    ready: &ReadyCall<'_, '_>,
    places: &BlockingPlaces,
    options: ToolCallOptions,
    result: &mut ToolResult,
) -> Attempt {
    let Some(tool) = ready.tool.tool().map(Arc::clone) else {
        return Attempt::elsewhere(ready.tool);
    };
    let Some(place) = places.take().await else {
        return Attempt::Cancelled;
    };
    let ctx = ready.ctx;
    let token = ctx.cancellation_token().child_token();
    let _cancel_on_drop = token.clone().drop_guard();
    let arguments = ready.call.arguments.clone();
    let ctx = RunContext::clone(ctx).with_call_cancellation(token.clone());
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
        Ok(Some(returned)) => Attempt::of(returned, result),
        Ok(None) => Attempt::Cancelled,
        Err(error) => match error.try_into_panic() {
            Ok(payload) => Attempt::panicked(payload.as_ref()),
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
