//! The dispatch of a turn's calls, in the lifecycle's order.

use std::pin::pin;
use std::sync::Arc;

use tinytools::InjectionError;

use super::assembly::add;
use super::follow_up::FollowUp;
use super::settle::Settlement;
use super::slot::{Settled, Slot, run_failed};
use super::{Batch, Turn, ids, interruption};
use crate::admission::{Pending, Requested};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::harness::RunLimits;
use crate::model::ToolCall;

impl Turn {
    /// Admits, runs and answers the calls of one assistant turn.
    ///
    /// Every call gets exactly one row, in call order, unless it leaves the loop. `state` is what tools get for a
    /// hidden parameter of that type.
    ///
    /// # Errors
    /// [`MissingInjection`](TinyAgentsError::MissingInjection) and
    /// [`MissingCredential`](TinyAgentsError::MissingCredential) when the context lacks what a registered tool needs, and
    /// the failures that the policy asks for. No call has run then. [`Ledger`](TinyAgentsError::Ledger) when the start
    /// of an effect can't be recorded; calls of the batch may have run, and [`RunContext::failed_run`] has their answers.
    pub async fn dispatch<S: Clone + Send + Sync + 'static>(
        &self,
        state: &S,
        ctx: &RunContext,
        calls: Vec<ToolCall>,
    ) -> Result<Batch, TinyAgentsError> {
        let mut batch = Batch::default();
        pin!(self.dispatch_into(state, ctx, calls, &mut batch)).await?;
        Ok(batch)
    }

    /// The same into a batch that is empty, and stays so where this fails.
    pub(super) async fn dispatch_into<S: Clone + Send + Sync + 'static>(
        &self,
        state: &S,
        ctx: &RunContext,
        calls: Vec<ToolCall>,
        batch: &mut Batch,
    ) -> Result<(), TinyAgentsError> {
        let hosted;
        let ctx = if ctx.is_hosted(state, &self.middleware) {
            ctx
        } else {
            let own = ctx.clone().with_state(state.clone());
            hosted = own.hosted(self.capabilities, &self.middleware, &self.catalogue);
            &hosted
        };
        self.check_injections(ctx)?;
        let ran = pin!(self.run(ctx, calls, batch)).await;
        if ran.is_err() {
            ctx.keep_failed_run(std::mem::take(batch).into());
        }
        ran
    }

    /// Everything that a registered tool can't do without must be there before anything runs.
    pub(crate) fn check_injections(&self, ctx: &RunContext) -> Result<(), TinyAgentsError> {
        for required in self.catalogue.required() {
            if !ctx.offers(required.injected.type_id) {
                let missing = InjectionError::new(required.tool.as_ref(), &required.injected);
                return Err(missing.into());
            }
        }
        for (credential, tool) in self.catalogue.credentials() {
            if !ctx.has_credential(credential) {
                return Err(TinyAgentsError::MissingCredential {
                    tool: tool.to_string(),
                    credential: credential.clone(),
                });
            }
        }
        Ok(())
    }

    /// The lifecycle of a batch. The steps are in the order that security and the accounting of limits need.
    ///
    /// The batch is whole afterwards even where the policy makes the run fail, so that the transcript is, too.
    pub(crate) async fn run(
        &self,
        ctx: &RunContext,
        mut calls: Vec<ToolCall>,
        batch: &mut Batch,
    ) -> Result<(), TinyAgentsError> {
        // In a session each call has an id that the server has just made, and there is no transcript to repeat it in.
        let repeated = match self.session() {
            Some(_) => Vec::new(),
            None => ids::settle(&mut calls, ctx.meter()),
        };
        let limits = ctx.limits_within(&self.policy.limits);
        ctx.begin(&self.policy.limits);
        batch.stop = interruption(ctx);
        batch.messages = Vec::with_capacity(calls.len());
        batch.executed_tools = Vec::with_capacity(calls.len());
        let calls = Arc::new(calls);
        let failure = match Requested::first(&calls) {
            Some(call) if calls.len() == 1 => pin!(self.run_one(ctx, call, &limits, batch)).await,
            _ => Box::pin(self.run_all(ctx, &calls, &repeated, &limits, batch)).await,
        };
        if let Some(requests) = &mut batch.deferred {
            requests.note_requested(&calls);
        }
        batch.calls = Arc::unwrap_or_clone(calls);
        failure.map_or(Ok(()), |failure| Err(*failure))
    }

    /// Most turns make one call. It takes the same steps as many do, without the lists.
    async fn run_one(
        &self,
        ctx: &RunContext,
        call: Requested<'_>,
        limits: &RunLimits,
        batch: &mut Batch,
    ) -> Option<Box<TinyAgentsError>> {
        let mut failure = None;
        let mut pending = Pending::new(ctx, call);
        let reserved = self.reserve(ctx, &call, false, limits, &mut batch.stop);
        let slot = if let Some(slot) = reserved {
            slot
        } else {
            let admitted = if self.middleware.is_empty() {
                self.admit_now(ctx, &mut pending, limits, &mut batch.stop)
            } else {
                let admission = self.admit(ctx, &mut pending, limits, &mut batch.stop);
                Box::pin(admission).await
            };
            admitted.unwrap_or_else(|error| {
                failure = Some(error);
                run_failed()
            })
        };
        let mut settled = Settled::default();
        let settlement = self.settlement(ctx, limits);
        pin!(settlement.settle(&pending, slot, &mut settled)).await;
        failure = failure.or(settled.failed.take());
        if !settled.follow_up.is_empty() {
            let mut follow_up = FollowUp::default();
            follow_up.add(0, std::mem::take(&mut settled.follow_up));
            follow_up.finish(batch);
        }
        add(ctx, batch, &call, &mut settled, limits);
        failure
    }

    async fn run_all(
        &self,
        ctx: &RunContext,
        calls: &Arc<Vec<ToolCall>>,
        repeated: &[usize],
        limits: &RunLimits,
        batch: &mut Batch,
    ) -> Option<Box<TinyAgentsError>> {
        // 1. Cancellation, deadline, limits: every slot is reserved, in call order, before any call is looked at.
        let slots = Requested::all(calls).map(|call| {
            let is_repeated = repeated.binary_search(&call.position()).is_ok();
            let slot = self.reserve(ctx, &call, is_repeated, limits, &mut batch.stop);
            (Pending::new(ctx, call), slot)
        });
        let slots = slots.collect();
        self.run_slots(ctx, slots, limits, batch).await
    }

    /// Admits, runs and answers the calls that have their slots.
    pub(super) async fn run_slots<'a>(
        &'a self,
        ctx: &'a RunContext,
        mut slots: Vec<(Pending<'a>, Option<Slot<'a>>)>,
        limits: &'a RunLimits,
        batch: &mut Batch,
    ) -> Option<Box<TinyAgentsError>> {
        // 2. Admission of every call before any of them runs, so that a batch that fails has done nothing.
        let mut failure = None;
        for (pending, slot) in &mut slots {
            if slot.is_some() {
                continue;
            }
            match self.admit(ctx, pending, limits, &mut batch.stop).await {
                Ok(admitted) => *slot = Some(admitted),
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        let calls: Vec<Requested<'a>> = slots
            .iter()
            .map(|(pending, _)| pending.call.requested())
            .collect();
        // What was ready in a batch that fails doesn't run.
        let slots = slots.into_iter().map(|(pending, slot)| match slot {
            Some(Slot::Ready(_) | Slot::Deferred(_)) if failure.is_some() => {
                (pending, run_failed())
            }
            Some(slot) => (pending, slot),
            None => (pending, run_failed()),
        });

        // 3. Execution; whatever happens to one call, the others are brought to their end.
        let settled = self.settle_all(ctx, slots.collect(), limits).await;
        let mut follow_up = FollowUp::default();
        for (position, (mut one, call)) in settled.into_iter().zip(calls).enumerate() {
            failure = failure.or(one.failed.take());
            follow_up.add(position, std::mem::take(&mut one.follow_up));
            add(ctx, batch, &call, &mut one, limits);
        }
        follow_up.finish(batch);
        failure
    }

    pub(super) fn settlement<'a>(
        &'a self,
        ctx: &'a RunContext,
        limits: &'a RunLimits,
    ) -> Settlement<'a> {
        Settlement {
            policy: &self.policy,
            meter: ctx.meter(),
            middleware: &self.middleware,
            turn: self,
            limits,
        }
    }
}
