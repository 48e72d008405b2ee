//! One turn: what it advertises, and the dispatch of its calls.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tinytools::{InjectionError, ToolExposure, ToolResult};

use super::assembly::add;
use super::settle::{Settled, Settlement, Slot, not_run};
use super::{Batch, RunMeter, execute, ids, results};
use crate::admission::{Admission, Admitted, Advertised};
use crate::context::RunContext;
use crate::deferred::ApprovedCall;
use crate::discovery::{Discovery, DiscoveryKey};
use crate::error::TinyAgentsError;
use crate::events::AgentEvent;
use crate::harness::{HostCapabilities, LimitKind, RunLimits, RunPolicy, StopReason};
use crate::middleware::MiddlewareStack;
use crate::model::{ToolCall, ToolSchema};
use crate::registry::{Catalogue, Prepared, RegisteredTool, schema_bytes};
use crate::toolset::{ShownTools, ToolSources};

/// What one turn advertises and can run. Shared with the dispatcher; taking one copies nothing.
#[derive(Clone)]
pub struct Turn {
    pub(super) catalogue: Arc<Catalogue>,
    policy: Arc<RunPolicy>,
    pub(super) middleware: Arc<MiddlewareStack>,
    pub(super) capabilities: HostCapabilities,
    pub(super) schemas: Arc<[ToolSchema]>,
    prepared: Option<Arc<Prepared>>,
    advertised: Advertised,
    discovery: Option<Arc<Discovery>>,
    /// What is sent where there is something to search for.
    shown: Option<Arc<ShownTools>>,
}

impl Turn {
    pub(super) fn policy(&self) -> &RunPolicy {
        &self.policy
    }

    /// The tools that the name may stand for: the one that is shown as that, and the one that really is called so.
    pub(crate) fn registered(&self, name: &str) -> impl Iterator<Item = &RegisteredTool> {
        let shown = self.catalogue.get(name);
        let real = self.catalogue.by_identity(name);
        let real = real.filter(|real| shown.is_none_or(|shown| !Arc::ptr_eq(shown, real)));
        shown.into_iter().chain(real).map(AsRef::as_ref)
    }

    /// Gives arguments of the tool their own names, where the model was shown others.
    pub(crate) fn restore_names(&self, tool_name: &str, arguments: &mut Value) {
        let Some(prepared) = self.prepared.as_deref() else {
            return;
        };
        let shown_names = self.registered(tool_name).map(RegisteredTool::shown_name);
        for names in shown_names.filter_map(|name| prepared.renamed(name)) {
            names.restore(arguments);
        }
    }

    pub(super) fn new(
        catalogue: Arc<Catalogue>,
        policy: Arc<RunPolicy>,
        middleware: Arc<MiddlewareStack>,
        capabilities: HostCapabilities,
    ) -> Self {
        let prepared = policy
            .tool_schemas
            .as_ref()
            .map(|preparation| catalogue.prepared(preparation));
        let schemas = match &prepared {
            Some(prepared) => prepared.schemas(),
            None => catalogue.direct(),
        };
        Self {
            schemas: Arc::clone(schemas),
            prepared,
            catalogue,
            policy,
            middleware,
            capabilities,
            advertised: Advertised::Direct,
            discovery: None,
            shown: None,
        }
    }

    /// The same turn with what a model needs to search for tools, and with what it has found in this run.
    pub(super) fn discovering(
        mut self,
        ctx: &RunContext,
        sources: &ToolSources,
    ) -> Result<Self, TinyAgentsError> {
        if !self.policy.discovery.enabled || self.catalogue.deferred().is_empty() {
            return Ok(self);
        }
        let hidden = self.hidden_deferred(ctx);
        if hidden.len() == self.catalogue.deferred().len() {
            return Ok(self);
        }
        let discovery = sources.discovery(DiscoveryKey {
            catalogue: &self.catalogue,
            prepared: self
                .policy
                .tool_schemas
                .as_ref()
                .zip(self.prepared.as_ref()),
            policy: &self.policy.discovery,
            hidden,
        })?;
        let shown = ctx.run_tools().shown(&discovery);
        self.schemas = Arc::clone(&shown.schemas);
        self.advertised = Advertised::DirectAnd(Arc::clone(&shown.promoted));
        self.discovery = Some(discovery);
        self.shown = Some(shown);
        Ok(self)
    }

