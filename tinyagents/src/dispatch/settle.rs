//! Bringing one call of a batch to its end: run or not, one terminal event, at most one row.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use tinytools::{ToolContent, ToolErrorClass, ToolResult};
use tokio::time::Instant;

use super::execute::{self, Execution, Failure};
use super::{RunMeter, results};
use crate::admission::{Departure, ReadyCall};
use crate::context::RunContext;
use crate::deferred::{Deferral, PendingCall};
use crate::events::AgentEvent;
use crate::harness::{RunPolicy, StopReason, ToolResultMetadata};
use crate::middleware::{HookFailure, MiddlewareStack};
use crate::model::{ToolCall, ToolMessage};
use crate::registry::RegisteredTool;

/// A call of the batch on its way.
pub(super) enum Slot {
    /// It runs.
    Ready(Box<ReadyCall>),
    /// It is answered without running; middlewares see the answer.
    Answered(Box<(ToolCall, ToolResult)>),
    /// It is answered without having been looked at: a limit, a repeated id, an interrupted run.
    Refused(String),
    /// It leaves the loop.
    Deferred(Box<Departure>),
}

impl Slot {
    /// Whether it may be brought to its end beside its neighbours.
    pub(super) fn is_concurrency_safe(&self) -> bool {
        match self {
            Self::Ready(ready) => ready.is_concurrency_safe,
            Self::Answered(_) | Self::Refused(_) | Self::Deferred(_) => true,
        }
    }
}

/// What is left of a call.
#[derive(Default)]
pub(super) struct Settled {
    pub(super) row: Option<ToolMessage>,
    /// The row tells that nobody looked at the call; it says nothing of what the model asked for.
    pub(super) is_refused: bool,
    pub(super) follow_up: Vec<ToolContent>,
    pub(super) metadata: Option<Box<ToolResultMetadata>>,
    pub(super) return_direct: Option<String>,
    pub(super) executed: Option<String>,
    pub(super) deferred: Option<Box<Waiting>>,
    pub(super) stop: Option<StopReason>,
}

/// A call that has left the loop.
pub(super) struct Waiting {
    pub(super) pending: PendingCall,
    pub(super) deferral: Deferral,
}

/// What every call of a batch is brought to its end by.
#[derive(Clone, Copy)]
pub(super) struct Settlement<'a> {
    pub(super) policy: &'a RunPolicy,
    pub(super) meter: &'a RunMeter,
    pub(super) middleware: &'a MiddlewareStack,
}

/// A result on its way to a row.
struct Answer<'a> {
    /// The name the model used.
    requested_name: &'a str,
    /// The call as it is now; middlewares see it.
    call: Cow<'a, ToolCall>,
    /// The tool that ran; `None` when none did.
    tool: Option<&'a RegisteredTool>,
    result: ToolResult,
    failure: Option<Failure>,
    stop: Option<StopReason>,
    started: Option<Instant>,
}

