//! One call on its way to run.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::Value;
use tinytools::ToolResult;

use super::{
    Admitted, Advertised, Departure, ReadyCall, coerce, forged, normalize, nulls, recovery, report,
};
use crate::context::RunContext;
use crate::dispatch::RunMeter;
use crate::error::TinyAgentsError;
use crate::harness::{
    ArgumentCoercion, InvalidArgsPolicy, LimitKind, NotAllowedPolicy, RunLimits, RunPolicy,
    UnknownToolPolicy,
};
use crate::middleware::{MiddlewareStack, ToolDecision};
use crate::model::{ToolCall, ToolSchema};
use crate::registry::{Catalogue, RegisteredTool, ToolBody};

/// What every call of a batch is admitted by.
pub(crate) struct Admission<'a> {
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) advertised: &'a Advertised,
    pub(crate) available: &'a [ToolSchema],
    pub(crate) policy: &'a RunPolicy,
    pub(crate) limits: &'a RunLimits,
    pub(crate) meter: &'a RunMeter,
    pub(crate) middleware: &'a MiddlewareStack,
}

/// A call on its way, with what has to be known of its beginning.
struct Pending<'a> {
    /// The call as the model made it.
    requested: &'a ToolCall,
    ctx: RunContext,
    call: ToolCall,
    /// The name that a slot is reserved under, where it is not the requested one.
    reserved: Option<String>,
    is_rewritten: bool,
    /// The call is no longer what the model made.
    is_altered: bool,
}

/// Why and how a middleware defers a call: whether it needs approval, and what the host should know.
type Deferral = (bool, Value);

