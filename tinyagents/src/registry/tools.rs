//! The registry: owns the tools.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

use tinytools::{IntoTools, ToolPolicy, ToolSpec};

use super::snapshot::Tools;
use super::{Catalogue, IntoTool, RegisteredTool, ToolGroup};
use crate::error::TinyAgentsError;
use crate::model::ToolSchema;
use crate::schema::{Finding, SchemaPreparation, SchemaTarget, lint_count, lint_tool};

/// The tools that can be called, by name.
///
/// Every registration either succeeds as a whole or changes nothing, and its error names the tool.
#[derive(Clone, Default)]
pub struct ToolRegistry {
    tools: Arc<Tools>,
    instructions: Vec<String>,
    catalogue: OnceLock<Arc<Catalogue>>,
}

impl ToolRegistry {
    /// A registry without tools.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers one tool.
    ///
    /// # Errors
    /// If the name is taken, reserved or not canonical, or the schema can't be compiled or doesn't describe an object.
    pub fn register<Form>(
        &mut self,
        tool: impl IntoTool<Form>,
    ) -> Result<&mut Self, TinyAgentsError> {
        self.add(vec![RegisteredTool::local(tool.into_tool())?])
    }

    /// Registers a list of tools, all or none.
    ///
    /// # Errors
    /// As [`register`](Self::register), for the first tool that is refused.
    pub fn register_all(&mut self, tools: impl IntoTools) -> Result<&mut Self, TinyAgentsError> {
        let tools = tools.into_tools().into_iter().map(RegisteredTool::local);
        let tools = tools.collect::<Result<Vec<_>, _>>()?;
        self.add(tools)
    }

    /// Registers the tools of a group, all or none, and keeps its instructions.
    ///
    /// # Errors
    /// As [`register`](Self::register), for the first tool that is refused.
    pub fn register_group(&mut self, group: ToolGroup) -> Result<&mut Self, TinyAgentsError> {
        self.register_all(group.tools)?;
        self.instructions.extend(group.instructions);
        Ok(self)
    }

    /// Registers a tool that is only a schema: its calls leave the loop, and the host answers them.
    ///
    /// # Errors
    /// As [`register`](Self::register).
    pub fn register_external(&mut self, schema: ToolSchema) -> Result<&mut Self, TinyAgentsError> {
        self.add(vec![RegisteredTool::external(schema)?])
    }

    /// Looks at every name before the first insertion, so that nothing is ever half-registered.
    fn add(&mut self, new: Vec<RegisteredTool>) -> Result<&mut Self, TinyAgentsError> {
        let mut seen = HashSet::with_capacity(new.len());
        for tool in &new {
            let name = tool.shown_name();
            if self.tools.contains_key(name) || !seen.insert(name) {
                return Err(TinyAgentsError::DuplicateTool(name.to_owned()));
            }
        }
        // First the lists made of the tools: they share the map, which would then be copied without need.
        self.catalogue = OnceLock::new();
        let tools = Arc::make_mut(&mut self.tools);
        for tool in new {
            tools.insert(Arc::clone(tool.shared_shown_name()), Arc::new(tool));
        }
        Ok(self)
    }

