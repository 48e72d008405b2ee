//! Running one admitted call: attempts, time, cancellation, panics.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::hash::{BuildHasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use serde_json::Value;
use tinytools::{Tool, ToolCallOptions, ToolError, ToolErrorClass, ToolResult, ToolTimeout};
use tokio::time::Instant;
use tracing::Instrument as _;

use super::RunMeter;
use super::{failure, structured};
use crate::admission::ReadyCall;
use crate::context::RunContext;
use crate::deferred::Deferral;
use crate::error::TinyAgentsError;
use crate::events::AgentEvent;
use crate::harness::{RunPolicy, StopReason};
use crate::redaction::Redactor;
use crate::registry::RegisteredTool;

/// What became of a call that ran: its answer, unless [`execute`] says that it left the loop. Filled in place, since a
/// result is too large to be handed through every step by value.
#[derive(Default)]
pub(super) struct Execution {
    pub(super) result: ToolResult,
    pub(super) failure: Option<Failure>,
    pub(super) stop: Option<StopReason>,
    /// How often the tool was begun.
    pub(super) attempts: u32,
    /// Something ended the tool before it was done: what it did is not known.
    pub(super) is_interrupted: bool,
}

/// What the host is told of a failure.
pub(super) struct Failure {
    pub(super) class: ToolErrorClass,
    /// What only the host may read; `None` where it is what the model reads.
    pub(super) detail: Option<String>,
}

impl Failure {
    /// The model is told all there is.
    pub(super) fn repairable() -> Self {
        Self {
            class: ToolErrorClass::Repairable,
            detail: None,
        }
    }

    pub(super) fn hard(detail: String) -> Self {
        Self {
            class: ToolErrorClass::Hard,
            detail: Some(detail),
        }
    }
}

/// How one attempt ended.
enum Attempt {
    /// The result is in its place.
    Returned,
    Failed(anyhow::Error),
    Panicked(String),
    TimedOut(Duration),
    Deadline,
    Cancelled,
}

/// Why a call must not start, or go on.
pub(crate) fn interruption(ctx: &RunContext) -> Option<StopReason> {
    if ctx.is_cancelled() {
        return Some(StopReason::Cancelled);
    }
    let is_over = ctx
        .deadline()
        .is_some_and(|deadline| deadline <= Instant::now());
    is_over.then_some(StopReason::Deadline)
}

