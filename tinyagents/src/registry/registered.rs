//! One tool, with everything that a call needs of it computed once.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};
use tinytools::{Injected, Tool, ToolExposure, ToolPolicy, ToolScope};

use super::ToolView;
use crate::deferred::hash_json;
use crate::model::ToolSchema;
use crate::schema::{ArgumentError, Validator};
use crate::toolset::ToolExposureExplanation;

/// A tool as the registry holds it.
///
/// What its author's methods said at registration is what holds: a policy or a name that changes later is not seen.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, read once"
)]
pub struct RegisteredTool {
    pub(super) name: Arc<str>,
    pub(super) shown_name: Arc<str>,
    pub(super) body: ToolBody,
    /// How a toolset shows it, where it doesn't as it is.
    pub(super) view: Option<Box<ToolView>>,
    pub(super) policy: ToolPolicy,
    pub(super) schema: Arc<ToolSchema>,
    pub(super) output_schema: Option<Value>,
    pub(super) output_validator: Option<Validator>,
    pub(super) validator: Arc<Validator>,
    /// Arguments must satisfy these too: what a toolset made of the schema, the outermost last.
    pub(super) prepared: Vec<PreparedSchema>,
    pub(super) injected: Vec<Injected>,
    pub(super) exposure: ToolExposure,
    pub(super) scope: ToolScope,
    pub(super) is_blocking: bool,
    pub(super) return_direct: bool,
    pub(super) max_result_size_chars: Option<usize>,
    pub(super) takes_only_objects: bool,
    pub(super) has_required: bool,
    pub(super) definition_hash: OnceLock<String>,
}

/// What runs when the tool is called.
pub(crate) enum ToolBody {
    /// The tool itself.
    Local(Arc<dyn Tool>),
    /// Nothing here: the host answers.
    External,
}

/// A declaration that a toolset put in place of the tool's own.
pub(super) struct PreparedSchema {
    pub(super) schema: Arc<ToolSchema>,
    pub(super) validator: Arc<Validator>,
}

