//! What holds a run within its bounds, as it is kept while the run waits.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tinytools::WorkspaceDescriptor;

use super::agent_definition::HeldDefinition;
use super::{AgentDefinition, RunContext, RunPart};
use crate::harness::RunLimits;

/// The part of a context that bounds its run and can be written down.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RunScope {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    definitions: Vec<ScopedDefinition>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<WorkspaceDescriptor>,
    /// Where any other workspace must lie.
    #[serde(skip_serializing_if = "Option::is_none")]
    outer_workspace: Option<WorkspaceDescriptor>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<RunLimits>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_turn_output_tokens: Option<u64>,
    /// Without a ledger again, an effect could happen twice.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    has_effect_ledger: bool,
}

/// A definition, and what its host says of one without tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ScopedDefinition {
    #[serde(flatten)]
    definition: AgentDefinition,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fail_closed: Option<bool>,
}

impl RunScope {
    /// The same at the end of the run. Hooks may have bound the run further, and it must not come back without that; what
    /// else they add they add again.
    #[must_use]
    pub(crate) fn ended_as(self, end: &RunContext) -> Self {
        let Self {
            definitions,
            workspace,
            outer_workspace,
            has_effect_ledger,
            ..
        } = end.scope();
        Self {
            definitions,
            workspace,
            outer_workspace,
            has_effect_ledger,
            ..self
        }
    }
}

impl RunContext {
    /// What bounds the run now.
    pub(crate) fn scope(&self) -> RunScope {
        let mut definitions: Vec<ScopedDefinition> = Vec::new();
        for held in &self.run.definitions {
            let scoped = ScopedDefinition {
                definition: AgentDefinition::clone(&held.definition),
                fail_closed: held.is_fail_closed,
            };
            // A host may have named it again after an earlier pause.
            if !definitions.contains(&scoped) {
                definitions.push(scoped);
            }
        }
        RunScope {
            definitions,
            workspace: self.run.workspace.clone(),
            outer_workspace: self.run.outer_workspace.clone(),
            tags: self.run.tags.clone(),
            limits: self.run.budget.limits.clone(),
            max_turn_output_tokens: self.run.budget.max_turn_output_tokens(),
            has_effect_ledger: self.run.effect_ledger.is_some() || self.run.had_effect_ledger,
        }
    }

    /// Whether the run had an effect ledger before it waited, and has none now.
    pub(crate) fn lacks_its_ledger(&self) -> bool {
        self.run.had_effect_ledger && self.run.effect_ledger.is_none()
    }

    /// A run within these bounds.
    #[must_use]
    pub(crate) fn with_scope(self, scope: RunScope) -> Self {
        let RunScope {
            definitions,
            workspace,
            outer_workspace,
            tags,
            limits,
            max_turn_output_tokens,
            has_effect_ledger,
        } = scope;
        self.change(|run: &mut RunPart| {
            let held = definitions.into_iter().map(|scoped| HeldDefinition {
                definition: Arc::new(scoped.definition),
                is_fail_closed: scoped.fail_closed,
            });
            run.definitions.extend(held);
            run.workspace = workspace;
            run.outer_workspace = outer_workspace;
            run.tags.extend(tags);
            run.had_effect_ledger |= has_effect_ledger;
            if let Some(limits) = &limits {
                run.budget.narrow_limits(limits);
            }
            if let Some(tokens) = max_turn_output_tokens {
                run.budget.narrow_output_tokens(tokens);
            }
        })
    }
}