/// The steps of a call. The order is security-critical: [`open`](Self::open), the middlewares, [`close`](Self::close).
/// No step may see what an earlier one has to remove, and nothing that a middleware has touched runs unchecked.
impl Admission<'_> {
    /// Takes one call through all steps.
    pub(crate) async fn admit(&self, ctx: RunContext, requested: &ToolCall) -> Admitted {
        let mut pending = Pending::new(ctx, requested);
        loop {
            pending = match self.open(pending) {
                ControlFlow::Continue(pending) => pending,
                ControlFlow::Break(admitted) => return admitted,
            };
            let Pending { ctx, call, .. } = &mut pending;
            let decision = self.middleware.before_tool(ctx, call).await;
            call.id.clone_from(&requested.id);
            pending.is_altered = true;
            let deferral = match decision {
                Ok(ToolDecision::Proceed) => None,
                Ok(ToolDecision::Answer(result)) => {
                    return Admitted::Answered(pending.call, result);
                }
                Ok(ToolDecision::Reject(reason)) => return self.rejected(pending, &reason),
                Ok(ToolDecision::RequireApproval { metadata }) => Some((true, metadata)),
                Ok(ToolDecision::Defer { metadata }) => Some((false, metadata)),
                Err(failure) => return Admitted::HookFailed(pending.call, failure.to_string()),
            };
            // A rewritten call goes to the middlewares once more: they have to see it as it now is.
            pending = match self.close(pending, deferral) {
                ControlFlow::Continue(pending) => pending,
                ControlFlow::Break(admitted) => return admitted,
            };
        }
    }

    /// The same where there is no middleware, and so nothing to wait for.
    pub(crate) fn admit_now(&self, ctx: RunContext, requested: &ToolCall) -> Admitted {
        let mut pending = Pending::new(ctx, requested);
        loop {
            let opened = self.open(pending);
            let closed = match opened {
                ControlFlow::Continue(pending) => self.close(pending, None),
                ControlFlow::Break(admitted) => return admitted,
            };
            pending = match closed {
                ControlFlow::Continue(pending) => pending,
                ControlFlow::Break(admitted) => return admitted,
            };
        }
    }

    /// Before the middlewares: blank arguments settle, an unknown name is rewritten if the policy says so, forged hidden
    /// values go, and what is no JSON goes back. Neither middlewares nor logs see a forged value or raw debris.
    fn open<'a>(&self, mut pending: Pending<'a>) -> ControlFlow<Admitted, Pending<'a>> {
        if normalize::settle_blank(&mut pending.call.arguments) {
            pending.call.invalid = None;
            pending.is_altered = true;
        }
        let mut tool = self.catalogue.get(&pending.call.name);
        if tool.is_none_or(|tool| !self.advertised.contains(tool)) && self.rewrite(&mut pending) {
            tool = self.catalogue.get(&pending.call.name);
        }
        // Hidden names go even where the call can't run: a host-only tool's as well.
        if let Some(tool) = tool {
            pending.strip(tool);
        }
        match pending.call.invalid.take() {
            Some(reason) => ControlFlow::Break(self.unparseable(pending, &reason)),
            None => ControlFlow::Continue(pending),
        }
    }

    /// After the middlewares: the final name, the arguments once more from the beginning, approval.
    fn close<'a>(
        &self,
        mut pending: Pending<'a>,
        deferral: Option<Deferral>,
    ) -> ControlFlow<Admitted, Pending<'a>> {
        // 1. The final name must exist and have been advertised.
        let Some(tool) = self.find(&pending.call.name) else {
            if self.rewrite(&mut pending) {
                return ControlFlow::Continue(pending);
            }
            return ControlFlow::Break(self.unknown(pending));
        };
        if let Err(limit) = self.move_slot(&mut pending) {
            return ControlFlow::Break(Admitted::Limited(limit));
        }

        // 2. A middleware may have brought a hidden name back: strip again, then normalise, then validate, against the
        //    tool's own schema.
        if normalize::settle_blank(&mut pending.call.arguments) {
            pending.call.invalid = None;
        }
        pending.strip(tool);
        if let Some(reason) = pending.call.invalid.take() {
            return ControlFlow::Break(self.unparseable(pending, &reason));
        }
        ControlFlow::Break(match self.check_arguments(tool, pending) {
            // 3. Approval and deferral, of valid calls only: nobody is asked to approve a malformed one.
            ControlFlow::Continue(pending) => approve(Arc::clone(tool), pending, deferral),
            ControlFlow::Break(admitted) => admitted,
        })
    }

    /// A middleware or a rewrite may have made it a call of another tool; that tool's limit holds then.
    fn move_slot(&self, pending: &mut Pending<'_>) -> Result<(), LimitKind> {
        let name = &pending.call.name;
        let reserved = pending.reserved.as_ref().unwrap_or(&pending.requested.name);
        if name == reserved {
            return Ok(());
        }
        self.meter.move_tool_call(self.limits, reserved, name)?;
        pending.reserved = Some(name.clone());
        Ok(())
    }

    /// The tool, if the model may call it this turn.
    fn find(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        let tool = self.catalogue.get(name)?;
        self.advertised.contains(tool).then_some(tool)
    }

    /// Sends a call of an unknown tool to the one that the policy names, once, if the model could call that.
    fn rewrite(&self, pending: &mut Pending<'_>) -> bool {
        let UnknownToolPolicy::Rewrite { tool_name } = &self.policy.unknown_tool else {
            return false;
        };
        if pending.is_rewritten || self.find(tool_name).is_none() {
            return false;
        }
        let recovery = format!("rewrite:{tool_name}");
        report::unknown_tool(&pending.ctx, &pending.call, recovery);
        pending.call.name.clone_from(tool_name);
        pending.is_rewritten = true;
        pending.is_altered = true;
        true
    }

    fn unknown(&self, pending: Pending<'_>) -> Admitted {
        let Pending { ctx, call, .. } = pending;
        if self.policy.unknown_tool == UnknownToolPolicy::Fail {
            report::unknown_tool(&ctx, &call, "fail".to_owned());
            return Admitted::Failed(TinyAgentsError::ToolNotFound(call.name));
        }
        report::unknown_tool(&ctx, &call, "tool_error".to_owned());
        let available = self.available.iter().map(|schema| schema.name.as_str());
        let text = recovery::unknown_tool(&call.name, &call.arguments, available);
        Admitted::Answered(call, ToolResult::error(text))
    }

    /// The arguments are no JSON; an unknown tool is told first, since the arguments can't be right for it either.
    fn unparseable(&self, pending: Pending<'_>, reason: &str) -> Admitted {
        let Some(tool) = self.find(&pending.call.name) else {
            return self.unknown(pending);
        };
        let Pending { ctx, call, .. } = pending;
        report::invalid_arguments(&ctx, tool, &call, reason, "tool_error");
        let text = recovery::unparseable(&call.name, reason);
        Admitted::Answered(call, ToolResult::error(text))
    }

    fn rejected(&self, pending: Pending<'_>, reason: &str) -> Admitted {
        let Pending { ctx, call, .. } = pending;
        report::not_allowed(&ctx, &call, reason);
        match self.policy.not_allowed {
            NotAllowedPolicy::Fail => Admitted::Failed(TinyAgentsError::ToolNotAllowed {
                tool: call.name,
                reason: reason.to_owned(),
            }),
            NotAllowedPolicy::ReturnToolError => {
                let text = format!("`{}` is not allowed: {reason}", call.name);
                Admitted::Answered(call, ToolResult::error(text))
            }
        }
    }

    /// Normalises what the policy says, and validates.
    fn check_arguments<'a>(
        &self,
        tool: &RegisteredTool,
        mut pending: Pending<'a>,
    ) -> ControlFlow<Admitted, Pending<'a>> {
        let schema = &tool.schema().parameters;
        let validator = tool.validator();
        if validator.is_valid(&pending.call.arguments) {
            return ControlFlow::Continue(pending);
        }
        pending.is_altered = true;
        if self.policy.coercion == ArgumentCoercion::Lossless {
            coerce::coerce(schema, &mut pending.call.arguments);
        }
        if self.policy.invalid_args == InvalidArgsPolicy::NormalizeThenReturnToolError
            && let Some(normalized) = normalize::normalized(tool, &pending.call.arguments)
        {
            pending.call.arguments = normalized;
        }
        // What was text until now may hold a hidden name.
        pending.strip(tool);
        // A `null` that the schema excludes makes the arguments invalid, so valid ones need no such look.
        nulls::drop_refused_nulls(schema, &mut pending.call.arguments);
        let redact: Vec<&str> = report::redacted(tool).collect();
        let Err(faults) = validator.validate_redacted(&pending.call.arguments, &redact) else {
            return ControlFlow::Continue(pending);
        };
        let Pending { ctx, call, .. } = pending;
        let text = recovery::invalid_arguments(tool, &faults);
        ControlFlow::Break(if self.policy.invalid_args == InvalidArgsPolicy::Fail {
            report::invalid_arguments(&ctx, tool, &call, &text, "fail");
            Admitted::Failed(TinyAgentsError::InvalidArguments {
                tool: call.name,
                error: text,
            })
        } else {
            report::invalid_arguments(&ctx, tool, &call, &text, "tool_error");
            Admitted::Answered(call, ToolResult::error(text))
        })
    }
}

