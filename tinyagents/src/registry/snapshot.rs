//! What the registry holds at one moment, shared by every turn that starts then.

use std::any::TypeId;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use foldhash::fast::RandomState;
use tinytools::{Injected, ToolExposure, ToolRunContext};

use super::narrowed::NarrowedLists;
use super::{Prepared, RegisteredTool};
use crate::model::ToolSchema;
use crate::schema::SchemaPreparation;
use crate::toolset::ToolExposureExplanation;

/// Registered tools by name. The names are the host's, or those of a server that the host has chosen; a model can look
/// for names but add none.
pub(super) type Tools = HashMap<Arc<str>, Arc<RegisteredTool>, RandomState>;

/// The tools and the lists made of them; computed once per change of the registry, never per turn.
#[derive(Debug)]
pub(crate) struct Catalogue {
    tools: Arc<Tools>,
    /// Renamed tools by their canonical name; `None` where several have it.
    renamed: HashMap<Arc<str>, Option<Arc<RegisteredTool>>>,
    direct: Arc<[ToolSchema]>,
    direct_bytes: OnceLock<usize>,
    deferred: Arc<[ToolSchema]>,
    /// The tools of these schemas, in the same order.
    deferred_tools: Vec<Arc<RegisteredTool>>,
    /// Which tools are not part of a first request, and why.
    exposures: Vec<ToolExposureExplanation>,
    required: Vec<Requirement>,
    /// Credentials by name, each with the first tool that needs it.
    credentials: BTreeMap<String, Arc<str>>,
    instructions: Vec<String>,
    /// The last preparation that was asked for, and what it made. Held for as long as it takes to look.
    prepared: Mutex<Option<(SchemaPreparation, Arc<Prepared>)>>,
    narrowed: NarrowedLists,
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
        sorted.sort_unstable_by(|left, right| left.shown_name().cmp(right.shown_name()));
        let mut renamed: HashMap<_, Option<Arc<RegisteredTool>>> = HashMap::new();
        for tool in &sorted {
            if tool.name() != tool.shown_name() {
                renamed
                    .entry(Arc::clone(tool.shared_name()))
                    .and_modify(|known| *known = None)
                    .or_insert_with(|| Some(Arc::clone(tool)));
            }
        }
        let listed = |exposure: ToolExposure| -> Arc<[ToolSchema]> {
            sorted
                .iter()
                .filter(|tool| tool.is_for_models() && tool.exposure() == exposure)
                .map(|tool| ToolSchema::clone(tool.shown_schema()))
                .collect()
        };
        let deferred_tools = sorted
            .iter()
            .filter(|tool| tool.is_for_models() && tool.exposure() == ToolExposure::Deferred)
            .map(|tool| Arc::clone(tool))
            .collect();
        let exposures = sorted.iter().filter_map(|tool| tool.explained()).collect();
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
        let mut credentials = BTreeMap::new();
        for tool in &sorted {
            for name in &tool.policy().access.credentials {
                let first = || Arc::clone(tool.shared_name());
                credentials.entry(name.clone()).or_insert_with(first);
            }
        }
        Self {
            direct_bytes: OnceLock::new(),
            direct: listed(ToolExposure::Direct),
            deferred: listed(ToolExposure::Deferred),
            deferred_tools,
            exposures,
            renamed,
            required,
            credentials,
            instructions,
            prepared: Mutex::default(),
            narrowed: NarrowedLists::default(),
            tools,
        }
    }

    /// The same with the tools of toolsets, whose names must be new.
    pub(crate) fn with(&self, added: &[Arc<RegisteredTool>]) -> Self {
        let mut tools = Tools::clone(&self.tools);
        for tool in added {
            tools.insert(Arc::clone(tool.shared_shown_name()), Arc::clone(tool));
        }
        Self::new(Arc::new(tools), self.instructions.clone())
    }

    /// The tool that a model calls by this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        self.tools.get(name)
    }

    /// The tool of that canonical name, whatever a model calls it; none where several have it.
    pub(crate) fn by_identity(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        let shown = self.tools.get(name).filter(|tool| tool.name() == name);
        shown.or_else(|| self.renamed.get(name)?.as_ref())
    }

    /// Schemas of the first request, sorted by name.
    pub(crate) fn direct(&self) -> &Arc<[ToolSchema]> {
        &self.direct
    }

    /// Bytes of these schemas as JSON; counted when first asked for.
    pub(crate) fn direct_bytes(&self) -> usize {
        *self.direct_bytes.get_or_init(|| schema_bytes(&self.direct))
    }

    /// A list of these tools' schemas without those at some positions, which are sorted; copied when it is first asked for.
    pub(crate) fn without(
        &self,
        schemas: &Arc<[ToolSchema]>,
        hidden: &[usize],
    ) -> Arc<[ToolSchema]> {
        self.narrowed.without(schemas, hidden)
    }

    /// Which tools are not part of a first request, and why.
    pub(crate) fn exposures(&self) -> &[ToolExposureExplanation] {
        &self.exposures
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
        let prepared = Arc::new(Prepared::new(&self.direct, &self.deferred, preparation));
        *last = Some((*preparation, Arc::clone(&prepared)));
        prepared
    }

    pub(crate) fn deferred(&self) -> &Arc<[ToolSchema]> {
        &self.deferred
    }

    /// The tools of the deferred schemas, in the same order.
    pub(crate) fn deferred_tools(&self) -> &[Arc<RegisteredTool>] {
        &self.deferred_tools
    }

    /// What must be provided before a run starts: one entry per type, whichever tool needs it first.
    pub(crate) fn required(&self) -> &[Requirement] {
        &self.required
    }

    /// Credentials that the policies name, each with the first tool that needs it.
    pub(crate) fn credentials(&self) -> &BTreeMap<String, Arc<str>> {
        &self.credentials
    }

    /// Instructions of the registered groups, in the order of registration.
    pub(crate) fn instructions(&self) -> &[String] {
        &self.instructions
    }
}
