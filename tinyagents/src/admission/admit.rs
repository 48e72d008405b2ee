//! One call on its way to run.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Map;
use tinytools::{ToolResult, ToolTimeout};

use super::{
    Admitted, Advertised, CurrentCall, Departure, ReadyCall, coerce, forged, normalize, nulls,
    recovery, repair, report,
};
use crate::context::{IdempotencyKey, RunContext};
use crate::deferred::{Approval, ApprovedCall, Deferral};
use crate::discovery::{Discovery, TOOL_CALL, unwrapped};
use crate::dispatch::RunMeter;
use crate::error::TinyAgentsError;
use crate::harness::{
    ArgumentCoercion, HostCapabilities, InvalidArgsPolicy, LimitKind, NotAllowedPolicy, RunLimits,
    RunPolicy, UnknownToolPolicy,
};
use crate::middleware::MiddlewareStack;
use crate::model::{ToolCall, ToolSchema};
use crate::registry::{Catalogue, Prepared, RegisteredTool, ToolBody};

/// What every call of a batch is admitted by.
pub(crate) struct Admission<'a> {
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) advertised: &'a Advertised,
    pub(crate) available: &'a [ToolSchema],
    pub(crate) prepared: Option<&'a Prepared>,
    pub(crate) discovery: Option<&'a Discovery>,
    pub(crate) policy: &'a RunPolicy,
    pub(crate) limits: &'a RunLimits,
    pub(crate) meter: &'a RunMeter,
    pub(crate) middleware: &'a MiddlewareStack,
    pub(crate) capabilities: HostCapabilities,
}

/// A call on its way, with what has to be known of its beginning.
pub(super) struct Pending<'a> {
    pub(super) ctx: RunContext,
    pub(super) call: CurrentCall<'a>,
    /// The tool of the call's name, while nobody can have changed that.
    tool: Option<&'a RegisteredTool>,
    /// What the name that the model used stands for; found before anything could change the call. From then on the call
    /// has the tool's canonical name.
    meant: Option<Meant<'a>>,
    /// It came through `tool_call`.
    is_bridged: bool,
    /// The name that a slot is reserved under, where it is not the requested one.
    pub(super) reserved: Option<String>,
    pub(super) is_rewritten: bool,
    /// What a person has approved of it; it may have become something else since.
    approval: Option<&'a Approval>,
}

/// What the name that a model used stands for.
pub(super) enum Meant<'a> {
    /// A tool that it may call.
    Tool(&'a RegisteredTool),
    /// Nothing that it may call, even if a tool has this for its canonical name.
    Nothing(String),
}