    /// The tool of that canonical name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        self.tools.get(name)
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there is no tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The names of all tools, sorted; hidden ones too.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.tools.keys().map(AsRef::as_ref).collect();
        names.sort_unstable();
        names
    }

    /// The schemas a model gets with the first request: those of `Direct` tools, sorted by name. Shared, not copied.
    #[must_use]
    pub fn schemas(&self) -> Arc<[ToolSchema]> {
        Arc::clone(self.catalogue().direct())
    }

    /// The schemas of `Deferred` tools, sorted by name. Shared, not copied.
    #[must_use]
    pub fn deferred_schemas(&self) -> Arc<[ToolSchema]> {
        Arc::clone(self.catalogue().deferred())
    }

    /// The policy of every tool, by name.
    #[must_use]
    pub fn policies(&self) -> BTreeMap<String, ToolPolicy> {
        self.tools
            .values()
            .map(|tool| (tool.name().to_owned(), tool.policy().clone()))
            .collect()
    }

    /// The declaration of every tool, sorted by name; hidden ones too, so this is for the host.
    #[must_use]
    pub fn specs(&self) -> Vec<ToolSpec> {
        let mut specs: Vec<ToolSpec> = self
            .tools
            .values()
            .map(|tool| ToolSpec {
                name: tool.name().to_owned(),
                description: tool.schema().description.clone(),
                parameters: tool.schema().parameters.clone(),
                output: tool.output_schema().cloned(),
            })
            .collect();
        specs.sort_unstable_by(|left, right| left.name.cmp(&right.name));
        specs
    }

    /// Runs every tool through every provider: what is left to find once its declaration is prepared for that provider.
    /// Hidden tools too, sorted by name; empty where every tool can be offered to every model.
    ///
    /// A tool is never a finding of another one. That a first request would hold more tools than the provider takes is one
    /// of no tool, and comes last. For what a declaration says as it is written, see
    /// [`schema::lint`](crate::schema::lint).
    ///
    /// ```
    /// use serde_json::json;
    /// use tinyagents::{ToolRegistry, ToolSchema};
    ///
    /// let mut registry = ToolRegistry::new();
    /// let schema = json!({ "type": "object", "properties": { "ids": { "type": "array" } } });
    /// registry.register_external(ToolSchema::new("list", "List things.", schema))?;
    /// assert!(registry.lint().is_empty());
    /// # Ok::<(), tinyagents::TinyAgentsError>(())
    /// ```
    #[must_use]
    pub fn lint(&self) -> Vec<ToolFindings> {
        let mut tools: Vec<&Arc<RegisteredTool>> = self.tools.values().collect();
        tools.sort_unstable_by(|left, right| left.name().cmp(right.name()));
        let mut found = Vec::new();
        for tool in tools {
            for target in SchemaTarget::ALL {
                let preparation = SchemaPreparation {
                    target,
                    compaction: None,
                };
                let findings = lint_tool(&preparation.prepare(tool.schema()), target);
                if !findings.is_empty() {
                    found.push(ToolFindings {
                        tool: tool.name().to_owned(),
                        target,
                        findings,
                    });
                }
            }
        }
        found.extend(SchemaTarget::ALL.into_iter().filter_map(|target| {
            let finding = lint_count(self.schemas().len(), target)?;
            Some(ToolFindings {
                tool: String::new(),
                target,
                findings: vec![finding],
            })
        }));
        found
    }

    /// Every tool, sorted by name; hidden ones too.
    pub(crate) fn sorted(&self) -> Vec<&Arc<RegisteredTool>> {
        let mut tools: Vec<&Arc<RegisteredTool>> = self.tools.values().collect();
        tools.sort_unstable_by(|left, right| left.shown_name().cmp(right.shown_name()));
        tools
    }

    /// How models should use the tools, in the order of registration.
    pub(crate) fn instructions(&self) -> &[String] {
        &self.instructions
    }

    /// The lists made of the tools as they are now.
    pub(crate) fn catalogue(&self) -> &Arc<Catalogue> {
        self.catalogue.get_or_init(|| {
            let catalogue = Catalogue::new(Arc::clone(&self.tools), self.instructions.clone());
            Arc::new(catalogue)
        })
    }
}

/// What one provider would refuse or ignore in one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolFindings {
    /// The tool's canonical name; empty where it is about all of them together.
    pub tool: String,
    /// The provider.
    pub target: SchemaTarget,
    /// What it would refuse or ignore; paths begin at the declaration.
    pub findings: Vec<Finding>,
}

impl fmt::Debug for ToolRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolRegistry")
            .field("tools", &self.names())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn external(name: &str) -> ToolSchema {
        ToolSchema::new(name, "", json!({}))
    }

    #[test]
    fn a_registration_after_the_lists_were_asked_for_copies_no_map() {
        let mut registry = ToolRegistry::new();
        registry.register_external(external("a")).unwrap();
        let before = Arc::as_ptr(&registry.tools);
        assert_eq!(registry.schemas().len(), 1);
        registry.register_external(external("b")).unwrap();
        assert_eq!(Arc::as_ptr(&registry.tools), before);
        assert_eq!(registry.schemas().len(), 2);
    }

    #[test]
    fn the_hash_of_a_definition_is_computed_once() {
        let mut registry = ToolRegistry::new();
        registry.register_external(external("a")).unwrap();
        let tool = registry.get("a").unwrap();
        assert_eq!(tool.definition_hash().len(), 64);
        assert!(std::ptr::eq(tool.definition_hash(), tool.definition_hash()));
    }
}
