//! One call on its way to run.

use std::ops::ControlFlow;

use tinytools::ToolResult;

use super::{
    Admitted, Advertised, Meant, Pending, approve, coerce, normalize, nulls, recovery, repair,
    report,
};
use crate::discovery::Discovery;
use crate::dispatch::RunMeter;
use crate::error::TinyAgentsError;
use crate::harness::{
    ArgumentCoercion, HostCapabilities, InvalidArgsPolicy, LimitKind, NotAllowedPolicy, RunLimits,
    RunPolicy, UnknownToolPolicy,
};
use crate::middleware::MiddlewareStack;
use crate::model::{ToolCall, ToolSchema};
use crate::registry::{Catalogue, Prepared, RegisteredTool};

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

/// What the checks after the middlewares make of a call.
pub(super) enum Checked<'a> {
    /// It is a valid call of a tool that the model may call.
    Tool(&'a RegisteredTool),
    /// It goes elsewhere.
    Elsewhere(Admitted<'a>),
    /// It is another call now, and begins anew.
    Rewritten,
}

/// The steps of a call. The order is security-critical: [`open`](Self::open), the middlewares,
/// [`check`](Self::check), [`authorize`](Self::authorize): what the middlewares say of the final call, and approval.
/// No step may see what an earlier one has to remove, and nothing that a middleware has touched runs unchecked.
impl<'a> Admission<'a> {
    /// Takes one call through all steps. One that was approved takes them all again.
    pub(crate) async fn admit(&self, pending: &mut Pending<'a>) -> Admitted<'a> {
        self.take_up(pending);
        loop {
            if let Some(admitted) = self.open(pending) {
                return admitted;
            }
            let Pending { ctx, call, .. } = &mut *pending;
            let requested = call.requested();
            let (ctx, call) = (ctx.to_mut(), call.to_mut());
            let decision = self.middleware.before_tool(ctx, call).await;
            call.id.clone_from(&requested.id);
            pending.tool = None;
            let deferral = match self.decided(pending, decision) {
                ControlFlow::Continue(deferral) => deferral,
                ControlFlow::Break(admitted) => return admitted,
            };
            let tool = match self.check(pending) {
                Checked::Tool(tool) => tool,
                Checked::Elsewhere(admitted) => return admitted,
                // It goes to the middlewares once more: they have to see it as it now is.
                Checked::Rewritten => continue,
            };
            return self.authorize(pending, tool, deferral).await;
        }
    }

    /// The same where there is no middleware, and so nothing to wait for.
    pub(crate) fn admit_now(&self, pending: &mut Pending<'a>) -> Admitted<'a> {
        self.take_up(pending);
        if let Some(admitted) = self.open(pending) {
            return admitted;
        }
        match self.check(pending) {
            Checked::Tool(tool) => approve(tool, pending, None),
            Checked::Elsewhere(admitted) => admitted,
            // Whatever could be rewritten was, in the first step.
            Checked::Rewritten => self.unknown(pending),
        }
    }

    /// The steps that look at the arguments of a call whose tool is known; whether it passes them.
    pub(crate) fn passes(&self, tool: &'a RegisteredTool, pending: &mut Pending<'a>) -> bool {
        pending.settle_blank();
        self.open_arguments(pending, Some(tool)).is_none()
            && matches!(self.close_arguments(pending, tool, true), Checked::Tool(_))
    }

    /// Before the middlewares: blank arguments settle, an unknown name is rewritten if the policy says so, text that is
    /// almost JSON is mended, forged hidden values go, and what is no JSON goes back. Neither middlewares nor logs see a
    /// forged value or raw debris. `None` is a call that goes on.
    fn open(&self, pending: &mut Pending<'a>) -> Option<Admitted<'a>> {
        pending.settle_blank();
        self.unwrap_bridged(pending);
        let mut callable = self.callable(pending);
        if callable.is_none() && self.rewrite(pending) {
            callable = self.callable(pending);
        }
        if pending.meant.is_none() {
            pending.mean(callable);
        }
        self.open_arguments(pending, callable)
    }

    /// The same of the arguments, once it is known which tool the model may call by the name.
    #[inline]
    fn open_arguments(
        &self,
        pending: &mut Pending<'a>,
        callable: Option<&'a RegisteredTool>,
    ) -> Option<Admitted<'a>> {
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
    #[inline]
    fn restore_names(&self, tool: &RegisteredTool, pending: &mut Pending<'a>) {
        let Some(prepared) = self.prepared else {
            return;
        };
        // An approver has seen the tool's own names.
        if pending.approved.is_none()
            && let Some(names) = prepared.renamed(tool.shown_name())
            && names.are_used_in(&pending.call.arguments)
        {
            names.restore(&mut pending.call.to_mut().arguments);
        }
    }

    /// After the middlewares: the final name, the arguments once more from the beginning, the definition's list.
    pub(super) fn check(&self, pending: &mut Pending<'a>) -> Checked<'a> {
        // 1. The final name must exist and have been advertised. A tool that only the list hides is refused as such;
        //    others are unknown, as those are that don't exist. Its arguments are not looked at before: what is wrong
        //    with them is told with a part of the schema, which the model of this agent is not to see.
        let known = pending.tool.take();
        let is_untouched = known.is_some();
        let tool = known.or_else(|| self.meant(pending));
        let named = tool.or_else(|| match &pending.meant {
            Some(Meant::Nothing(name)) if *name == pending.call.name => self.shown(name),
            _ => None,
        });
        if pending.ctx.run().has_definition()
            && let Some(tool) = named.filter(|tool| tool.is_for_models())
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
        let callable = tool.filter(|tool| is_untouched || self.is_callable(pending, tool));
        let Some(tool) = callable else {
            if self.rewrite(pending) {
                return Checked::Rewritten;
            }
            return Checked::Elsewhere(self.unknown(pending));
        };
        if let Err(limit) = self.move_slot(pending) {
            return Checked::Elsewhere(Admitted::Limited(Box::new(limit)));
        }

        self.close_arguments(pending, tool, is_untouched)
    }

    /// 2. A middleware may have brought a hidden name back: strip again, then normalise, then validate, against the tool's
    ///    own schema. `is_untouched` says that nobody has had the call since it was opened.
    #[inline]
    fn close_arguments(
        &self,
        pending: &mut Pending<'a>,
        tool: &'a RegisteredTool,
        is_untouched: bool,
    ) -> Checked<'a> {
        if !is_untouched {
            pending.settle_blank();
            pending.strip(tool);
            if let Some(reason) = pending.take_invalid() {
                return Checked::Elsewhere(self.unparseable(pending, &reason));
            }
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
        if pending.call.is_unchanged() && pending.reserved.is_none() {
            return Ok(());
        }
        let name = &pending.call.name;
        let requested = pending.call.requested().call;
        let reserved = pending.reserved.as_ref().unwrap_or(&requested.name);
        if name == reserved {
            return Ok(());
        }
        self.meter.move_tool_call(self.limits, reserved, name)?;
        pending.reserved = Some(name.clone());
        Ok(())
    }

    pub(super) fn unknown(&self, pending: &Pending<'a>) -> Admitted<'a> {
        let Pending { ctx, call, .. } = pending;
        let registered = self.registered(&call.name);
        if self.policy.unknown_tool == UnknownToolPolicy::Fail {
            report::unknown_tool(ctx, registered, call, "fail".to_owned());
            return Admitted::failed(TinyAgentsError::ToolNotFound(call.name.clone()));
        }
        report::unknown_tool(ctx, registered, call, "tool_error".to_owned());
        let available = self.available.iter().map(|schema| schema.name.as_str());
        // The row is repeated in the failure's event, so it may not say more than that.
        let arguments = report::shown_arguments(registered, &call.arguments);
        let text = recovery::unknown_tool(&call.name, &arguments, available);
        Admitted::answered(ToolResult::error(text))
    }

    /// The arguments are no JSON; an unknown tool is told first, since the arguments can't be right for it either.
    fn unparseable(&self, pending: &Pending<'a>, reason: &str) -> Admitted<'a> {
        let Some(tool) = self.callable(pending) else {
            return self.unknown(pending);
        };
        let tools = self.requested(pending).into_iter().chain([tool]);
        report::invalid_arguments(&pending.ctx, tools, &pending.call, reason, "tool_error");
        let text = recovery::unparseable(tool.shown_name(), reason);
        Admitted::answered(ToolResult::error(text))
    }

    pub(super) fn rejected(&self, pending: &Pending<'a>, reason: &str) -> Admitted<'a> {
        let Pending { ctx, call, .. } = pending;
        report::not_allowed(ctx, call, reason);
        match self.policy.not_allowed {
            NotAllowedPolicy::Fail => Admitted::failed(TinyAgentsError::ToolNotAllowed {
                tool: call.name.clone(),
                reason: reason.to_owned(),
            }),
            NotAllowedPolicy::ReturnToolError => {
                let text = format!("`{}` is not allowed: {reason}", pending.told_name());
                Admitted::answered(ToolResult::error(text))
            }
        }
    }

    /// Normalises what the policy says, and validates. `None` is a call with valid arguments.
    #[inline]
    fn check_arguments(
        &self,
        tool: &RegisteredTool,
        pending: &mut Pending<'a>,
    ) -> Option<Admitted<'a>> {
        if tool.takes(&pending.call.arguments) {
            return None;
        }
        self.mend_arguments(tool, pending)
    }

    /// The same for arguments that are not valid as they are; few calls come so far.
    #[inline(never)]
    fn mend_arguments(
        &self,
        tool: &RegisteredTool,
        pending: &mut Pending<'a>,
    ) -> Option<Admitted<'a>> {
        let schema = &tool.schema().parameters;
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
            Admitted::failed(TinyAgentsError::InvalidArguments {
                tool: call.name.clone(),
                error: text,
            })
        } else {
            report::invalid_arguments(ctx, tools, call, &text, "tool_error");
            Admitted::answered(ToolResult::error(text))
        })
    }
}