/// What the checks after the middlewares make of a call.
pub(super) enum Checked<'a> {
    /// It is a valid call of a tool that the model may call.
    Tool(&'a RegisteredTool),
    /// It goes elsewhere.
    Elsewhere(Admitted<'a>),
    /// It is another call now, and begins anew.
    Rewritten,
}

/// What the last step of admission makes of a call.
pub(super) enum Closed<'a> {
    /// It may run.
    Cleared(Cleared<'a>),
    /// It goes elsewhere.
    Elsewhere(Admitted<'a>),
}

/// What a tool says of a call that may run.
pub(super) struct Cleared<'a> {
    tool: &'a RegisteredTool,
    is_concurrency_safe: bool,
    timeout: ToolTimeout,
    key: Option<IdempotencyKey>,
}

/// The steps of a call. The order is security-critical: [`open`](Self::open), the middlewares,
/// [`check`](Self::check), [`authorize`](Self::authorize): what the middlewares say of the final call, and approval.
/// No step may see what an earlier one has to remove, and nothing that a middleware has touched runs unchecked.
impl<'a> Admission<'a> {
    /// Takes one call through all steps. One that was approved takes them all again.
    pub(crate) async fn admit(
        &self,
        ctx: RunContext,
        requested: &'a ToolCall,
        approved: Option<&'a ApprovedCall>,
    ) -> Admitted<'a> {
        let mut pending = Pending::new(ctx, requested, approved);
        self.take_up(&mut pending);
        loop {
            if let Some(admitted) = self.open(&mut pending) {
                return admitted;
            }
            let Pending { ctx, call, .. } = &mut pending;
            let call = call.to_mut();
            let decision = self.middleware.before_tool(ctx, call).await;
            call.id.clone_from(&requested.id);
            pending.tool = None;
            let deferral = match self.decided(&mut pending, decision) {
                ControlFlow::Continue(deferral) => deferral,
                ControlFlow::Break(admitted) => return admitted,
            };
            let tool = match self.check(&mut pending) {
                Checked::Tool(tool) => tool,
                Checked::Elsewhere(admitted) => return admitted,
                // It goes to the middlewares once more: they have to see it as it now is.
                Checked::Rewritten => continue,
            };
            return self.authorize(pending, tool, deferral).await;
        }
    }

    /// The same where there is no middleware, and so nothing to wait for.
    pub(crate) fn admit_now(
        &self,
        ctx: RunContext,
        requested: &'a ToolCall,
        approved: Option<&'a ApprovedCall>,
    ) -> Admitted<'a> {
        let mut pending = Pending::new(ctx, requested, approved);
        self.take_up(&mut pending);
        if let Some(admitted) = self.open(&mut pending) {
            return admitted;
        }
        let tool = match self.check(&mut pending) {
            Checked::Tool(tool) => tool,
            Checked::Elsewhere(admitted) => return admitted,
            // Whatever could be rewritten was, in the first step.
            Checked::Rewritten => return self.unknown(&mut pending),
        };
        match approve(tool, &mut pending, None) {
            Closed::Cleared(cleared) => pending.into_ready(cleared),
            Closed::Elsewhere(admitted) => admitted,
        }
    }

    /// Before the middlewares: blank arguments settle, an unknown name is rewritten if the policy says so, text that is
    /// almost JSON is mended, forged hidden values go, and what is no JSON goes back. Neither middlewares nor logs see a
    /// forged value or raw debris. `None` is a call that goes on.
    fn open(&self, pending: &mut Pending<'a>) -> Option<Admitted<'a>> {
        pending.settle_blank();
        self.unwrap_bridged(pending);
        if self.callable(pending).is_none() {
            self.rewrite(pending);
        }
        let callable = self.callable(pending);
        if pending.meant.is_none() {
            pending.mean(callable);
        }
        let tool = callable.or_else(|| self.registered(&pending.call.name));
        if let Some(tool) = tool {
            if pending.call.invalid.is_some() && callable.is_some() {
                let tools = self.requested(pending).into_iter().chain([tool]);
                repair::repair(&pending.ctx, tools, &mut pending.call);
            }
            // Hidden names go even where the call can't run: a host-only tool's as well. An argument that the provider
            // knows by another name has its own again first, so that no hidden name comes back by it.
            self.restore_names(tool, pending);
            pending.strip(tool);
        }
        pending.tool = callable;
        pending.confirm(callable);
        let reason = pending.take_invalid()?;
        Some(self.unparseable(pending, &reason))
    }

    /// The model was shown a prepared schema, in which some arguments may have other names.
    fn restore_names(&self, tool: &RegisteredTool, pending: &mut Pending<'a>) {
        // An approver has seen the tool's own names.
        if pending.approval.is_some() {
            return;
        }
        let renamed = self
            .prepared
            .and_then(|prepared| prepared.renamed(tool.shown_name()));
        if let Some(names) = renamed
            && names.are_used_in(&pending.call.arguments)
        {
            names.restore(&mut pending.call.to_mut().arguments);
        }
    }

    /// After the middlewares: the final name, the arguments once more from the beginning, the definition's list.
    pub(super) fn check(&self, pending: &mut Pending<'a>) -> Checked<'a> {
        // 1. The final name must exist and have been advertised. A tool that only the list hides is refused as such;
        //    others are unknown, as those are that don't exist.
        let known = pending.tool.take();
        let tool = known.or_else(|| self.meant(pending));
        let named = tool.or_else(|| match &pending.meant {
            Some(Meant::Nothing(name)) if *name == pending.call.name => self.shown(name),
            _ => None,
        });
        if let Some(tool) = named.filter(|tool| tool.is_for_models())
            && self
                .discovery
                .is_none_or(|found| found.intrinsic(tool.name()).is_none())
            && let Some(definition) = pending
                .ctx
                .definition_without(tool.name(), self.capabilities)
        {
            let reason = definition.refusal();
            return Checked::Elsewhere(self.rejected(pending, &reason));
        }
        let Some(tool) = tool.filter(|tool| self.is_callable(pending, tool)) else {
            if self.rewrite(pending) {
                return Checked::Rewritten;
            }
            return Checked::Elsewhere(self.unknown(pending));
        };
        if let Err(limit) = self.move_slot(pending) {
            return Checked::Elsewhere(Admitted::Limited(limit));
        }

        // 2. A middleware may have brought a hidden name back: strip again, then normalise, then validate, against the
        //    tool's own schema.
        pending.settle_blank();
        pending.strip(tool);
        if let Some(reason) = pending.take_invalid() {
            return Checked::Elsewhere(self.unparseable(pending, &reason));
        }
        if let Some(refused) = self.check_arguments(tool, pending) {
            return Checked::Elsewhere(refused);
        }
        // An approval is of the tool and the arguments as they were; it is looked at again now that both are final.
        pending.confirm(Some(tool));
        Checked::Tool(tool)
    }

    /// A middleware or a rewrite may have made it a call of another tool; that tool's limit holds then.
    fn move_slot(&self, pending: &mut Pending<'_>) -> Result<(), LimitKind> {
        let name = &pending.call.name;
        let requested = &pending.call.requested().name;
        let reserved = pending.reserved.as_ref().unwrap_or(requested);
        if name == reserved {
            return Ok(());
        }
        self.meter.move_tool_call(self.limits, reserved, name)?;
        pending.reserved = Some(name.clone());
        Ok(())
    }

    /// Whatever tool the name may stand for; to take out what nobody may see, not to be called.
    fn registered(&self, name: &str) -> Option<&'a RegisteredTool> {
        self.shown(name).or_else(|| self.identified(name))
    }

    /// The tool that a model calls by this name.
    fn shown(&self, name: &str) -> Option<&'a RegisteredTool> {
        let shown = self.catalogue.get(name).map(AsRef::as_ref);
        shown.or_else(|| self.discovery?.intrinsic(name))
    }

    /// The tool of that canonical name, whatever a model calls it.
    fn identified(&self, name: &str) -> Option<&'a RegisteredTool> {
        let tool = self.catalogue.by_identity(name).map(AsRef::as_ref);
        tool.or_else(|| self.discovery?.intrinsic(name))
    }

    /// The tool that the call is of at the moment, if the model may call it this turn.
    ///
    /// The model's own name is one that it was shown. Afterwards names are canonical: what a middleware or the policy
    /// puts in its place is an identity, never a name that a toolset has given away.
    fn callable(&self, pending: &Pending<'a>) -> Option<&'a RegisteredTool> {
        let tool = self.meant(pending);
        tool.filter(|tool| self.is_callable(pending, tool))
    }

    /// Whether the model may call it this turn.
    fn is_callable(&self, pending: &Pending<'a>, tool: &RegisteredTool) -> bool {
        self.advertised.contains(tool)
            || (pending.is_bridged && self.discovery.is_some_and(|found| found.finds(tool)))
    }

    /// The same whether or not it may be called.
    fn meant(&self, pending: &Pending<'a>) -> Option<&'a RegisteredTool> {
        let name = &pending.call.name;
        match &pending.meant {
            // There is nothing inside of a bridged call but a tool.
            None if pending.is_bridged && name == TOOL_CALL => None,
            None => self.shown(name),
            Some(Meant::Tool(tool)) if tool.name() == name => Some(*tool),
            Some(Meant::Nothing(unknown)) if unknown == name => None,
            Some(_) => self.identified(name),
        }
    }

    /// An approved call has its canonical name already. It is of the tool that the model's name stood for, if that name
    /// still does.
    fn take_up(&self, pending: &mut Pending<'a>) {
        if pending.approval.is_none() {
            return;
        }
        let name = &pending.call.name;
        let requested = &pending.call.requested().name;
        let asked = self.shown(requested).filter(|tool| tool.name() == name);
        let tool = asked.or_else(|| self.identified(name));
        pending.is_bridged = requested == TOOL_CALL;
        if let Some(tool) = tool {
            pending.ctx.set_called(tool.shared_shown_name());
        }
        pending.meant = Some(match tool {
            Some(tool) => Meant::Tool(tool),
            None => Meant::Nothing(name.clone()),
        });
    }

    /// A call that was admitted has a tool, which it may call however it came to it.
    pub(super) fn take_up_again(&self, pending: &mut Pending<'a>) {
        let called = pending.ctx.called().and_then(|name| self.shown(name));
        pending.is_bridged = true;
        pending.meant = Some(match called {
            Some(tool) => Meant::Tool(tool),
            None => Meant::Nothing(pending.call.name.clone()),
        });
    }

    /// A call of `tool_call` becomes the call inside of it, before anything else looks at it.
    fn unwrap_bridged(&self, pending: &mut Pending<'a>) {
        if pending.is_bridged || pending.call.name != TOOL_CALL {
            return;
        }
        let Some(bridge) = self.callable(pending) else {
            return;
        };
        repair::repair(&pending.ctx, [bridge], &mut pending.call);
        if pending.call.invalid.is_some() {
            return;
        }
        if let Some(inner) = unwrapped(&pending.call) {
            *pending.call.to_mut() = inner;
            pending.meant = None;
            pending.is_bridged = true;
            pending.settle_blank();
        }
    }

    /// The tool that the model asked for, where it is registered; a rewrite may have led the call to another one.
    fn requested(&self, pending: &Pending<'_>) -> Option<&'a RegisteredTool> {
        self.registered(&pending.call.requested().name)
    }

    /// Sends a call of an unknown tool to the one that the policy names, once, if the model could call that.
    fn rewrite(&self, pending: &mut Pending<'a>) -> bool {
        let UnknownToolPolicy::Rewrite { tool_name } = &self.policy.unknown_tool else {
            return false;
        };
        let target = self.identified(tool_name);
        let target = target.filter(|target| self.advertised.contains(target));
        let Some(target) = target.filter(|_| !pending.is_rewritten) else {
            return false;
        };
        let recovery = format!("rewrite:{tool_name}");
        let registered = self.registered(&pending.call.name);
        if let Some(registered) = registered {
            pending.strip(registered);
        }
        report::unknown_tool(&pending.ctx, registered, &pending.call, recovery);
        pending.call.to_mut().name.clone_from(tool_name);
        pending.meant = Some(Meant::Tool(target));
        pending.ctx.set_called(target.shared_shown_name());
        pending.is_rewritten = true;
        true
    }

    pub(super) fn unknown(&self, pending: &mut Pending<'a>) -> Admitted<'a> {
        let Pending { ctx, call, .. } = &*pending;
        let registered = self.registered(&call.name);
        if self.policy.unknown_tool == UnknownToolPolicy::Fail {
            report::unknown_tool(ctx, registered, call, "fail".to_owned());
            return Admitted::Failed(TinyAgentsError::ToolNotFound(call.name.clone()));
        }
        report::unknown_tool(ctx, registered, call, "tool_error".to_owned());
        let available = self.available.iter().map(|schema| schema.name.as_str());
        // The row is repeated in the failure's event, so it may not say more than that.
        let arguments = report::shown_arguments(registered, &call.arguments);
        let text = recovery::unknown_tool(&call.name, &arguments, available);
        pending.answered(ToolResult::error(text))
    }

    /// The arguments are no JSON; an unknown tool is told first, since the arguments can't be right for it either.
    fn unparseable(&self, pending: &mut Pending<'a>, reason: &str) -> Admitted<'a> {
        let Some(tool) = self.callable(pending) else {
            return self.unknown(pending);
        };
        let tools = self.requested(pending).into_iter().chain([tool]);
        report::invalid_arguments(&pending.ctx, tools, &pending.call, reason, "tool_error");
        let text = recovery::unparseable(tool.shown_name(), reason);
        pending.answered(ToolResult::error(text))
    }

    pub(super) fn rejected(&self, pending: &mut Pending<'a>, reason: &str) -> Admitted<'a> {
        let Pending { ctx, call, .. } = &*pending;
        report::not_allowed(ctx, call, reason);
        match self.policy.not_allowed {
            NotAllowedPolicy::Fail => Admitted::Failed(TinyAgentsError::ToolNotAllowed {
                tool: call.name.clone(),
                reason: reason.to_owned(),
            }),
            NotAllowedPolicy::ReturnToolError => {
                let text = format!("`{}` is not allowed: {reason}", pending.told_name());
                pending.answered(ToolResult::error(text))
            }
        }
    }

    /// Normalises what the policy says, and validates. `None` is a call with valid arguments.
    fn check_arguments(
        &self,
        tool: &RegisteredTool,
        pending: &mut Pending<'a>,
    ) -> Option<Admitted<'a>> {
        let schema = &tool.schema().parameters;
        if tool.takes(&pending.call.arguments) {
            return None;
        }
        let arguments = &mut pending.call.to_mut().arguments;
        if self.policy.coercion == ArgumentCoercion::Lossless {
            coerce(schema, arguments);
        }
        let mut as_sent = None;
        if self.policy.invalid_args == InvalidArgsPolicy::NormalizeThenReturnToolError
            && let Some(normalized) = normalize::normalized(tool, arguments)
        {
            let sent = std::mem::replace(arguments, normalized);
            as_sent = Some(ToolCall {
                arguments: sent,
                ..pending.call.clone()
            });
        }
        // What was text until now may hold a hidden name.
        pending.strip(tool);
        // A `null` that the schema excludes makes the arguments invalid, so valid ones need no such look.
        nulls::drop_refused_nulls(schema, &mut pending.call.to_mut().arguments);
        let tools = self.requested(pending).into_iter().chain([tool]);
        let redact: Vec<&str> = tools.clone().flat_map(report::redacted).collect();
        let faults = tool.faults(&pending.call.arguments, &redact);
        let Pending { ctx, call, .. } = &*pending;
        let call = as_sent.as_ref().unwrap_or(&**call);
        let Err((faults, broken)) = faults else {
            if as_sent.is_some() {
                report::invalid_arguments(ctx, tools, call, normalize::NOT_AN_OBJECT, "normalized");
            }
            return None;
        };
        let text = recovery::invalid_arguments(broken, &faults);
        Some(if self.policy.invalid_args == InvalidArgsPolicy::Fail {
            report::invalid_arguments(ctx, tools, call, &text, "fail");
            Admitted::Failed(TinyAgentsError::InvalidArguments {
                tool: call.name.clone(),
                error: text,
            })
        } else {
            report::invalid_arguments(ctx, tools, call, &text, "tool_error");
            pending.answered(ToolResult::error(text))
        })
    }
}

impl<'a> Pending<'a> {
    fn new(ctx: RunContext, requested: &'a ToolCall, approved: Option<&'a ApprovedCall>) -> Self {
        let mut call = CurrentCall::new(requested);
        if let Some(approved) = approved {
            let call = call.to_mut();
            call.name.clone_from(&approved.name);
            call.arguments.clone_from(&approved.arguments);
        }
        Self {
            reserved: approved.map(|approved| approved.name.clone()),
            approval: approved.map(|approved| &approved.approval),
            ..Self::of(ctx, call)
        }
    }

    /// A call that is on its way already.
    pub(super) fn of(ctx: RunContext, call: CurrentCall<'a>) -> Self {
        Self {
            ctx,
            call,
            tool: None,
            meant: None,
            is_bridged: false,
            reserved: None,
            is_rewritten: false,
            approval: None,
        }
    }

    /// Lets middlewares and the tool see the approval for as long as it is of what the call now is.
    fn confirm(&mut self, tool: Option<&RegisteredTool>) {
        if let Some(approval) = self.approval {
            let covers = tool.is_some_and(|tool| approval.covers(tool, &self.call.arguments));
            self.ctx.set_approved(covers);
        }
    }

    /// Hands the call over; nothing is done with what is left.
    pub(super) fn take_call(&mut self) -> CurrentCall<'a> {
        let left = CurrentCall::new(self.call.requested());
        std::mem::replace(&mut self.call, left)
    }

    pub(super) fn into_ready(mut self, cleared: Cleared<'a>) -> Admitted<'a> {
        let Cleared {
            tool,
            is_concurrency_safe,
            timeout,
            key,
        } = cleared;
        self.ctx.enter(tool.shared_name(), key);
        Admitted::Ready(ReadyCall {
            call: self.call,
            tool,
            ctx: self.ctx,
            is_concurrency_safe,
            timeout,
        })
    }

    pub(super) fn answered(&mut self, result: ToolResult) -> Admitted<'a> {
        Admitted::Answered(Box::new((self.take_call(), result)))
    }

    /// Fixes what the model's name stands for, and gives the call the canonical one.
    fn mean(&mut self, tool: Option<&'a RegisteredTool>) {
        let Some(tool) = tool else {
            self.meant = Some(Meant::Nothing(self.call.name.clone()));
            return;
        };
        if self.call.name != tool.name() {
            tool.name().clone_into(&mut self.call.to_mut().name);
        }
        self.meant = Some(Meant::Tool(tool));
        self.ctx.set_called(tool.shared_shown_name());
        if self.is_bridged {
            report::bridged(&self.ctx, &self.call);
        }
    }

    /// The name that the model knows the call's tool by.
    fn told_name(&self) -> &str {
        match &self.meant {
            Some(Meant::Tool(tool)) if tool.name() == self.call.name => tool.shown_name(),
            _ => &self.call.name,
        }
    }

    fn settle_blank(&mut self) {
        if normalize::is_blank(&self.call.arguments) {
            let call = self.call.to_mut();
            call.arguments = Map::new().into();
            call.invalid = None;
        }
    }

    fn take_invalid(&mut self) -> Option<String> {
        self.call.invalid.as_ref()?;
        self.call.to_mut().invalid.take()
    }

    fn strip(&mut self, tool: &RegisteredTool) {
        if !forged::is_forged(tool, &self.call.arguments) {
            return;
        }
        for parameter in forged::strip(tool, &mut self.call.to_mut().arguments) {
            report::forged(&self.ctx, &self.call, parameter);
        }
    }
}

/// Defers what needs it, of valid calls only: nobody is asked to approve a malformed one. Prepares the rest.
pub(super) fn approve<'a>(
    tool: &'a RegisteredTool,
    pending: &mut Pending<'a>,
    deferral: Option<Deferral>,
) -> Closed<'a> {
    let policy = tool.policy();
    let is_approved = pending.ctx.is_call_approved(&pending.call.id);
    // Whoever asked for the approval, it was given to something else.
    let is_stale = pending.approval.is_some() && !is_approved;
    let deferral = match (deferral, tool.body()) {
        (Some(deferral), _) if !(deferral.needs_approval && is_approved) => Some(deferral),
        _ if is_stale => Some(Deferral {
            needs_approval: true,
            metadata: None,
        }),
        (_, ToolBody::External) => Some(Deferral {
            needs_approval: false,
            metadata: None,
        }),
        (_, ToolBody::Local(_)) if policy.access.approval_required && !is_approved => {
            Some(Deferral {
                needs_approval: true,
                metadata: None,
            })
        }
        _ => None,
    };
    if let Some(deferral) = deferral {
        return Closed::Elsewhere(Admitted::Deferred(Box::new(Departure {
            call: pending.take_call(),
            tool,
            deferral,
        })));
    }
    let arguments = &pending.call.arguments;
    let facts = tool.tool().map(|tool| {
        // The author's code: a panic in it is this call's failure, not the run's.
        catch_unwind(AssertUnwindSafe(|| {
            (
                tool.is_concurrency_safe(arguments),
                tool.timeout_policy(arguments),
                tool.idempotency_key(arguments),
            )
        }))
    });
    let Some(Ok((is_concurrency_safe, timeout, key))) = facts else {
        let text = format!(
            "`{}` failed unexpectedly and did not run",
            tool.shown_name()
        );
        return Closed::Elsewhere(pending.answered(ToolResult::error(text)));
    };
    let key = match key {
        // Repeating a read does nothing twice, so there is nothing to recognise it by.
        None if policy.side_effects.read_only => None,
        None => Some(IdempotencyKey::of(arguments.clone())),
        Some(key) => Some(IdempotencyKey::own(key)),
    };
    Closed::Cleared(Cleared {
        tool,
        is_concurrency_safe,
        timeout,
        key,
    })
}
