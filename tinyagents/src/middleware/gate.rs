//! One decision for what a model is shown and for what runs.

use std::collections::BTreeMap;

use async_trait::async_trait;
use serde_json::Value;

use super::{Middleware, ToolDecision};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::events::AgentEvent;
use crate::model::{ModelRequest, ToolCall, ToolChoice, ToolSchema};
use crate::registry::{RegisteredTool, ToolName};

/// A tool that may be shown or called.
pub struct Candidate<'a> {
    pub(super) name: &'a str,
    /// As the model would be shown it, where that is known.
    pub(super) schema: Option<&'a ToolSchema>,
    /// Of the call that would run; `None` while there is none, or none that was validated.
    pub(super) arguments: Option<&'a Value>,
}

/// Whether it is one of the two tools that others are found and called by. What they lead to is decided on by itself:
/// nothing refused is found, and a call through them is one of the tool inside. No other tool can have these names.
pub(super) fn is_bridge(name: &str) -> bool {
    ToolName::RESERVED.contains(&name)
}

/// A middleware that allows tools or doesn't. Every hook asks the same question, so that what is shown and what runs
/// can't diverge: a tool that is refused without arguments is refused with any.
pub trait Gate: Send + Sync {
    /// Why the tool is refused; the text is for the model. What is refused without arguments must be refused with any.
    fn refusal(&self, ctx: &RunContext, tool: &Candidate<'_>) -> Option<String>;

    /// The most bytes that a model may read of the call's result, allowed or not.
    fn result_bytes(&self, ctx: &RunContext, call: &ToolCall) -> Option<u64> {
        let _ = (ctx, call);
        None
    }
}

#[diagnostic::do_not_recommend]
#[async_trait]
impl<G: Gate> Middleware for G {
    fn has_wrap_hooks(&self) -> bool {
        false
    }

    /// Hides what is refused.
    async fn before_model(
        &self,
        ctx: &mut RunContext,
        request: &mut ModelRequest,
    ) -> Result<(), TinyAgentsError> {
        hide(ctx, request, |schema| {
            self.refusal(
                ctx,
                &Candidate {
                    name: ctx.real_name(&schema.name),
                    schema: Some(schema),
                    arguments: None,
                },
            )
        });
        Ok(())
    }

    fn hides(&self, ctx: &RunContext, tool_name: &str) -> Option<String> {
        self.refusal(ctx, &candidate(ctx, tool_name, None))
    }

    /// Refuses early, before anybody is bothered with the call.
    async fn before_tool(
        &self,
        ctx: &mut RunContext,
        call: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        // To the model there is no such tool; a reason against it would tell that there is.
        let registered = ctx.registered_tool(&call.name);
        if ctx.knows_tools() && !registered.is_some_and(RegisteredTool::is_for_models) {
            return Ok(ToolDecision::Proceed);
        }
        let refusal = self.refusal(ctx, &candidate(ctx, &call.name, None));
        Ok(refusal.map_or(ToolDecision::Proceed, ToolDecision::Reject))
    }

    /// Refuses the call that would run, whatever was made of it since.
    async fn authorize_tool(
        &self,
        ctx: &mut RunContext,
        call: &ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        let refusal = self
            .refusal(ctx, &candidate(ctx, &call.name, None))
            .or_else(|| self.refusal(ctx, &candidate(ctx, &call.name, Some(&call.arguments))));
        Ok(refusal.map_or(ToolDecision::Proceed, ToolDecision::Reject))
    }

    fn max_result_bytes(&self, ctx: &RunContext, call: &ToolCall) -> Option<u64> {
        self.result_bytes(ctx, call)
    }
}

fn candidate<'a>(
    ctx: &'a RunContext,
    name: &'a str,
    arguments: Option<&'a Value>,
) -> Candidate<'a> {
    Candidate {
        name,
        schema: ctx.registered_tool(name).map(|tool| tool.schema().as_ref()),
        arguments,
    }
}

/// Takes the tools out of a request that there is a reason against, and tells of it. A choice of tool that can no longer
/// be made is left to the model.
fn hide(
    ctx: &RunContext,
    request: &mut ModelRequest,
    refusal: impl Fn(&ToolSchema) -> Option<String>,
) {
    let mut hidden = BTreeMap::new();
    let mut positions = Vec::new();
    for (position, schema) in request.tools.iter().enumerate() {
        if let Some(reason) = refusal(schema) {
            hidden.insert(ctx.real_name(&schema.name).to_owned(), reason);
            positions.push(position);
        }
    }
    if positions.is_empty() {
        return;
    }
    let mut taken = positions.iter().filter_map(|at| request.tools.get(*at));
    let is_possible = match &request.tool_choice {
        ToolChoice::Tool(name) => !taken.any(|schema| schema.name == *name),
        ToolChoice::Required => positions.len() < request.tools.len(),
        ToolChoice::Auto | ToolChoice::None => true,
    };
    request.tools = ctx.without_schemas(&request.tools, &positions);
    if !is_possible {
        request.tool_choice = ToolChoice::Auto;
    }
    ctx.emit_with(|| AgentEvent::ToolsFiltered {
        tools: hidden,
        explanations: Vec::new(),
    });
}