/// Resolves when the run is cancelled or its time is over.
pub(crate) async fn interrupted(ctx: &RunContext) -> StopReason {
    tokio::select! {
        biased;
        () = ctx.cancelled() => StopReason::Cancelled,
        () = sleep_until(ctx.deadline()) => StopReason::Deadline,
    }
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Runs a call until it has an answer, with as many attempts as its policy and its nature allow. Gives the reason when it
/// leaves the loop instead.
pub(super) async fn execute(
    ready: &ReadyCall<'_>,
    policy: &RunPolicy,
    meter: &RunMeter,
    execution: &mut Execution,
) -> Option<Deferral> {
    let tool = ready.tool;
    // Only a call that may happen twice is ever repeated.
    let retries = if tool.may_repeat() {
        tool.policy().runtime.max_retries
    } else {
        0
    };
    let redactor = Redactor::new(tool, &ready.call.arguments);
    let limit = match ready.timeout {
        ToolTimeout::Millis(millis) => Some(Duration::from_millis(millis)),
        ToolTimeout::Inherit => policy.default_tool_timeout,
        _ => None,
    };
    let mut attempt = 0;
    loop {
        let is_last = attempt >= retries;
        let ended = run_once(ready, policy, limit, &mut execution.result).await;
        attempt += 1;
        execution.attempts = attempt;
        let wait = match &ended {
            _ if is_last => None,
            Attempt::TimedOut(_) => Some(backoff(policy, attempt)),
            Attempt::Failed(error) => wait_before_retry(error, policy, attempt),
            _ => None,
        };
        let Some(wait) = wait.filter(|wait| fits_deadline(&ready.ctx, *wait)) else {
            return conclude(tool, ended, &redactor, policy, meter, execution);
        };
        ready.ctx.emit_with(|| AgentEvent::ToolRetried {
            call_id: ready.call.id.clone(),
            tool_name: ready.call.name.clone(),
            attempt,
            delay_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
        });
        if Box::pin(is_cancelled_within(&ready.ctx, wait)).await {
            return conclude(
                tool,
                Attempt::Cancelled,
                &redactor,
                policy,
                meter,
                execution,
            );
        }
    }
}

/// Waits before another attempt; `true` when the run was cancelled meanwhile.
async fn is_cancelled_within(ctx: &RunContext, wait: Duration) -> bool {
    tokio::select! {
        biased;
        () = ctx.cancelled() => true,
        () = tokio::time::sleep(wait) => false,
    }
}

/// How long to wait before another attempt; `None` for a failure that another attempt can't mend.
fn wait_before_retry(error: &anyhow::Error, policy: &RunPolicy, attempt: u32) -> Option<Duration> {
    let error = failure::unwrapped(error);
    match ToolError::find(error) {
        Some(ToolError::Transient { retry_after, .. }) => {
            Some(retry_after.unwrap_or_else(|| backoff(policy, attempt)))
        }
        Some(_) => None,
        None => {
            let is_ours = error
                .chain()
                .any(<dyn std::error::Error>::is::<TinyAgentsError>);
            (!is_ours && !failure::is_injection(error)).then(|| backoff(policy, attempt))
        }
    }
}

/// Exponential, with the upper half random, so that calls that failed together don't come back together.
fn backoff(policy: &RunPolicy, attempt: u32) -> Duration {
    let doublings = attempt.saturating_sub(1).min(20);
    let full = policy
        .retry_base_delay
        .saturating_mul(1 << doublings)
        .min(policy.retry_max_delay);
    let half = full / 2;
    let span = u64::try_from(half.as_nanos()).unwrap_or(u64::MAX);
    let random = RandomState::new().hash_one(attempt);
    half + Duration::from_nanos(random % span.saturating_add(1))
}

fn fits_deadline(ctx: &RunContext, wait: Duration) -> bool {
    ctx.deadline().is_none_or(|deadline| {
        Instant::now()
            .checked_add(wait)
            .is_some_and(|at| at < deadline)
    })
}

/// One attempt, bounded by its time, the run's time and cancellation, whichever comes first.
async fn run_once(
    ready: &ReadyCall<'_>,
    policy: &RunPolicy,
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
        let call = Box::pin(run_blocking(tool, arguments, options, &ready.ctx, result));
        bounded(ready, limit, call).await
    } else {
        let ctx = &ready.ctx;
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
    ready: &ReadyCall<'_>,
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
async fn cancelled(ready: &ReadyCall<'_>) {
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
/// can't be stopped; its context then says that it is cancelled. A body that still waits for a thread never starts.
async fn run_blocking(
    tool: &Arc<dyn Tool>,
    arguments: Value,
    options: ToolCallOptions,
    ctx: &RunContext,
    result: &mut ToolResult,
) -> Attempt {
    let token = ctx.cancellation_token().child_token();
    let _cancel_on_drop = token.clone().drop_guard();
    let tool = Arc::clone(tool);
    let ctx = ctx.clone().with_call_cancellation(token.clone());
    let runtime = tokio::runtime::Handle::current();
    // The thread's own spans and logs belong to the call.
    let span = tracing::Span::current();
    let body = tokio::task::spawn_blocking(move || {
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

fn panic_text(payload: &(dyn Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a text".to_owned())
}

impl Execution {
    /// The call failed; `text` is for the model and may not hold a redacted value.
    pub(super) fn fail(&mut self, text: String, class: ToolErrorClass, detail: Option<String>) {
        self.result = ToolResult::error(text);
        self.failure = Some(Failure { class, detail });
    }
}

/// Turns the end of the last attempt into what the model and the host are told.
fn conclude(
    tool: &RegisteredTool,
    ended: Attempt,
    redactor: &Redactor,
    policy: &RunPolicy,
    meter: &RunMeter,
    execution: &mut Execution,
) -> Option<Deferral> {
    execution.is_interrupted = !matches!(ended, Attempt::Returned | Attempt::Failed(_));
    match ended {
        Attempt::Returned => {
            if execution.result.is_error {
                redactor.apply_to(&mut execution.result);
            } else if let Err(detail) = structured::check(tool, &mut execution.result) {
                let text = redactor.apply(failure::broke_its_promise(tool));
                let detail = redactor.apply(detail);
                execution.fail(text, ToolErrorClass::Hard, Some(detail));
            }
        }
        Attempt::Panicked(payload) => fail_for_panic(tool, &payload, redactor, execution),
        Attempt::TimedOut(limit) => {
            let text = redactor.apply(failure::timed_out(tool, limit));
            execution.fail(text, ToolErrorClass::Retryable, None);
        }
        Attempt::Deadline => {
            let text = redactor.apply(failure::deadline(tool));
            execution.fail(text, ToolErrorClass::Hard, None);
            execution.stop = Some(StopReason::Deadline);
        }
        Attempt::Cancelled => {
            let text = redactor.apply(failure::cancelled(tool));
            execution.fail(text, ToolErrorClass::Hard, None);
            execution.stop = Some(StopReason::Cancelled);
        }
        Attempt::Failed(error) => {
            // The error's `Display` and `Drop` are the author's code as well.
            let concluded = catch_unwind(AssertUnwindSafe(|| {
                let inner = failure::unwrapped(&error);
                let deferral = conclude_failed(tool, inner, redactor, policy, meter, execution);
                drop(error);
                deferral
            }));
            match concluded {
                Ok(deferral) => return deferral,
                Err(payload) => {
                    *execution = Execution::default();
                    let payload = panic_text(payload.as_ref());
                    fail_for_panic(tool, &payload, redactor, execution);
                }
            }
        }
    }
    None
}

fn fail_for_panic(
    tool: &RegisteredTool,
    payload: &str,
    redactor: &Redactor,
    execution: &mut Execution,
) {
    let detail = redactor.apply(format!("panicked: {payload}"));
    let text = redactor.apply(failure::panicked(tool));
    execution.fail(text, ToolErrorClass::Hard, Some(detail));
}

/// The same for an attempt that ended with an error.
fn conclude_failed(
    tool: &RegisteredTool,
    error: &anyhow::Error,
    redactor: &Redactor,
    policy: &RunPolicy,
    meter: &RunMeter,
    execution: &mut Execution,
) -> Option<Deferral> {
    // What the tool says of itself comes before anything that could be guessed from the error.
    if let Some(deferral) = deferral(error) {
        return Some(deferral);
    }
    let mut text = redactor.apply(failure::error_text(tool, error));
    let said = ToolError::find(error);
    let class = said.map_or(Some(ToolErrorClass::Retryable), ToolError::class);
    let mut class = class.unwrap_or(ToolErrorClass::Repairable);
    let mut detail = None;
    match said {
        Some(ToolError::Retry(_))
            if !meter.count_correction(tool.name(), policy.max_corrections) =>
        {
            text = format!("{text}; do not call `{}` for this again", tool.shown_name());
        }
        Some(ToolError::Fatal(_)) => execution.stop = Some(StopReason::Fatal(text.clone())),
        None if failure::is_injection(error) => {
            class = ToolErrorClass::Hard;
            detail = Some(redactor.apply(format!("{error:#}")));
        }
        _ => {}
    }
    execution.fail(text, class, detail);
    None
}

/// The tool's or the runtime's own word for a call that leaves the loop.
fn deferral(error: &anyhow::Error) -> Option<Deferral> {
    match ToolError::find(error) {
        Some(ToolError::ApprovalRequired { metadata }) => {
            return Some(Deferral::approval(metadata.clone()));
        }
        Some(ToolError::CallDeferred { metadata }) => {
            return Some(Deferral::elsewhere(metadata.clone()));
        }
        Some(_) => return None,
        None => {}
    }
    error.chain().find_map(|cause| match cause.downcast_ref()? {
        TinyAgentsError::ApprovalRequired { metadata } => {
            Some(Deferral::approval(metadata.clone()))
        }
        TinyAgentsError::CallDeferred { metadata } => Some(Deferral::elsewhere(metadata.clone())),
        _ => None,
    })
}