impl RegisteredTool {
    /// The canonical name: the tool's identity, whatever a toolset calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name a model calls it by; another than the canonical one where a toolset has renamed it.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        &self.shown_name
    }

    /// The policy, as it was at registration.
    #[must_use]
    pub fn policy(&self) -> &ToolPolicy {
        &self.policy
    }

    /// The tool's own declaration, under the name that a model calls it by.
    #[must_use]
    pub fn schema(&self) -> &Arc<ToolSchema> {
        &self.schema
    }

    /// The declaration a model is shown: the tool's own, unless a toolset has prepared it.
    #[must_use]
    pub fn shown_schema(&self) -> &Arc<ToolSchema> {
        self.prepared
            .last()
            .map_or(&self.schema, |prepared| &prepared.schema)
    }

    /// Whether the arguments satisfy the tool's own schema, and every one that was put in its place.
    pub(crate) fn takes(&self, arguments: &Value) -> bool {
        self.validator.is_valid(arguments)
            && self
                .prepared
                .iter()
                .all(|prepared| prepared.validator.is_valid(arguments))
    }

    /// The faults of the arguments, without the values of redacted ones, and the schema that they break: the tool's own
    /// first.
    pub(crate) fn faults(
        &self,
        arguments: &Value,
        redact: &[&str],
    ) -> Result<(), (Vec<ArgumentError>, &ToolSchema)> {
        let prepared = self
            .prepared
            .iter()
            .map(|prepared| (&prepared.validator, &prepared.schema));
        for (validator, schema) in [(&self.validator, &self.schema)]
            .into_iter()
            .chain(prepared)
        {
            if let Err(faults) = validator.validate_redacted(arguments, redact) {
                return Err((faults, schema.as_ref()));
            }
        }
        Ok(())
    }

    /// The tool as a toolset hands it out.
    pub(crate) fn to_tool(&self) -> Arc<dyn Tool> {
        match (&self.view, &self.body) {
            (Some(view), _) => Arc::new(ToolView::clone(view)),
            (None, ToolBody::Local(tool)) => Arc::clone(tool),
            (None, ToolBody::External) => Arc::new(ToolView::external(Arc::clone(&self.schema))),
        }
    }

    /// JSON Schema of the structured result, where the tool declares one.
    #[must_use]
    pub fn output_schema(&self) -> Option<&Value> {
        self.output_schema.as_ref()
    }

    /// The compiled schema of the structured result.
    pub(crate) fn output_validator(&self) -> Option<&Validator> {
        self.output_validator.as_ref()
    }

    /// The compiled schema of the arguments.
    #[must_use]
    pub fn validator(&self) -> &Validator {
        &self.validator
    }

    /// The hidden values a call needs.
    #[must_use]
    pub fn injected(&self) -> &[Injected] {
        &self.injected
    }

    /// How a model gets to know of the tool.
    #[must_use]
    pub fn exposure(&self) -> ToolExposure {
        self.exposure
    }

    /// Who may use the tool.
    #[must_use]
    pub fn scope(&self) -> ToolScope {
        self.scope
    }

    /// The tool itself; `None` for an external one.
    #[must_use]
    pub fn tool(&self) -> Option<&Arc<dyn Tool>> {
        match &self.body {
            ToolBody::Local(tool) => Some(tool),
            ToolBody::External => None,
        }
    }

    /// Whether the host answers the calls.
    #[must_use]
    pub fn is_external(&self) -> bool {
        matches!(self.body, ToolBody::External)
    }

    /// SHA-256 over the canonical JSON of name, description and schema, and of what was put in their place: whoever
    /// approves a call has seen that. Computed when a call is first deferred.
    pub(crate) fn definition_hash(&self) -> &str {
        self.definition_hash.get_or_init(|| {
            let mut definition = declared(&self.schema);
            definition["name"] = json!(*self.name);
            if !self.prepared.is_empty() {
                let prepared = self.prepared.iter();
                definition["prepared"] = prepared.map(|layer| declared(&layer.schema)).collect();
            }
            hash_json(&definition)
        })
    }

    pub(crate) fn body(&self) -> &ToolBody {
        &self.body
    }

    pub(crate) fn shared_shown_name(&self) -> &Arc<str> {
        &self.shown_name
    }

    pub(crate) fn shared_name(&self) -> &Arc<str> {
        &self.name
    }

    /// Names that the model must not choose.
    pub(crate) fn hidden_names(&self) -> impl Iterator<Item = &'static str> {
        self.injected.iter().map(|injected| injected.parameter)
    }

    pub(crate) fn is_blocking(&self) -> bool {
        self.is_blocking
    }

    pub(crate) fn return_direct(&self) -> bool {
        self.return_direct
    }

    pub(crate) fn max_result_size_chars(&self) -> Option<usize> {
        self.max_result_size_chars
    }

    /// The schema's root says `"type": "object"` and nothing else.
    pub(crate) fn takes_only_objects(&self) -> bool {
        self.takes_only_objects
    }

    pub(crate) fn has_required(&self) -> bool {
        self.has_required
    }

    /// Running a call twice does no more than running it once.
    pub(crate) fn may_repeat(&self) -> bool {
        self.policy.runtime.idempotent || self.policy.side_effects.read_only
    }

    /// Why a model isn't shown it with the first request, if it isn't.
    pub(super) fn explained(&self) -> Option<ToolExposureExplanation> {
        let tool = self.name.to_string();
        match self.exposure {
            _ if !self.is_for_models() => Some(ToolExposureExplanation::Hidden { tool }),
            ToolExposure::Deferred => Some(ToolExposureExplanation::Deferred { tool }),
            _ => None,
        }
    }

    /// Whether a model may ever call it: not host-only, and not for command lines alone.
    pub(crate) fn is_for_models(&self) -> bool {
        self.exposure != ToolExposure::Hidden && self.scope != ToolScope::CliRpcOnly
    }
}

/// What a declaration says, whatever the tool is called.
fn declared(schema: &ToolSchema) -> Value {
    json!({ "description": schema.description, "parameters": schema.parameters })
}

impl fmt::Debug for RegisteredTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredTool")
            .field("name", &self.name)
            .field("policy", &self.policy)
            .field("exposure", &self.exposure)
            .field("external", &self.is_external())
            .finish_non_exhaustive()
    }
}