    /// The schemas to send to the model: those of `Direct` tools, sorted by name; where there are deferred ones, then
    /// `tool_search` and `tool_call`, and what searches have found, in the order in which they did. Rewritten where the
    /// policy's [`tool_schemas`](RunPolicy::tool_schemas) says so.
    #[must_use]
    pub fn schemas(&self) -> &[ToolSchema] {
        &self.schemas
    }

    pub(crate) fn shared_schemas(&self) -> Arc<[ToolSchema]> {
        Arc::clone(&self.schemas)
    }

    /// The same turn with only those tools that were really sent. A schema that isn't one of this turn's tools doesn't
    /// become callable by being sent.
    pub(crate) fn narrowed_to(mut self, sent: Arc<[ToolSchema]>) -> Self {
        if Arc::ptr_eq(&sent, &self.schemas) {
            return self;
        }
        let own: HashSet<&str> = self.schemas.iter().map(|own| own.name.as_str()).collect();
        let names: HashSet<String> = sent
            .iter()
            .filter(|schema| own.contains(schema.name.as_str()))
            .map(|schema| schema.name.clone())
            .collect();
        self.advertised = Advertised::Only(Arc::new(names));
        self.schemas = sent;
        self
    }

    /// What the host is told of the turn. The bytes of the whole catalogue are counted once, those of a narrowed turn
    /// when they are asked for.
    pub(crate) fn advertised_event(&self) -> AgentEvent {
        let is_direct = |schema: &&ToolSchema| {
            let tool = self.catalogue.get(&schema.name);
            tool.is_some_and(|tool| tool.exposure() == ToolExposure::Direct)
        };
        AgentEvent::ToolsAdvertised {
            direct: self.schemas.iter().filter(is_direct).count(),
            deferred: self.discovery.as_ref().map_or(0, |found| found.len()),
            schema_bytes: match (&self.shown, &self.prepared) {
                (Some(shown), _) if Arc::ptr_eq(&self.schemas, &shown.schemas) => shown.bytes(),
                (_, Some(prepared)) if Arc::ptr_eq(&self.schemas, prepared.schemas()) => {
                    prepared.bytes()
                }
                _ if Arc::ptr_eq(&self.schemas, self.catalogue.direct()) => {
                    self.catalogue.direct_bytes()
                }
                _ => schema_bytes(&self.schemas),
            },
        }
    }

