//! The runs of a harness, from the beginning, after a pause, and after a crash.

use std::sync::Arc;

use tracing::Instrument as _;

use super::parts::Parts;
use super::{AgentHarness, AgentRun, paused_turn, run_loop, trace};
use crate::context::{RunContext, RunId};
use crate::deferred::DeferredToolResults;
use crate::dispatch::Dispatcher;
use crate::effects;
use crate::error::TinyAgentsError;
use crate::model::Message;
use crate::timeline::Recorder;

impl<S: Clone + Send + Sync + 'static> AgentHarness<S> {
    /// Runs the agent on a transcript, in a context of its own.
    ///
    /// The run up to a failure goes with that context; to keep it, bring one of your own to
    /// [`invoke_in_context`](Self::invoke_in_context) and ask it for its [`failed_run`](RunContext::failed_run).
    ///
    /// # Errors
    /// As [`invoke_in_context`](Self::invoke_in_context).
    pub async fn invoke(
        &self,
        state: &S,
        messages: Vec<Message>,
    ) -> Result<AgentRun, TinyAgentsError> {
        self.invoke_in_context(state, RunContext::new(), messages)
            .await
    }

    /// Runs the agent on a transcript until the model answers without a call, or something stops the run: see
    /// [`AgentRun::stop`].
    ///
    /// # Errors
    /// Misuse (no model, a hidden value missing), a failure of the model, and what the policy wants to fail.
    /// Cancellation, limits, the deadline and a tool's fatal failure are no errors: they are the run's
    /// [`StopReason`](super::StopReason). Any clone of `ctx` then has the run up to the failure:
    /// [`RunContext::failed_run`].
    pub async fn invoke_in_context(
        &self,
        state: &S,
        ctx: RunContext,
        messages: Vec<Message>,
    ) -> Result<AgentRun, TinyAgentsError> {
        self.run(state, ctx, messages, None).await
    }

    /// Goes on with a paused run: `messages` is its transcript, `results` the answer to each of its deferred calls.
    ///
    /// An approved call goes through the whole admission again; it is approved for its tool as it was defined and for the
    /// arguments that were approved, and is deferred anew where either has changed since. Calls that were answered before
    /// the pause don't run again. The run has a context of its own, and so limits of its own.
    ///
    /// With an effect ledger the transcript is reconciled first, as by
    /// [`reconcile_tool_effects`](Self::reconcile_tool_effects), with the rows of the context's run: give it the old run
    /// id. A call that an earlier resume had begun is answered by that, and not by `results`.
    ///
    /// # Errors
    /// [`DeferredResults`](TinyAgentsError::DeferredResults) with every id that is unknown, answered twice, answered
    /// already or without an answer; [`Validation`](TinyAgentsError::Validation) for a transcript whose last turn
    /// doesn't carry its requests, or not as they were made. Nothing has run then. Otherwise as
    /// [`invoke_in_context`](Self::invoke_in_context).
    pub async fn resume_deferred(
        &self,
        state: &S,
        ctx: RunContext,
        messages: Vec<Message>,
        results: DeferredToolResults,
    ) -> Result<AgentRun, TinyAgentsError> {
        if ctx.lacks_its_ledger() {
            return Err(TinyAgentsError::Validation(
                "the run had an effect ledger before it waited, and an effect could happen twice without; attach it by `with_tool_effect_ledger`"
                    .to_owned(),
            ));
        }
        let ledger = ctx.effect_ledger().cloned();
        let (mut messages, mut results) = (messages, results);
        if let Some(ledger) = ledger {
            // Nothing is settled for results that don't fit.
            paused_turn::check(&messages, &results)?;
            let run_id = ctx.run_id().clone();
            let base = self.registry.catalogue();
            // The toolsets are asked as the run will ask them.
            let asked = ctx.clone().with_state(state.clone());
            let asked = asked.hosted(self.capabilities, &self.middleware, base);
            let catalogue = self.sources.catalogue(base, &asked).await?;
            effects::reconcile(&ctx, &ledger, &catalogue, &run_id, &mut messages).await?;
            results.retain(|id| !paused_turn::is_answered(&messages, id));
            if results.is_empty() {
                return self.run(state, ctx, messages, None).await;
            }
        }
        self.run(state, ctx, messages, Some(results)).await
    }

    async fn run(
        &self,
        state: &S,
        ctx: RunContext,
        messages: Vec<Message>,
        results: Option<DeferredToolResults>,
    ) -> Result<AgentRun, TinyAgentsError> {
        let Some(model) = &self.model else {
            return Err(TinyAgentsError::Validation(
                "the harness has no model; give it one by `with_model`".to_owned(),
            ));
        };
        let catalogue = self.registry.catalogue();
        let dispatcher = Dispatcher::from_parts(
            Arc::clone(catalogue),
            Arc::clone(&self.policy),
            Arc::clone(&self.middleware),
            Arc::clone(&self.sources),
            self.blocking.clone(),
            self.capabilities,
        );
        let recorder = Arc::new(Recorder::start());
        let ctx = ctx
            .with_state(state.clone())
            .with_recorder(Arc::clone(&recorder));
        let parts = Parts {
            model: model.as_ref(),
            dispatcher: &dispatcher,
            policy: &self.policy,
            middleware: &self.middleware,
            instructions: catalogue.instructions(),
            deferred_handler: self.deferred_handler.as_deref(),
            recorder: &recorder,
            sources: &self.sources,
        };
        let ctx = ctx.hosted(self.capabilities, &self.middleware, catalogue);
        let _stay = effects::RunStay::of(&ctx);
        let span = trace::agent_span(&ctx);
        let run = run_loop::run(parts, ctx, messages, results);
        let outcome = run.instrument(span.clone()).await;
        trace::end_agent(&span, &outcome);
        outcome
    }

    /// Brings a transcript and the effect ledger together after a crash: each call of the last assistant turn that had
    /// begun and has no answer gets one.
    ///
    /// A call that came to its end gets the recorded result, without redacted values. Its follow-up comes as well, once
    /// every call of the turn has its answer, and its metadata in the run that begins in this context.
    /// One that was interrupted is answered so and never run again; but where the tool is
    /// [`Safe`](tinytools::ToolReplay::Safe) to replay it is left to the loop, like one that had not begun:
    /// [`invoke_in_context`](Self::invoke_in_context) runs both before it asks the model, when its context has the same
    /// ledger. Give that context the old run id. Doing this twice changes nothing. A recorded result of a tool that
    /// [returns directly](tinytools::Tool::return_direct) ends the run that begins in this context.
    ///
    /// Nobody else may be working on the run: a live call looks the same as a dead one. A ledger with leases sees to that.
    /// Toolsets are asked for their tools with this context, as for the run's first turn, but without its state.
    ///
    /// # Errors
    /// [`Validation`](TinyAgentsError::Validation) when `ctx` has no ledger, [`Ledger`](TinyAgentsError::Ledger) when
    /// that fails, or another host works on the run; what a toolset fails with. The transcript is then as it was.
    pub async fn reconcile_tool_effects(
        &self,
        ctx: &RunContext,
        run_id: impl Into<RunId>,
        messages: &mut Vec<Message>,
    ) -> Result<(), TinyAgentsError> {
        let Some(ledger) = ctx.effect_ledger() else {
            return Err(TinyAgentsError::Validation(
                "the context has no effect ledger; give it one by `with_tool_effect_ledger`"
                    .to_owned(),
            ));
        };
        let run_id = run_id.into();
        let catalogue = self
            .sources
            .catalogue(self.registry.catalogue(), ctx)
            .await?;
        effects::reconcile(ctx, ledger, &catalogue, &run_id, messages)
            .await
            .map_err(Into::into)
    }
}
