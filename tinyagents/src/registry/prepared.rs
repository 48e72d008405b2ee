//! Declarations rewritten for a provider.

use std::collections::HashMap;
use std::sync::Arc;

use super::snapshot::schema_bytes;
use crate::model::ToolSchema;
use crate::schema::{ArgumentNames, SchemaPreparation};

/// What a model is shown of the tools under a preparation; made once, shared by every turn.
#[derive(Debug)]
pub(crate) struct Prepared {
    schemas: Arc<[ToolSchema]>,
    deferred: Arc<[ToolSchema]>,
    bytes: usize,
    /// For the few tools whose arguments are called otherwise.
    renamed: HashMap<String, ArgumentNames>,
}

impl Prepared {
    pub(super) fn new(
        direct: &[ToolSchema],
        deferred: &[ToolSchema],
        preparation: &SchemaPreparation,
    ) -> Self {
        let mut renamed = HashMap::new();
        let mut prepare = |declared: &[ToolSchema]| -> Arc<[ToolSchema]> {
            declared
                .iter()
                .map(|tool| {
                    let (schema, names) = preparation.prepare_arguments(tool);
                    if !names.is_empty() {
                        renamed.insert(tool.name.clone(), names);
                    }
                    schema
                })
                .collect()
        };
        let schemas = prepare(direct);
        Self {
            deferred: prepare(deferred),
            bytes: schema_bytes(&schemas),
            schemas,
            renamed,
        }
    }

    pub(crate) fn schemas(&self) -> &Arc<[ToolSchema]> {
        &self.schemas
    }

    /// The schemas of tools that a model has to search for.
    pub(crate) fn deferred(&self) -> &Arc<[ToolSchema]> {
        &self.deferred
    }

    /// Bytes of the schemas as JSON.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The arguments of a tool that are called otherwise than they are declared.
    pub(crate) fn renamed(&self, tool: &str) -> Option<&ArgumentNames> {
        self.renamed.get(tool)
    }
}
