//! What the registry holds at one moment, shared by every turn that starts then.

use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tinytools::{Injected, ToolExposure, ToolRunContext};

use super::{Prepared, RegisteredTool};
use crate::model::ToolSchema;
use crate::schema::SchemaPreparation;

/// Registered tools by name.
pub(super) type Tools = HashMap<Arc<str>, Arc<RegisteredTool>>;

/// The tools and the lists made of them; computed once per change of the registry, never per turn.
#[derive(Debug)]
pub(crate) struct Catalogue {
    tools: Arc<Tools>,
    direct: Arc<[ToolSchema]>,
    direct_bytes: OnceLock<usize>,
    deferred: Arc<[ToolSchema]>,
    required: Vec<Requirement>,
    instructions: Vec<String>,
    /// The last preparation that was asked for, and what it made. Held for as long as it takes to look.
    prepared: Mutex<Option<(SchemaPreparation, Arc<Prepared>)>>,
}

/// A hidden value that some tool can't do without.
#[derive(Debug)]
pub(crate) struct Requirement {
    pub(crate) tool: Arc<str>,
    pub(crate) injected: Injected,
}

/// Bytes of the schemas as JSON.
pub(crate) fn schema_bytes(schemas: &[ToolSchema]) -> usize {
    let written = schemas.iter().map(serde_json::to_string);
    written.map(|text| text.map_or(0, |text| text.len())).sum()
}

impl Catalogue {
    pub(super) fn new(tools: Arc<Tools>, instructions: Vec<String>) -> Self {
        let mut sorted: Vec<&Arc<RegisteredTool>> = tools.values().collect();
        sorted.sort_unstable_by(|left, right| left.name().cmp(right.name()));
        let listed = |exposure: ToolExposure| -> Arc<[ToolSchema]> {
            sorted
                .iter()
                .filter(|tool| tool.is_for_models() && tool.exposure() == exposure)
                .map(|tool| ToolSchema::clone(tool.schema()))
                .collect()
        };
        let mut seen = HashSet::new();
        let required = sorted
            .iter()
            .flat_map(|tool| tool.injected().iter().map(move |injected| (tool, injected)))
            .filter(|(_, injected)| {
                !injected.optional
                    && injected.type_id != TypeId::of::<dyn ToolRunContext>()
                    && seen.insert(injected.type_id)
            })
            .map(|(tool, injected)| Requirement {
                tool: Arc::clone(tool.shared_name()),
                injected: *injected,
            })
            .collect();
        Self {
            direct_bytes: OnceLock::new(),
            direct: listed(ToolExposure::Direct),
            deferred: listed(ToolExposure::Deferred),
            required,
            instructions,
            prepared: Mutex::default(),
            tools,
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        self.tools.get(name)
    }

    /// Schemas of the first request, sorted by name.
    pub(crate) fn direct(&self) -> &Arc<[ToolSchema]> {
        &self.direct
    }

    /// Bytes of these schemas as JSON; counted when first asked for.
    pub(crate) fn direct_bytes(&self) -> usize {
        *self.direct_bytes.get_or_init(|| schema_bytes(&self.direct))
    }

    /// The schemas of the first request as a preparation makes them; made when first asked for.
    pub(crate) fn prepared(&self, preparation: &SchemaPreparation) -> Arc<Prepared> {
        // Whoever panicked here has left nothing half done.
        let mut last = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, prepared)) = &*last
            && known == preparation
        {
            return Arc::clone(prepared);
        }
        let prepared = Arc::new(Prepared::new(&self.direct, preparation));
        *last = Some((*preparation, Arc::clone(&prepared)));
        prepared
    }

    pub(crate) fn deferred(&self) -> &Arc<[ToolSchema]> {
        &self.deferred
    }

    /// What must be provided before a run starts: one entry per type, whichever tool needs it first.
    pub(crate) fn required(&self) -> &[Requirement] {
        &self.required
    }

    /// Instructions of the registered groups, in the order of registration.
    pub(crate) fn instructions(&self) -> &[String] {
        &self.instructions
    }
}