impl Settlement<'_> {
    /// Brings one call to its end. `requested` is the call as the model made it.
    pub(super) async fn settle(
        self,
        ctx: &RunContext,
        requested: &ToolCall,
        slot: Slot,
    ) -> Settled {
        match slot {
            Slot::Ready(ready) => self.run(ready, requested).await,
            Slot::Answered(answered) => {
                let (call, result) = *answered;
                let answer = Answer {
                    requested_name: &requested.name,
                    started: started(ctx, &call),
                    call: Cow::Owned(call),
                    tool: None,
                    result,
                    failure: None,
                    stop: None,
                };
                self.answer(ctx, answer).await
            }
            Slot::Refused(text) => refuse(ctx, requested, text),
            Slot::Deferred(departure) => self.defer(ctx, *departure),
        }
    }

    async fn run(self, mut ready: Box<ReadyCall>, requested: &ToolCall) -> Settled {
        // Calls before this one may have taken all the time there was.
        if let Some(stop) = execute::interruption(&ready.ctx) {
            let mut settled = refuse(&ready.ctx, requested, not_run(&stop));
            settled.stop = Some(stop);
            return settled;
        }
        let tool = Arc::clone(&ready.tool);
        let started = started(&ready.ctx, &ready.call);
        // Middlewares see the arguments once more, and a tool may still defer its call; running uses them up.
        let call = if ready.is_altered {
            Cow::Owned(ready.call.clone())
        } else {
            Cow::Borrowed(requested)
        };
        match execute::execute(&mut ready, self.policy, self.meter).await {
            Execution::Answered {
                result,
                failure,
                stop,
            } => {
                let answer = Answer {
                    requested_name: &requested.name,
                    call,
                    tool: Some(&tool),
                    result,
                    failure,
                    stop,
                    started,
                };
                self.answer(&ready.ctx, answer).await
            }
            Execution::Deferred(deferral) => {
                let departure = Departure {
                    call: call.into_owned(),
                    tool: Arc::clone(&tool),
                    deferral,
                };
                self.defer(&ready.ctx, departure)
            }
        }
    }

    /// `after_tool`, then the row, then the terminal event.
    async fn answer(self, ctx: &RunContext, answer: Answer<'_>) -> Settled {
        let Answer {
            requested_name,
            call,
            tool,
            mut result,
            mut failure,
            mut stop,
            started,
        } = answer;
        if !self.middleware.is_empty()
            && let Err(failed) = Box::pin(self.after_tool(ctx.clone(), &call, &mut result)).await
        {
            // The result stands: the call has happened, and the model must not believe otherwise.
            let failed = failed.to_string();
            failure.get_or_insert_with(|| Failure::hard(failed.clone()));
            stop.get_or_insert(StopReason::Middleware(failed));
        }
        let prefer_markdown = self.policy.prefer_markdown;
        let row = results::row(&call.id, requested_name, tool, &mut result, prefer_markdown);
        finished(
            ctx,
            &call.name,
            &row,
            failure,
            result.metadata.as_ref(),
            started,
        );
        let ends_run = result
            .return_direct
            .unwrap_or_else(|| !result.is_error && tool.is_some_and(RegisteredTool::return_direct));
        let tool_name = || call.name.clone();
        Settled {
            is_refused: false,
            return_direct: ends_run.then(|| row.content.clone()),
            metadata: result.metadata.map(|metadata| {
                Box::new(ToolResultMetadata {
                    call_id: call.id.clone(),
                    tool_name: tool_name(),
                    metadata,
                })
            }),
            executed: tool.is_some().then(tool_name),
            row: Some(row),
            follow_up: result.follow_up,
            deferred: None,
            stop,
        }
    }

    async fn after_tool(
        self,
        mut ctx: RunContext,
        call: &ToolCall,
        result: &mut ToolResult,
    ) -> Result<(), HookFailure> {
        self.middleware.after_tool(&mut ctx, call, result).await
    }

    /// A call that leaves the loop gives its slot back: it counts when it runs.
    fn defer(self, ctx: &RunContext, departure: Departure) -> Settled {
        let Departure {
            call,
            tool,
            deferral,
        } = departure;
        self.meter.release_tool_call(&call.name);
        ctx.emit_with(|| AgentEvent::ToolDeferred {
            call_id: call.id.clone(),
            reason: deferral.reason().to_owned(),
        });
        let pending = PendingCall::new(&call.id, &tool, &call.arguments);
        Settled {
            deferred: Some(Box::new(Waiting { pending, deferral })),
            ..Settled::default()
        }
    }
}

/// What the model reads of a call that the end of the run came before.
pub(super) fn not_run(stop: &StopReason) -> String {
    let reason = match stop {
        StopReason::Cancelled => "the run was cancelled",
        StopReason::Deadline => "the time of the run is over",
        StopReason::Limit(_) => "limit",
        _ => "the run ended",
    };
    format!("not run: {reason}")
}

/// Answers a call that nobody has looked at.
fn refuse(ctx: &RunContext, requested: &ToolCall, text: String) -> Settled {
    let started = started(ctx, requested);
    let failure = Some(Failure::hard(text.clone()));
    let row = ToolMessage::error(&requested.id, &requested.name, text);
    finished(ctx, &requested.name, &row, failure, None, started);
    Settled {
        row: Some(row),
        is_refused: true,
        ..Settled::default()
    }
}

/// Tells of the start; the clock is read only where somebody listens.
fn started(ctx: &RunContext, call: &ToolCall) -> Option<Instant> {
    ctx.emit_with(|| AgentEvent::ToolStarted {
        call_id: call.id.clone(),
        tool_name: call.name.clone(),
    });
    ctx.has_events().then(Instant::now)
}

/// The one terminal event of a call that has a row.
fn finished(
    ctx: &RunContext,
    tool_name: &str,
    row: &ToolMessage,
    failure: Option<Failure>,
    metadata: Option<&Value>,
    started: Option<Instant>,
) {
    ctx.emit_with(|| {
        let duration_ms = started.map_or(0, |started| {
            u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
        });
        let call_id = row.call_id.clone();
        let tool_name = tool_name.to_owned();
        let metadata = metadata.cloned();
        if !row.is_error {
            return AgentEvent::ToolCompleted {
                call_id,
                tool_name,
                duration_ms,
                result_bytes: row.content.len(),
                metadata,
            };
        }
        let class = failure
            .as_ref()
            .map_or(ToolErrorClass::Repairable, |failure| failure.class);
        AgentEvent::ToolFailed {
            call_id,
            tool_name,
            class,
            error: failure
                .and_then(|failure| failure.detail)
                .unwrap_or_else(|| row.content.clone()),
            duration_ms,
            metadata,
        }
    });
}
