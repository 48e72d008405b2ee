//! A call on its way, and what its name stands for.

use serde_json::Map;

use super::{CallFacts, CurrentCall, ReadyCall, Requested, forged, normalize, report};
use crate::context::{CallContext, RunContext};
use crate::deferred::ApprovedCall;
use crate::registry::RegisteredTool;

/// A call on its way, with what has to be known of its beginning.
pub(crate) struct Pending<'a> {
    pub(crate) ctx: CallContext<'a>,
    pub(crate) call: CurrentCall<'a>,
    /// The tool of the call's name, while nobody can have changed that.
    pub(super) tool: Option<&'a RegisteredTool>,
    /// What the name that the model used stands for; found before anything could change the call. From then on the call
    /// has the tool's canonical name.
    pub(super) meant: Option<Meant<'a>>,
    /// It came through `tool_call`.
    pub(super) is_bridged: bool,
    /// The name that a slot is reserved under, where it is not the requested one.
    pub(super) reserved: Option<String>,
    pub(super) is_rewritten: bool,
    /// What a person has approved; the call may have become something else since.
    pub(super) approved: Option<Box<ApprovedCall>>,
    /// Set once the call may run.
    pub(crate) facts: CallFacts,
}

/// What the name that a model used stands for.
pub(super) enum Meant<'a> {
    /// A tool that it may call.
    Tool(&'a RegisteredTool),
    /// Nothing that it may call, even if a tool has this for its canonical name.
    Nothing(String),
}

impl<'a> Pending<'a> {
    /// A call that a person has approved.
    pub(crate) fn approved(
        run: &'a RunContext,
        requested: Requested<'a>,
        approved: ApprovedCall,
    ) -> Self {
        let ctx = CallContext::new(run, requested);
        let mut call = CurrentCall::new(requested);
        let current = call.to_mut();
        current.name.clone_from(&approved.name);
        current.arguments.clone_from(&approved.arguments);
        Self {
            reserved: Some(approved.name.clone()),
            approved: Some(Box::new(approved)),
            ..Self::of(ctx, call)
        }
    }

    /// A call as the model made it.
    #[inline]
    pub(crate) fn new(run: &'a RunContext, requested: Requested<'a>) -> Self {
        let ctx = CallContext::new(run, requested);
        Self::of(ctx, CurrentCall::new(requested))
    }

    /// A call that is on its way already.
    #[inline]
    pub(crate) fn of(ctx: CallContext<'a>, call: CurrentCall<'a>) -> Self {
        Self {
            ctx,
            call,
            tool: None,
            meant: None,
            is_bridged: false,
            reserved: None,
            is_rewritten: false,
            approved: None,
            facts: CallFacts::default(),
        }
    }

    /// Lets middlewares and the tool see the approval for as long as it is of what the call now is.
    #[inline]
    pub(super) fn confirm(&mut self, tool: Option<&RegisteredTool>) {
        if let Some(approved) = &self.approved {
            let approval = &approved.approval;
            let covers = tool.is_some_and(|tool| approval.covers(tool, &self.call.arguments));
            self.ctx.to_mut().set_approved(covers);
        }
    }

    /// The call as one that may run by this tool.
    pub(crate) fn ready<'r>(&'r self, tool: &'a RegisteredTool) -> ReadyCall<'r, 'a> {
        ReadyCall {
            call: &self.call,
            tool,
            ctx: &self.ctx,
            facts: &self.facts,
        }
    }

    /// Fixes what the model's name stands for, and gives the call the canonical one.
    pub(super) fn mean(&mut self, tool: Option<&'a RegisteredTool>) {
        let Some(tool) = tool else {
            self.meant = Some(Meant::Nothing(self.call.name.clone()));
            return;
        };
        if self.call.name != tool.name() {
            tool.name().clone_into(&mut self.call.to_mut().name);
        }
        self.meant = Some(Meant::Tool(tool));
        self.ctx.set_called(tool);
        if self.is_bridged {
            report::bridged(&self.ctx, &self.call);
        }
    }

    /// The name that the model knows the call's tool by.
    pub(super) fn told_name(&self) -> &str {
        match &self.meant {
            Some(Meant::Tool(tool)) if tool.name() == self.call.name => tool.shown_name(),
            _ => &self.call.name,
        }
    }

    #[inline]
    pub(super) fn settle_blank(&mut self) {
        if normalize::is_blank(&self.call.arguments) {
            let call = self.call.to_mut();
            call.arguments = Map::new().into();
            call.invalid = None;
        }
    }

    #[inline]
    pub(super) fn take_invalid(&mut self) -> Option<String> {
        self.call.invalid.as_ref()?;
        self.call.to_mut().invalid.take()
    }

    #[inline]
    pub(super) fn strip(&mut self, tool: &RegisteredTool) {
        if !forged::is_forged(tool, &self.call.arguments) {
            return;
        }
        for parameter in forged::strip(tool, &mut self.call.to_mut().arguments) {
            report::forged(&self.ctx, &self.call, parameter);
        }
    }
}
