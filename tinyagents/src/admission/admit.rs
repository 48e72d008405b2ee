//! One call on its way to run.

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
    ArgumentCoercion, InvalidArgsPolicy, NotAllowedPolicy, RunLimits, RunPolicy, UnknownToolPolicy,
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

impl Admission<'_> {
    /// Takes one call through the steps below. The order is security-critical: no step may see what an earlier one has
    /// to remove, and nothing that a middleware has touched runs unchecked.
    pub(crate) async fn admit(&self, mut ctx: RunContext, mut call: ToolCall) -> Admitted {
        let id = call.id.clone();
        let mut reserved = call.name.clone();
        let mut rewritten = false;
        loop {
            // 0. Blank arguments settle, an unknown name is rewritten if the policy says so, forged hidden values go:
            //    middlewares and logs never see a forged value.
            if normalize::settle_blank(&mut call.arguments) {
                call.invalid = None;
            }
            if !rewritten && self.find(&call.name).is_none() {
                rewritten = self.rewrite(&ctx, &mut call);
            }
            self.strip(&ctx, &mut call);
            // Arguments that are no JSON go back at once: nobody behind this line is shown raw debris.
            if let Some(reason) = call.invalid.take() {
                return self.unparseable(&ctx, call, &reason);
            }

            // 1. The middlewares' say.
            let decision = if self.middleware.is_empty() {
                Ok(ToolDecision::Proceed)
            } else {
                self.middleware.before_tool(&mut ctx, &mut call).await
            };
            call.id.clone_from(&id);
            let decision = match decision {
                Ok(decision) => decision,
                Err(failure) => return Admitted::HookFailed(call, failure.to_string()),
            };
            let deferral = match decision {
                ToolDecision::Proceed => None,
                ToolDecision::Answer(result) => return Admitted::Answered(call, result),
                ToolDecision::Reject(reason) => return self.rejected(&ctx, call, &reason),
                ToolDecision::RequireApproval { metadata } => Some((true, metadata)),
                ToolDecision::Defer { metadata } => Some((false, metadata)),
            };

            // 2. The final name must exist and have been advertised.
            let Some(tool) = self.find(&call.name).cloned() else {
                if !rewritten && self.rewrite(&ctx, &mut call) {
                    // The middlewares have to see the call as it now is.
                    rewritten = true;
                    continue;
                }
                return self.unknown(&ctx, call);
            };
            if call.name != reserved {
                match self
                    .meter
                    .move_tool_call(self.limits, &reserved, &call.name)
                {
                    Ok(()) => reserved.clone_from(&call.name),
                    Err(limit) => return Admitted::Limited(limit),
                }
            }

            // 3. A middleware may have brought a hidden name back: strip again, then normalise, then validate, against
            //    the tool's own schema.
            normalize::settle_blank(&mut call.arguments);
            self.strip(&ctx, &mut call);
            if let Some(reason) = call.invalid.take() {
                return self.unparseable(&ctx, call, &reason);
            }
            if let Some(answer) = self.check_arguments(&ctx, &tool, &mut call) {
                return answer;
            }

            // 4. Approval and deferral, of valid calls only: nobody is asked to approve a malformed one.
            return Self::approve_or_ready(ctx, call, tool, deferral);
        }
    }

    /// The tool, if the model may call it this turn.
    fn find(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        let tool = self.catalogue.get(name)?;
        self.advertised.contains(tool).then_some(tool)
    }

    /// Hidden names go even where the call can't run: a host-only tool's as well.
    fn strip(&self, ctx: &RunContext, call: &mut ToolCall) {
        let Some(tool) = self.catalogue.get(&call.name) else {
            return;
        };
        for parameter in forged::strip(tool, &mut call.arguments) {
            report::forged(ctx, call, parameter);
        }
    }

    /// Sends a call of an unknown tool to the one that the policy names, if the model could call that.
    fn rewrite(&self, ctx: &RunContext, call: &mut ToolCall) -> bool {
        let UnknownToolPolicy::Rewrite { tool_name } = &self.policy.unknown_tool else {
            return false;
        };
        if self.find(tool_name).is_none() {
            return false;
        }
        report::unknown_tool(ctx, call, format!("rewrite:{tool_name}"));
        call.name.clone_from(tool_name);
        true
    }

    fn unknown(&self, ctx: &RunContext, call: ToolCall) -> Admitted {
        if self.policy.unknown_tool == UnknownToolPolicy::Fail {
            report::unknown_tool(ctx, &call, "fail".to_owned());
            return Admitted::Failed(TinyAgentsError::ToolNotFound(call.name));
        }
        report::unknown_tool(ctx, &call, "tool_error".to_owned());
        let available = self.available.iter().map(|schema| schema.name.as_str());
        let text = recovery::unknown_tool(&call.name, &call.arguments, available);
        Admitted::Answered(call, ToolResult::error(text))
    }

    /// The arguments are no JSON; an unknown tool is told first, since the arguments can't be right for it either.
    fn unparseable(&self, ctx: &RunContext, call: ToolCall, reason: &str) -> Admitted {
        let Some(tool) = self.find(&call.name) else {
            return self.unknown(ctx, call);
        };
        report::invalid_arguments(ctx, tool, &call, reason, "tool_error");
        let text = recovery::unparseable(&call.name, reason);
        Admitted::Answered(call, ToolResult::error(text))
    }

    fn rejected(&self, ctx: &RunContext, call: ToolCall, reason: &str) -> Admitted {
        report::not_allowed(ctx, &call, reason);
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

    /// Normalises what the policy says, and validates. `None` when the arguments are valid.
    fn check_arguments(
        &self,
        ctx: &RunContext,
        tool: &RegisteredTool,
        call: &mut ToolCall,
    ) -> Option<Admitted> {
        let schema = &tool.schema().parameters;
        let validator = tool.validator();
        if validator.is_valid(&call.arguments) {
            return None;
        }
        if self.policy.coercion == ArgumentCoercion::Lossless {
            coerce::coerce(schema, &mut call.arguments);
        }
        if self.policy.invalid_args == InvalidArgsPolicy::NormalizeThenReturnToolError
            && let Some(normalized) = normalize::normalized(tool, &call.arguments)
        {
            call.arguments = normalized;
            // What was text until now may hold a hidden name.
            self.strip(ctx, call);
        }
        // A `null` that the schema excludes makes the arguments invalid, so valid ones need no such look.
        nulls::drop_refused_nulls(schema, &mut call.arguments);
        let redact: Vec<&str> = report::redacted(tool).collect();
        let faults = validator
            .validate_redacted(&call.arguments, &redact)
            .err()?;
        let text = recovery::invalid_arguments(tool, &faults);
        if self.policy.invalid_args == InvalidArgsPolicy::Fail {
            report::invalid_arguments(ctx, tool, call, &text, "fail");
            return Some(Admitted::Failed(TinyAgentsError::InvalidArguments {
                tool: call.name.clone(),
                error: text,
            }));
        }
        report::invalid_arguments(ctx, tool, call, &text, "tool_error");
        Some(Admitted::Answered(call.clone(), ToolResult::error(text)))
    }

    /// Defers what needs it, and prepares the rest.
    fn approve_or_ready(
        ctx: RunContext,
        call: ToolCall,
        tool: Arc<RegisteredTool>,
        deferral: Option<(bool, Value)>,
    ) -> Admitted {
        let approved = ctx.is_call_approved(&call.id);
        let deferral = match (deferral, tool.body()) {
            (Some((needs_approval, metadata)), _) if !(needs_approval && approved) => {
                Some((needs_approval, Some(metadata)))
            }
            (_, ToolBody::External) => Some((false, None)),
            (_, ToolBody::Local(_)) if tool.policy().access.approval_required && !approved => {
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
        // The host's own key: the same whenever this call of this run is run again.
        let key = key.unwrap_or_else(|| format!("{}:{}", ctx.run_id(), call.id));
        let ctx = ctx
            .with_tool_name(tool.shared_name())
            .with_idempotency_key(key);
        Admitted::Ready(Box::new(ReadyCall {
            call,
            tool,
            ctx,
            is_concurrency_safe,
            timeout,
        }))
    }
}
