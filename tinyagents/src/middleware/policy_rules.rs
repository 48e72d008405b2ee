//! The rules of a policy middleware, and the one decision they make.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;
use tinytools::{PermissionLevel, SandboxMode, ToolPolicy, ToolSideEffects};

use super::gate::is_bridge;
use crate::context::RunContext;

/// What is refused; nothing by default.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent rules, each switched on by its own builder"
)]
pub(super) struct PolicyRules {
    pub(super) refuses_unknown: bool,
    pub(super) requires_classification: bool,
    denied: ToolSideEffects,
    pub(super) requires_sandbox: bool,
    /// Where there is a list, tools that need approval must be in it.
    pub(super) approved: Option<BTreeSet<String>>,
    pub(super) requires_background_safe: bool,
    pub(super) max_permission: Option<PermissionLevel>,
    pub(super) denies_external_effects: bool,
    pub(super) exempts_bridge: bool,
}

impl PolicyRules {
    /// Adds to the denied effects; none is ever allowed again.
    pub(super) fn deny(&mut self, effects: ToolSideEffects) {
        let ToolSideEffects {
            read_only,
            writes_files,
            network,
            installs_dependencies,
            runs_processes,
            destructive,
            external_service,
            payment,
        } = effects;
        let denied = &mut self.denied;
        denied.read_only |= read_only;
        denied.writes_files |= writes_files;
        denied.network |= network;
        denied.installs_dependencies |= installs_dependencies;
        denied.runs_processes |= runs_processes;
        denied.destructive |= destructive;
        denied.external_service |= external_service;
        denied.payment |= payment;
    }

    /// Why the tool is refused, or this call of it. Only the last two rules look at arguments, and refuse with
    /// them whatever they refuse without.
    pub(super) fn refusal(
        &self,
        ctx: &RunContext,
        name: &str,
        policy: Option<&ToolPolicy>,
        is_known: bool,
        arguments: Option<&Value>,
    ) -> Option<String> {
        if self.exempts_bridge && is_bridge(name) && policy.is_none() {
            return None;
        }
        if self.refuses_unknown && !is_known {
            return Some("the host has no policy for it".to_owned());
        }
        let unstated = ToolPolicy::default();
        let policy = policy.unwrap_or(&unstated);
        if self.requires_classification && !policy.classified {
            return Some("its effects are not stated".to_owned());
        }
        self.denied_effect(policy)
            .or_else(|| self.lacking_sandbox(ctx, policy))
            .or_else(|| self.lacking_approval(name, policy))
            .or_else(|| self.unsafe_in_background(policy))
            .or_else(|| self.excess_permission(ctx, name, arguments))
            .or_else(|| self.external_effect(ctx, name, arguments))
    }

    fn denied_effect(&self, policy: &ToolPolicy) -> Option<String> {
        let mut effects = named(self.denied)
            .into_iter()
            .zip(named(policy.side_effects));
        let ((name, _), _) = effects.find(|((_, denied), (_, has))| *denied && *has)?;
        Some(format!("the effect `{name}` is denied"))
    }

    fn lacking_sandbox(&self, ctx: &RunContext, policy: &ToolPolicy) -> Option<String> {
        let is_needed = self.requires_sandbox && policy.runtime.sandbox == SandboxMode::Required;
        let is_there = ctx
            .workspace()
            .is_some_and(|workspace| workspace.sandbox == SandboxMode::Required);
        (is_needed && !is_there).then(|| "it needs a sandbox, and the run has none".to_owned())
    }

    fn lacking_approval(&self, name: &str, policy: &ToolPolicy) -> Option<String> {
        let approved = self.approved.as_ref()?;
        let is_refused = policy.access.approval_required && !approved.contains(name);
        is_refused.then(|| "it needs an approval that nobody gives here".to_owned())
    }

    fn unsafe_in_background(&self, policy: &ToolPolicy) -> Option<String> {
        let is_refused = self.requires_background_safe && !policy.access.background_safe;
        is_refused.then(|| "it may not run while nobody watches".to_owned())
    }

    fn excess_permission(
        &self,
        ctx: &RunContext,
        name: &str,
        arguments: Option<&Value>,
    ) -> Option<String> {
        let most = self.max_permission?;
        let Some(registered) = ctx.registered_tool(name) else {
            return Some("the privilege it needs is not known".to_owned());
        };
        // What the host answers itself takes no privilege here.
        let tool = registered.tool()?;
        // The author's code: a panic in it allows nothing.
        let needed = catch_unwind(AssertUnwindSafe(|| {
            let least = tool.permission_level();
            let this = arguments.map(|arguments| tool.permission_level_with_args(arguments));
            this.map_or(least, |this| this.max(least))
        }));
        match needed {
            Ok(needed) if needed <= most => None,
            Ok(_) if arguments.is_some() => {
                Some("a call with these arguments needs more privilege than is granted".to_owned())
            }
            Ok(_) => Some("it needs more privilege than is granted".to_owned()),
            Err(_) => Some("the privilege it needs is not known".to_owned()),
        }
    }

    fn external_effect(
        &self,
        ctx: &RunContext,
        name: &str,
        arguments: Option<&Value>,
    ) -> Option<String> {
        const UNKNOWN: &str = "whether it has an effect outside is not known";
        if !self.denies_external_effects {
            return None;
        }
        let Some(registered) = ctx.registered_tool(name) else {
            return Some(UNKNOWN.to_owned());
        };
        // What the host answers itself has no effect from here.
        let tool = registered.tool()?;
        // The author's code: a panic in it allows nothing.
        let effect = catch_unwind(AssertUnwindSafe(|| {
            let this = |arguments| tool.external_effect_with_args(arguments);
            (tool.external_effect(), arguments.is_some_and(this))
        }));
        match effect {
            Ok((false, false)) => None,
            Ok((false, true)) => Some(
                "a call with these arguments has an effect outside, which is denied".to_owned(),
            ),
            Ok((true, _)) => Some("an effect outside is denied".to_owned()),
            Err(_) => Some(UNKNOWN.to_owned()),
        }
    }
}

/// The effects by name.
fn named(effects: ToolSideEffects) -> [(&'static str, bool); 8] {
    let ToolSideEffects {
        read_only,
        writes_files,
        network,
        installs_dependencies,
        runs_processes,
        destructive,
        external_service,
        payment,
    } = effects;
    [
        ("read_only", read_only),
        ("writes_files", writes_files),
        ("network", network),
        ("installs_dependencies", installs_dependencies),
        ("runs_processes", runs_processes),
        ("destructive", destructive),
        ("external_service", external_service),
        ("payment", payment),
    ]
}
