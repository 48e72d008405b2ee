//! A schema made small.

mod ladder;
mod opened;
mod walk;

use serde_json::Value;

use super::{SchemaTarget, prepare};
use crate::clip::clip_bytes;
use crate::model::ToolSchema;

/// How large a tool's declaration may be.
///
/// What is too large is taken apart from the least valuable end: annotations, words about nested values, long words about
/// arguments, rules of nested values, deep structure, long lists of values, rules of arguments, all words, definitions,
/// and at last all but the arguments' names and types. It stops where the declaration fits. A top-level argument is never
/// lost, so a schema may stay too large for its names alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SchemaCompaction {
    /// Most bytes of the tool's description; of a longer one the beginning is kept.
    pub max_description_bytes: usize,
    /// Most bytes of the schema, as JSON without spaces.
    pub max_schema_bytes: usize,
}

impl SchemaCompaction {
    /// For tools whose words are not the host's own: 5,000 bytes of description, 1,000 of schema.
    pub const THIRD_PARTY: Self = Self {
        max_description_bytes: 5_000,
        max_schema_bytes: 1_000,
    };

    /// Makes a declaration small whose schema is prepared already.
    pub(super) fn compact(self, tool: &mut ToolSchema, target: SchemaTarget) {
        tool.description = clip_bytes(&tool.description, self.max_description_bytes);
        for rung in ladder::RUNGS {
            if schema_bytes(&tool.parameters) <= self.max_schema_bytes {
                return;
            }
            if target == SchemaTarget::OpenAiStrict && rung.opens {
                // Nothing can be given to an open object in strict mode.
                continue;
            }
            (rung.take)(&mut tool.parameters);
            // What is left may need `items`, or a type, again.
            tool.parameters = prepare(&tool.parameters, target);
        }
    }
}

/// Bytes of a schema as JSON without spaces.
fn schema_bytes(schema: &Value) -> usize {
    serde_json::to_string(schema).map_or(0, |text| text.len())
}
