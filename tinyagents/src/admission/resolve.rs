//! Which tool a name stands for, and what the model may call by it.

use super::{Admission, Meant, Pending, repair, report};
use crate::discovery::{TOOL_CALL, unwrapped};
use crate::harness::UnknownToolPolicy;
use crate::registry::RegisteredTool;

impl<'a> Admission<'a> {
    /// Whatever tool the name may stand for; to take out what nobody may see, not to be called.
    pub(super) fn registered(&self, name: &str) -> Option<&'a RegisteredTool> {
        self.shown(name).or_else(|| self.identified(name))
    }

    /// The tool that a model calls by this name.
    pub(crate) fn shown(&self, name: &str) -> Option<&'a RegisteredTool> {
        let shown = self.catalogue.get(name).map(AsRef::as_ref);
        shown.or_else(|| self.discovery?.intrinsic(name))
    }

    /// The tool of that canonical name, whatever a model calls it.
    pub(super) fn identified(&self, name: &str) -> Option<&'a RegisteredTool> {
        let tool = self.catalogue.by_identity(name).map(AsRef::as_ref);
        tool.or_else(|| self.discovery?.intrinsic(name))
    }

    /// The tool that the call is of at the moment, if the model may call it this turn.
    ///
    /// The model's own name is one that it was shown. Afterwards names are canonical: what a middleware or the policy
    /// puts in its place is an identity, never a name that a toolset has given away.
    pub(super) fn callable(&self, pending: &Pending<'a>) -> Option<&'a RegisteredTool> {
        let tool = self.meant(pending);
        tool.filter(|tool| self.is_callable(pending, tool))
    }

    /// Whether the model may call it this turn.
    pub(super) fn is_callable(&self, pending: &Pending<'a>, tool: &RegisteredTool) -> bool {
        self.advertised.contains(tool)
            || (pending.is_bridged && self.discovery.is_some_and(|found| found.finds(tool)))
    }

    /// The same whether or not it may be called.
    pub(super) fn meant(&self, pending: &Pending<'a>) -> Option<&'a RegisteredTool> {
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

    /// An approved call has its canonical name already. Of several tools of that name it is of the one that was deferred,
    /// if that is still shown as it was.
    pub(super) fn take_up(&self, pending: &mut Pending<'a>) {
        let Some(approved) = &pending.approved else {
            return;
        };
        let name = &pending.call.name;
        let deferred = self.shown(&approved.shown_name);
        let deferred = deferred.filter(|tool| tool.name() == name);
        let tool = deferred.or_else(|| self.identified(name));
        pending.is_bridged = pending.call.requested().name == TOOL_CALL;
        if let Some(tool) = tool {
            pending.ctx.set_called(tool);
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
    pub(super) fn unwrap_bridged(&self, pending: &mut Pending<'a>) {
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
    pub(super) fn requested(&self, pending: &Pending<'_>) -> Option<&'a RegisteredTool> {
        self.registered(&pending.call.requested().name)
    }

    /// Sends a call of an unknown tool to the one that the policy names, once, if the model could call that.
    pub(super) fn rewrite(&self, pending: &mut Pending<'a>) -> bool {
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
        pending.ctx.set_called(target);
        pending.is_rewritten = true;
        true
    }
}