impl<'a> Pending<'a> {
    fn new(ctx: RunContext, requested: &'a ToolCall) -> Self {
        Self {
            requested,
            ctx,
            call: requested.clone(),
            reserved: None,
            is_rewritten: false,
            is_altered: false,
        }
    }

    fn strip(&mut self, tool: &RegisteredTool) {
        for parameter in forged::strip(tool, &mut self.call.arguments) {
            report::forged(&self.ctx, &self.call, parameter);
            self.is_altered = true;
        }
    }
}

/// Defers what needs it, and prepares the rest.
fn approve(
    tool: Arc<RegisteredTool>,
    pending: Pending<'_>,
    deferral: Option<Deferral>,
) -> Admitted {
    let Pending {
        ctx,
        call,
        is_altered,
        ..
    } = pending;
    let is_approved = ctx.is_call_approved(&call.id);
    let deferral = match (deferral, tool.body()) {
        (Some((needs_approval, metadata)), _) if !(needs_approval && is_approved) => {
            Some((needs_approval, Some(metadata)))
        }
        (_, ToolBody::External) => Some((false, None)),
        (_, ToolBody::Local(_)) if tool.policy().access.approval_required && !is_approved => {
            Some((true, None))
        }
        _ => None,
    };
    if let Some((needs_approval, metadata)) = deferral {
        return Admitted::Deferred(Departure {
            call,
            tool,
            needs_approval,
            metadata,
        });
    }
    let arguments = &call.arguments;
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
        let text = format!("`{}` failed unexpectedly and did not run", call.name);
        return Admitted::Answered(call, ToolResult::error(text));
    };
    let ctx = ctx.with_tool_name(tool.shared_name());
    let ctx = match key {
        Some(key) => ctx.with_idempotency_key(key),
        // Repeating a read does nothing twice, so there is nothing to recognise it by.
        None if tool.policy().side_effects.read_only => ctx,
        // The same whenever this call of this run is run again.
        None => {
            let key = format!("{}:{}", ctx.run_id(), call.id);
            ctx.with_idempotency_key(key)
        }
    };
    Admitted::Ready(Box::new(ReadyCall {
        call,
        tool,
        ctx,
        is_altered,
        is_concurrency_safe,
        timeout,
    }))
}
