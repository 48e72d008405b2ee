//! Enforcement of what tools declare of themselves.

use std::collections::BTreeMap;
use std::fmt;

use tinytools::{PermissionLevel, ToolPolicy, ToolSideEffects};

use super::gate::{Candidate, Gate};
use super::policy_rules::PolicyRules;
use crate::context::RunContext;
use crate::model::ToolCall;

/// Enforces the policies of tools: one decision hides a tool from the model and refuses its calls.
///
/// Every rule is off in [`new`](Self::new) and has to be asked for; [`strict`](Self::strict) begins with those that a
/// careful host wants. Without this middleware a run executes every tool, those included that say nothing of their
/// effects.
///
/// The call that is decided on is the one that would run: after all that other middlewares have made of it.
///
/// ```
/// use tinyagents::middleware::ToolPolicyMiddleware;
/// use tinyagents::{AgentHarness, PermissionLevel};
///
/// let mut harness: AgentHarness<()> = AgentHarness::new();
/// harness.with_middleware(
///     ToolPolicyMiddleware::strict(harness.policies())
///         .max_permission(PermissionLevel::Write)
///         .require_background_safe(true),
/// );
/// ```
#[derive(Clone)]
pub struct ToolPolicyMiddleware {
    policies: BTreeMap<String, ToolPolicy>,
    rules: PolicyRules,
    enforces_result_bytes: bool,
}

impl ToolPolicyMiddleware {
    /// Policies by tool name, and no rule yet. For a tool that isn't among them its own policy holds.
    pub fn new(policies: impl IntoIterator<Item = (String, ToolPolicy)>) -> Self {
        Self {
            policies: policies.into_iter().collect(),
            rules: PolicyRules::default(),
            enforces_result_bytes: false,
        }
    }

    /// The same, and tools without a stated classification are refused, tools that are not among `policies`, and tools
    /// that destroy or pay.
    pub fn strict(policies: impl IntoIterator<Item = (String, ToolPolicy)>) -> Self {
        let mut strict = Self::new(policies).deny_side_effects(ToolSideEffects {
            destructive: true,
            payment: true,
            ..ToolSideEffects::default()
        });
        strict.rules.refuses_unknown = true;
        strict.require_classification(true)
    }

    /// Whether tools that don't state their effects are refused. Default: `false`; `true` in [`strict`](Self::strict).
    #[must_use]
    pub fn require_classification(mut self, required: bool) -> Self {
        self.rules.requires_classification = required;
        self
    }

    /// Refuses tools with any of these effects, beside those denied before.
    ///
    /// A tool that doesn't state its effects has none to be denied for; [`require_classification`] refuses it.
    ///
    /// [`require_classification`]: Self::require_classification
    #[must_use]
    pub fn deny_side_effects(mut self, denied: ToolSideEffects) -> Self {
        self.rules.deny(denied);
        self
    }

    /// Whether tools that need a sandbox run only where the run's workspace is one. Default: `false`.
    #[must_use]
    pub fn require_sandbox(mut self, required: bool) -> Self {
        self.rules.requires_sandbox = required;
        self
    }

    /// Refuses tools that need approval, but for these, by canonical name. Each call of those still waits for its own
    /// approval. Names add to those given before. Default: none is refused for it.
    #[must_use]
    pub fn require_approval<N: Into<String>>(
        mut self,
        approved: impl IntoIterator<Item = N>,
    ) -> Self {
        let names = self.rules.approved.get_or_insert_default();
        names.extend(approved.into_iter().map(Into::into));
        self
    }

    /// Whether tools are refused that may not run while nobody watches. Default: `false`.
    #[must_use]
    pub fn require_background_safe(mut self, required: bool) -> Self {
        self.rules.requires_background_safe = required;
        self
    }

    /// Whether results are cut to the `max_result_bytes` of the policies: on a character boundary, with a notice, and
    /// `"truncated": true` and `"full_bytes"` in their metadata. Where the run has an artifact store, the whole goes into
    /// it and the row has a reference. Default: `false`; a tool's own bound holds without it.
    #[must_use]
    pub fn enforce_result_bytes(mut self, enforced: bool) -> Self {
        self.enforces_result_bytes = enforced;
        self
    }

    /// Refuses what needs more privilege than this: a tool none of whose calls needs less, and each call whose arguments
    /// ask for more. Default: no bound.
    #[must_use]
    pub fn max_permission(mut self, level: PermissionLevel) -> Self {
        self.rules.max_permission = Some(level);
        self
    }

    /// Whether tools are refused that change something outside which can't be taken back
    /// ([`external_effect`](tinytools::Tool::external_effect)), and of the others each call whose arguments would
    /// ([`external_effect_with_args`](tinytools::Tool::external_effect_with_args)). Default: `false`.
    #[must_use]
    pub fn deny_external_effects(mut self, denied: bool) -> Self {
        self.rules.denies_external_effects = denied;
        self
    }

    /// Whether the two intrinsic tools of discovery are always allowed; what is found and called by them is decided on
    /// as ever. Default: `false`.
    #[must_use]
    pub fn exempt_discovery_bridge(mut self, exempt: bool) -> Self {
        self.rules.exempts_bridge = exempt;
        self
    }

    fn policy<'a>(&'a self, ctx: &'a RunContext, tool_name: &str) -> Option<&'a ToolPolicy> {
        let own = self.policies.get(tool_name);
        own.or_else(|| Some(ctx.registered_tool(tool_name)?.policy()))
    }
}

impl Gate for ToolPolicyMiddleware {
    fn refusal(&self, ctx: &RunContext, tool: &Candidate<'_>) -> Option<String> {
        let Candidate {
            name, arguments, ..
        } = *tool;
        let is_known = self.policies.contains_key(name);
        let policy = self.policy(ctx, name);
        self.rules.refusal(ctx, name, policy, is_known, arguments)
    }

    fn result_bytes(&self, ctx: &RunContext, call: &ToolCall) -> Option<u64> {
        let policy = self
            .enforces_result_bytes
            .then(|| self.policy(ctx, &call.name));
        policy.flatten()?.runtime.max_result_bytes
    }
}

impl fmt::Debug for ToolPolicyMiddleware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolPolicyMiddleware")
            .field("policies", &self.policies.len())
            .field("rules", &self.rules)
            .finish_non_exhaustive()
    }
}
