//! A request, and a run, inside of the wrap hooks of middlewares.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::parts::Parts;
use super::run_loop::turns;
use super::trace;
use super::{AgentRun, RunLimits, StopReason};
use crate::context::RunContext;
use crate::deferred::DeferredToolResults;
use crate::dialect::Session;
use crate::dispatch::Turn;
use crate::error::TinyAgentsError;
use crate::middleware::{Core, HookFailure};
use crate::model::{Message, ModelRequest, ModelResponse, Usage};

/// A request as the innermost of its wrap hooks sees it.
pub(super) struct WrappedRequest<'a> {
    parts: Parts<'a>,
    turn: &'a Turn,
    limits: &'a RunLimits,
    asked: Mutex<Asked>,
}

/// What has come of the requests so far. The lock is held for the length of one method, never across an await.
#[derive(Default)]
pub(super) struct Asked {
    pub(super) model_calls: u32,
    pub(super) usage: Usage,
    /// The turn with the tools of the last request.
    pub(super) turn: Option<Turn>,
    /// When each request began and ended, by the run's recorder.
    pub(super) spans: Vec<(Duration, Duration)>,
    /// When the request began that has not ended.
    open: Option<Duration>,
    has_failed: bool,
    stop: Option<StopReason>,
}

impl Asked {
    fn end(&mut self, now: Duration) {
        self.spans
            .extend(self.open.take().map(|start| (start, now)));
    }

    /// What a failure that came through all hooks does to the run: the model's own is the run's, and so is a limit.
    pub(super) fn outcome(self, failed: HookFailure) -> Result<StopReason, TinyAgentsError> {
        match self.stop {
            Some(stop) => Ok(stop),
            None if self.has_failed => Err(failed.error),
            None => Ok(StopReason::Middleware(failed.to_string())),
        }
    }
}

impl<'a> WrappedRequest<'a> {
    pub(super) fn new(parts: Parts<'a>, turn: &'a Turn, limits: &'a RunLimits) -> Self {
        Self {
            parts,
            turn,
            limits,
            asked: Mutex::default(),
        }
    }

    pub(super) fn into_asked(self) -> Asked {
        let asked = self.asked.into_inner();
        let mut asked = asked.unwrap_or_else(PoisonError::into_inner);
        // It was given up.
        asked.end(self.parts.recorder.now());
        asked
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the request. The first has its slot already; each further one needs one of its own.
    fn count(&self, ctx: &RunContext) -> Result<(), TinyAgentsError> {
        let mut asked = self.asked();
        asked.has_failed = false;
        if asked.model_calls > 0
            && let Err(limit) = ctx.meter().reserve_model_call(self.limits)
        {
            let text = limit.to_string();
            asked.stop = Some(StopReason::Limit(limit));
            return Err(TinyAgentsError::LimitExceeded(text));
        }
        asked.model_calls += 1;
        Ok(())
    }

    async fn ask(
        &self,
        ctx: &mut RunContext,
        mut request: ModelRequest,
    ) -> Result<ModelResponse, TinyAgentsError> {
        self.count(ctx)?;
        let turn = self.turn.clone().narrowed_to(Arc::clone(&request.tools));
        ctx.emit_with(|| turn.advertised_event());
        let recorder = self.parts.recorder;
        {
            let mut asked = self.asked();
            asked.turn = Some(turn);
            // An earlier one was given up.
            asked.end(recorder.now());
            asked.open = Some(recorder.now());
        }
        // The hooks never see a dialect's text.
        let Parts {
            model,
            policy,
            middleware,
            ..
        } = self.parts;
        let profile = model.profile();
        let session = Session::open(policy.tool_dialect, &profile, &mut request);
        let response = trace::chat(ctx, model, middleware, &session, &profile, request).await;
        let mut asked = self.asked();
        asked.end(recorder.now());
        match response {
            Ok(mut response) => {
                asked.usage += response.usage;
                session.read(&mut response);
                Ok(response)
            }
            Err(error) => {
                asked.has_failed = true;
                Err(error.into())
            }
        }
    }
}

impl Core<ModelRequest, ModelResponse> for WrappedRequest<'_> {
    fn run<'f>(
        &'f self,
        ctx: &'f mut RunContext,
        request: ModelRequest,
    ) -> BoxFuture<'f, Result<ModelResponse, TinyAgentsError>>
    where
        ModelRequest: 'f,
    {
        self.ask(ctx, request).boxed()
    }
}

/// The turns of a run as the innermost of its wrap hooks sees them.
struct WrappedRun<'a> {
    parts: Parts<'a>,
    /// The answers that each try begins with.
    results: Option<DeferredToolResults>,
    last: Mutex<Last>,
}

/// The last run of the agent inside of the hooks.
#[derive(Default)]
struct Last {
    run: Option<AgentRun>,
    has_failed: bool,
}

impl WrappedRun<'_> {
    async fn run_once(
        &self,
        ctx: &mut RunContext,
        messages: Vec<Message>,
    ) -> Result<AgentRun, TinyAgentsError> {
        let mut run = AgentRun {
            run_id: Some(ctx.run_id().clone()),
            thread_id: ctx.thread_id().cloned(),
            messages,
            ..AgentRun::default()
        };
        let outcome = turns(self.parts, ctx, &mut run, self.results.clone()).await;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.has_failed = outcome.is_err();
        if let Ok(stop) = &outcome {
            run.stop = stop.clone();
        }
        // Should a hook fail, what has happened is told all the same.
        last.run = Some(run.clone());
        outcome.map(|_| run)
    }
}

impl Core<Vec<Message>, AgentRun> for WrappedRun<'_> {
    fn run<'f>(
        &'f self,
        ctx: &'f mut RunContext,
        messages: Vec<Message>,
    ) -> BoxFuture<'f, Result<AgentRun, TinyAgentsError>>
    where
        Vec<Message>: 'f,
    {
        self.run_once(ctx, messages).boxed()
    }
}

/// The turns of a run inside of the wrap hooks; `run` is what they leave behind.
pub(super) async fn wrapped_turns(
    parts: Parts<'_>,
    ctx: &mut RunContext,
    run: &mut AgentRun,
    results: Option<DeferredToolResults>,
) -> Result<StopReason, TinyAgentsError> {
    let core = WrappedRun {
        parts,
        results,
        last: Mutex::default(),
    };
    let messages = run.messages.clone();
    match parts.middleware.wrap_agent(ctx, messages, &core).await {
        Ok(done) => {
            let ids = (run.run_id.take(), run.thread_id.take());
            *run = done;
            // A run that a hook made up belongs to this one all the same.
            (run.run_id, run.thread_id) = ids;
            Ok(run.stop.clone())
        }
        Err(failed) => {
            let last = core.last.into_inner();
            let last = last.unwrap_or_else(PoisonError::into_inner);
            if let Some(last) = last.run {
                *run = last;
            }
            if last.has_failed {
                return Err(failed.error);
            }
            Ok(StopReason::Middleware(failed.to_string()))
        }
    }
}
