//! What a run does with the schemas that it advertises.

use super::prepare::prepare_arguments;
use super::{ArgumentNames, SchemaCompaction, SchemaTarget};
use crate::clip::clip_chars;
use crate::model::ToolSchema;

/// How declarations are rewritten before a model is shown them.
///
/// Calls are still checked against the schemas that the tools declare.
///
/// ```
/// use serde_json::json;
/// use tinyagents::schema::{SchemaCompaction, SchemaPreparation, SchemaTarget};
/// use tinyagents::{RunPolicy, ToolSchema};
///
/// let preparation = SchemaPreparation {
///     target: SchemaTarget::OpenAiStrict,
///     compaction: Some(SchemaCompaction::THIRD_PARTY),
/// };
/// let tool = ToolSchema::new("now", "What time it is.", json!({ "type": "object" }));
/// assert_eq!(
///     preparation.prepare(&tool).parameters,
///     json!({ "type": "object", "properties": {}, "required": [], "additionalProperties": false })
/// );
/// let policy = RunPolicy { tool_schemas: Some(preparation), ..RunPolicy::default() };
/// # let _ = policy;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SchemaPreparation {
    /// Whom the declarations are for. Default: portable.
    pub target: SchemaTarget,
    /// How large a declaration may be. Default: no bound but the provider's.
    pub compaction: Option<SchemaCompaction>,
}

impl SchemaPreparation {
    /// A declaration as the provider takes it. Its name stays.
    #[must_use]
    pub fn prepare(&self, tool: &ToolSchema) -> ToolSchema {
        self.prepare_arguments(tool).0
    }

    /// The same, and which arguments are called otherwise now.
    pub(crate) fn prepare_arguments(&self, tool: &ToolSchema) -> (ToolSchema, ArgumentNames) {
        let (parameters, names) = prepare_arguments(&tool.parameters, self.target);
        let description = match self.target.max_description_chars() {
            Some(most) => clip_chars(&tool.description, most),
            None => tool.description.clone(),
        };
        let mut prepared = ToolSchema {
            name: tool.name.clone(),
            description,
            parameters,
            format: tool.format.clone(),
        };
        if let Some(compaction) = self.compaction {
            compaction.compact(&mut prepared, self.target);
        }
        (prepared, names)
    }
}