    /// Admits, runs and answers the calls of one assistant turn.
    ///
    /// Every call gets exactly one row, in call order, unless it leaves the loop. `state` is what tools get for a
    /// hidden parameter of that type.
    ///
    /// # Errors
    /// [`MissingInjection`](TinyAgentsError::MissingInjection) when the context lacks what a registered tool needs, and
    /// the failures that the policy asks for. No call has run then. [`Ledger`](TinyAgentsError::Ledger) when the start
    /// of an effect can't be recorded; calls of the batch may have run, and [`RunContext::failed_run`] has their answers.
    pub async fn dispatch<S: Clone + Send + Sync + 'static>(
        &self,
        state: &S,
        ctx: &RunContext,
        calls: Vec<ToolCall>,
    ) -> Result<Batch, TinyAgentsError> {
        let ctx = ctx.clone().with_state(state.clone());
        let ctx = ctx.hosted(self.capabilities, &self.middleware, &self.catalogue);
        self.check_injections(&ctx)?;
        let mut batch = Batch::default();
        if let Err(failed) = self.run(&ctx, calls, &mut batch).await {
            ctx.keep_failed_run(batch.into());
            return Err(failed);
        }
        Ok(batch)
    }

    /// Everything that a registered tool can't do without must be there before anything runs.
    pub(crate) fn check_injections(&self, ctx: &RunContext) -> Result<(), TinyAgentsError> {
        for required in self.catalogue.required() {
            if !ctx.offers(required.injected.type_id) {
                let missing = InjectionError::new(required.tool.as_ref(), &required.injected);
                return Err(missing.into());
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
        let repeated = ids::settle(&mut calls);
        let limits = ctx.narrowed_limits(&self.policy.limits);
        ctx.begin(&self.policy.limits);
        batch.stop = execute::interruption(ctx);
        batch.messages.reserve_exact(calls.len());
        batch.executed_tools.reserve_exact(calls.len());
        let failure = if let [call] = calls.as_slice() {
            self.run_one(ctx, call, &limits, batch).await
        } else {
            Box::pin(self.run_all(ctx, &calls, &repeated, &limits, batch)).await
        };
        if let Some(requests) = &mut batch.deferred {
            requests.note_requested(&calls);
        }
        batch.calls = calls;
        failure.map_or(Ok(()), Err)
    }

    /// Most turns make one call. It takes the same steps as many do, without the lists.
    async fn run_one(
        &self,
        ctx: &RunContext,
        call: &ToolCall,
        limits: &RunLimits,
        batch: &mut Batch,
    ) -> Option<TinyAgentsError> {
        let mut failure = None;
        let slot = match reserve(ctx, call, false, limits, &mut batch.stop) {
            Some(slot) => slot,
            None => match self.admit(ctx, call, None, limits, &mut batch.stop).await {
                Ok(slot) => slot,
                Err(error) => {
                    failure = Some(error);
                    run_failed()
                }
            },
        };
        let mut settled = Settled::default();
        self.settlement(ctx, limits)
            .settle(ctx, call, slot, &mut settled)
            .await;
        failure = failure.or(settled.failed.take().map(|failed| *failed));
        let mut follow_up = Vec::new();
        add(ctx, batch, call, settled, limits, &mut follow_up);
        batch.follow_up.extend(results::follow_up(follow_up));
        failure
    }

    async fn run_all(
        &self,
        ctx: &RunContext,
        calls: &[ToolCall],
        repeated: &[usize],
        limits: &RunLimits,
        batch: &mut Batch,
    ) -> Option<TinyAgentsError> {
        // 1. Cancellation, deadline, limits: every slot is reserved, in call order, before any call is looked at.
        let mut slots: Vec<Option<Slot<'_>>> = Vec::with_capacity(calls.len());
        for (position, call) in calls.iter().enumerate() {
            let is_repeated = repeated.binary_search(&position).is_ok();
            slots.push(reserve(ctx, call, is_repeated, limits, &mut batch.stop));
        }
        self.run_slots(ctx, calls, &[], slots, limits, batch).await
    }

    /// Admits, runs and answers the calls that have their slots. `approved` is what a person said of the calls, by
    /// position; it may be shorter.
    pub(super) async fn run_slots<'a>(
        &'a self,
        ctx: &'a RunContext,
        calls: &'a [ToolCall],
        approved: &'a [Option<ApprovedCall>],
        mut slots: Vec<Option<Slot<'a>>>,
        limits: &'a RunLimits,
        batch: &mut Batch,
    ) -> Option<TinyAgentsError> {
        // 2. Admission of every call before any of them runs, so that a batch that fails has done nothing.
        let mut failure = None;
        for (position, (slot, call)) in slots.iter_mut().zip(calls).enumerate() {
            if slot.is_some() {
                continue;
            }
            let approved = approved.get(position).and_then(Option::as_ref);
            let admitted = self.admit(ctx, call, approved, limits, &mut batch.stop);
            match admitted.await {
                Ok(admitted) => *slot = Some(admitted),
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        // What was ready in a batch that fails doesn't run.
        let slots = slots.into_iter().map(|slot| match slot {
            Some(Slot::Ready(_) | Slot::Deferred(_)) if failure.is_some() => run_failed(),
            Some(slot) => slot,
            None => run_failed(),
        });

        // 3. Execution; whatever happens to one call, the others are brought to their end.
        let settled = self.settle_all(ctx, calls, slots.collect(), limits).await;
        let mut follow_up = Vec::new();
        for (mut one, call) in settled.into_iter().zip(calls) {
            failure = failure.or(one.failed.take().map(|failed| *failed));
            add(ctx, batch, call, one, limits, &mut follow_up);
        }
        batch.follow_up.extend(results::follow_up(follow_up));
        failure
    }

    /// Admits a call that has its slot. An error is what the policy makes the whole run fail with.
    async fn admit<'a>(
        &'a self,
        ctx: &'a RunContext,
        call: &'a ToolCall,
        approved: Option<&'a ApprovedCall>,
        limits: &'a RunLimits,
        stop: &mut Option<StopReason>,
    ) -> Result<Slot<'a>, TinyAgentsError> {
        let admission = self.admission(ctx.meter(), limits);
        let call_ctx = ctx.for_call(&call.id);
        let admitted = if self.middleware.is_empty() {
            admission.admit_now(call_ctx, call, approved)
        } else {
            // A middleware may wait for a person; the run's end doesn't wait for that.
            tokio::select! {
                biased;
                admitted = Box::pin(admission.admit(call_ctx, call, approved)) => admitted,
                ended = Box::pin(execute::interrupted(ctx)) => {
                    let refused = Slot::Refused(not_run(&ended));
                    stop.get_or_insert(ended);
                    return Ok(refused);
                }
            }
        };
        Ok(match admitted {
            Admitted::Ready(ready) => Slot::Ready(ready),
            Admitted::Answered(answered) => Slot::Answered(answered),
            Admitted::Deferred(departure) => Slot::Deferred(departure),
            Admitted::Limited(limit) => limited(limit, stop),
            Admitted::HookFailed(failed) => {
                let (call, failure) = *failed;
                stop.get_or_insert(StopReason::Middleware(failure));
                let result = ToolResult::error("not run: the host could not check it");
                Slot::Answered(Box::new((call, result)))
            }
            Admitted::Failed(failure) => return Err(failure),
        })
    }

    /// What a call is admitted by.
    pub(super) fn admission<'a>(
        &'a self,
        meter: &'a RunMeter,
        limits: &'a RunLimits,
    ) -> Admission<'a> {
        Admission {
            catalogue: &self.catalogue,
            advertised: &self.advertised,
            available: &self.schemas,
            prepared: self.prepared.as_deref(),
            discovery: self.discovery.as_deref(),
            policy: &self.policy,
            limits,
            meter,
            middleware: &self.middleware,
            capabilities: self.capabilities,
        }
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

/// Takes a slot for one call; `None` when it has one and goes on to admission.
fn reserve<'a>(
    ctx: &RunContext,
    call: &ToolCall,
    is_repeated: bool,
    limits: &RunLimits,
    stop: &mut Option<StopReason>,
) -> Option<Slot<'a>> {
    if let Some(stop @ (StopReason::Cancelled | StopReason::Deadline)) = &*stop {
        return Some(Slot::Refused(not_run(stop)));
    }
    if let Err(limit) = ctx.meter().reserve_tool_call(limits, &call.name) {
        return Some(limited(limit, stop));
    }
    is_repeated.then(|| {
        let text =
            "not run: another call of this turn has the same id; call again with an id of its own";
        Slot::Refused(text.to_owned())
    })
}

pub(super) fn run_failed<'a>() -> Slot<'a> {
    Slot::Refused("not run: the run failed".to_owned())
}

pub(super) fn limited<'a>(limit: LimitKind, stop: &mut Option<StopReason>) -> Slot<'a> {
    let stop = stop.get_or_insert(StopReason::Limit(limit));
    Slot::Refused(not_run(stop))
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("tools", &self.schemas.len())
            .finish_non_exhaustive()
    }
}
