//! What can be searched for in a turn.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::bridge::{CallTool, call_schema, search_schema};
use super::index::ToolIndex;
use super::manifest::manifest;
use super::search_tool::SearchTool;
use super::{TOOL_CALL, TOOL_SEARCH, ToolDiscoveryPolicy};
use crate::error::TinyAgentsError;
use crate::model::ToolSchema;
use crate::registry::{Catalogue, Prepared, RegisteredTool, schema_bytes};
use crate::schema::SchemaPreparation;

/// The first request costs at most this share of what it would cost with every schema in it, as far as the manifest
/// can be shortened for it.
const MOST_PERCENT: usize = 15;
/// A short manifest isn't shortened further, however small the schemas are.
const LEAST_MANIFEST: usize = 2_048;

/// What is searched, and how: the same of these is the same discovery.
pub(crate) struct DiscoveryKey<'a> {
    pub(crate) catalogue: &'a Arc<Catalogue>,
    pub(crate) prepared: Option<(&'a SchemaPreparation, &'a Arc<Prepared>)>,
    pub(crate) policy: &'a ToolDiscoveryPolicy,
    /// Positions of the deferred tools that may not be found, sorted.
    pub(crate) hidden: Vec<usize>,
}

/// What can be searched for in a turn; made once for all turns with the same tools.
pub(crate) struct Discovery {
    catalogue: Arc<Catalogue>,
    prepared: Option<Arc<Prepared>>,
    policy: ToolDiscoveryPolicy,
    hidden: Vec<usize>,
    search: RegisteredTool,
    call: RegisteredTool,
    /// What can be found, in the order of its names.
    schemas: Arc<[ToolSchema]>,
    positions: HashMap<String, usize>,
    /// The direct schemas, then the two to search with.
    first: Arc<[ToolSchema]>,
}

impl Discovery {
    pub(crate) fn new(key: DiscoveryKey<'_>) -> Result<Self, TinyAgentsError> {
        let DiscoveryKey {
            catalogue,
            prepared,
            policy,
            hidden,
        } = key;
        let (direct, deferred) = match prepared {
            Some((_, prepared)) => (prepared.schemas(), prepared.deferred()),
            None => (catalogue.direct(), catalogue.deferred()),
        };
        let is_found = |position: &usize| hidden.binary_search(position).is_err();
        let schemas: Arc<[ToolSchema]> = if hidden.is_empty() {
            Arc::clone(deferred)
        } else {
            let found = (0..deferred.len()).filter(is_found);
            found.filter_map(|at| deferred.get(at)).cloned().collect()
        };
        let found = catalogue.deferred_tools().iter().enumerate();
        let tools: Arc<[Arc<RegisteredTool>]> = found
            .filter(|(position, _)| is_found(position))
            .map(|(_, tool)| Arc::clone(tool))
            .collect();
        let shown = |schema: ToolSchema| match prepared {
            Some((preparation, _)) => preparation.prepare(&schema),
            None => schema,
        };
        let call_schema = shown(call_schema());
        let most_bytes = {
            let around = [search_schema(""), call_schema.clone()];
            let sent = schema_bytes(direct);
            let share = (sent + schema_bytes(&schemas)) * MOST_PERCENT / 100;
            // The commas and brackets around them, too.
            let rest = sent + schema_bytes(&around) + direct.len() + around.len() + 1;
            share.saturating_sub(rest).max(LEAST_MANIFEST)
        };
        let text = manifest(&schemas, policy.manifest_token_budget, most_bytes);
        let search_schema = shown(search_schema(&text));
        let search = SearchTool {
            policy: policy.clone(),
            index: ToolIndex::new(tools.iter().map(AsRef::as_ref)),
            schemas: Arc::clone(&schemas),
            tools,
        };
        Ok(Self {
            catalogue: Arc::clone(catalogue),
            prepared: prepared.map(|(_, prepared)| Arc::clone(prepared)),
            policy: policy.clone(),
            hidden,
            positions: schemas
                .iter()
                .enumerate()
                .map(|(position, schema)| (schema.name.clone(), position))
                .collect(),
            schemas,
            first: direct
                .iter()
                .chain([&search_schema, &call_schema])
                .cloned()
                .collect(),
            search: RegisteredTool::intrinsic(Arc::new(search), search_schema)?,
            call: RegisteredTool::intrinsic(Arc::new(CallTool), call_schema)?,
        })
    }

    /// Whether it is what would be made of this.
    pub(crate) fn is_of(&self, key: &DiscoveryKey<'_>) -> bool {
        let prepared = key.prepared.map(|(_, prepared)| Arc::as_ptr(prepared));
        Arc::ptr_eq(&self.catalogue, key.catalogue)
            && self.prepared.as_ref().map(Arc::as_ptr) == prepared
            && self.policy == *key.policy
            && self.hidden == key.hidden
    }

    /// The direct schemas, then the two to search with.
    pub(crate) fn first_schemas(&self) -> &Arc<[ToolSchema]> {
        &self.first
    }

    /// The schema of a tool that can be found.
    pub(crate) fn schema(&self, name: &str) -> Option<&ToolSchema> {
        self.schemas.get(*self.positions.get(name)?)
    }

    /// How many tools can be found.
    pub(crate) fn len(&self) -> usize {
        self.schemas.len()
    }

    /// Whether the tool can be found, and so be called through `tool_call`.
    pub(crate) fn finds(&self, tool: &RegisteredTool) -> bool {
        self.positions.contains_key(tool.shown_name())
    }

    /// `tool_call`, and of `tool_search` likewise.
    pub(crate) fn intrinsic(&self, name: &str) -> Option<&RegisteredTool> {
        match name {
            TOOL_SEARCH => Some(&self.search),
            TOOL_CALL => Some(&self.call),
            _ => None,
        }
    }
}

impl fmt::Debug for Discovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Discovery")
            .field("tools", &self.len())
            .finish_non_exhaustive()
    }
}
