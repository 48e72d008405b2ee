//! Where the tools of a dispatcher come from, beside its registry.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::run_tools::Snapshot;
use super::{ToolExposureExplanation, ToolSet, ToolSetError};
use crate::context::RunContext;
use crate::discovery::{Discovery, DiscoveryKey};
use crate::error::TinyAgentsError;
use crate::events::AgentEvent;
use crate::registry::{Catalogue, RegisteredTool};

/// The toolsets of a dispatcher, and what was made of their tools: shared by all its runs.
#[derive(Default)]
pub(crate) struct ToolSources {
    sets: Vec<Arc<dyn ToolSet>>,
    /// The last tool of each name; the lock is held to look and to put.
    compiled: Mutex<HashMap<String, Arc<RegisteredTool>>>,
    /// What the last run that asked was shown; the lock is held to look and to put.
    last: Mutex<Option<Snapshot>>,
    /// What can be searched, as the last runs that asked had it; the lock is held to look and to put.
    discoveries: Mutex<VecDeque<Arc<Discovery>>>,
}

/// Most discoveries that are kept: an index may be large, and who may find what differs between a few agents.
const KEPT_DISCOVERIES: usize = 4;

impl ToolSources {
    /// The same with one set more.
    pub(crate) fn with(&self, set: impl ToolSet + 'static) -> Self {
        let mut sets = self.sets.clone();
        sets.push(Arc::new(set));
        Self {
            sets,
            ..Self::default()
        }
    }

    /// Whether there is no set at all.
    #[cfg(feature = "mcp")]
    pub(crate) fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// Whether the turns of a run are just the registered tools, with nothing to tell of them.
    pub(crate) fn adds_nothing(&self, base: &Catalogue, ctx: &RunContext) -> bool {
        let is_told = base.exposures().is_empty() || !ctx.has_events();
        self.sets.is_empty() && is_told
    }

    /// How models should use the tools, as the sets of this run say it.
    pub(crate) async fn instructions(
        self: &Arc<Self>,
        ctx: &RunContext,
    ) -> Result<Vec<String>, TinyAgentsError> {
        let sets = self.for_run(ctx).await?;
        Ok(sets.iter().filter_map(ToolSet::instructions).collect())
    }

    /// The sets of this run, asked for once.
    async fn for_run(
        self: &Arc<Self>,
        ctx: &RunContext,
    ) -> Result<Arc<[Arc<dyn ToolSet>]>, TinyAgentsError> {
        if let Some(sets) = ctx.run_tools().sets(self) {
            return Ok(sets);
        }
        let mut sets = self.sets.clone();
        for set in &mut sets {
            if let Some(own) = set.for_run(ctx).await? {
                *set = own;
            }
        }
        Ok(ctx.run_tools().keep_sets(self, sets))
    }

    /// What one turn can run: the registered tools and those that the sets show now. Nothing is compiled that was
    /// compiled before, and the catalogue is the last one where the tools are.
    pub(crate) async fn catalogue(
        self: &Arc<Self>,
        base: &Arc<Catalogue>,
        ctx: &RunContext,
    ) -> Result<Arc<Catalogue>, TinyAgentsError> {
        if self.adds_nothing(base, ctx) {
            return Ok(Arc::clone(base));
        }
        let sets = self.for_run(ctx).await?;
        let mut owners: HashMap<Arc<str>, usize> = HashMap::new();
        let mut tools = Vec::new();
        let mut explanations = Vec::new();
        for (position, set) in sets.iter().enumerate() {
            let exposed = set.exposed(ctx).await?;
            explanations.extend(exposed.explanations);
            for tool in exposed.tools {
                let tool = self.compiled(tool)?;
                let name = tool.shown_name();
                let first = owners.insert(Arc::clone(tool.shared_shown_name()), position);
                let first = first.map(|first| describe(&sets, first));
                let registered = base.get(name).map(|_| "the registry".to_owned());
                if let Some(first) = registered.or(first) {
                    return Err(ToolSetError::NameConflict {
                        name: name.to_owned(),
                        first,
                        second: describe(&sets, position),
                    }
                    .into());
                }
                tools.push(tool);
            }
        }
        let last = ctx.run_tools().snapshot(self);
        let known = last.filter(|last| last.is_of(base, &tools));
        let catalogue = match known.or_else(|| self.last(base, &tools)) {
            Some(known) => known.catalogue,
            None if tools.is_empty() => Arc::clone(base),
            None => Arc::new(base.with(&tools)),
        };
        let snapshot = Snapshot {
            base: Arc::clone(base),
            tools: tools.into(),
            catalogue: Arc::clone(&catalogue),
            explanations: explanations.into(),
        };
        self.keep(snapshot.clone());
        if ctx.run_tools().keep_snapshot(self, snapshot.clone()) {
            ctx.emit_with(|| tell(&snapshot));
        }
        Ok(catalogue)
    }

    /// What the last run was shown, if it is the same.
    fn last(&self, base: &Arc<Catalogue>, tools: &[Arc<RegisteredTool>]) -> Option<Snapshot> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref()
            .filter(|last| last.is_of(base, tools))
            .cloned()
    }

    fn keep(&self, snapshot: Snapshot) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(snapshot);
    }

    /// The tool, compiled unless it was before.
    fn compiled(
        &self,
        tool: Arc<dyn tinytools::Tool>,
    ) -> Result<Arc<RegisteredTool>, TinyAgentsError> {
        let known = {
            let compiled = self.compiled.lock();
            let compiled = compiled.unwrap_or_else(PoisonError::into_inner);
            compiled.get(tool.name()).cloned()
        };
        let tool = RegisteredTool::renewed(tool, known.as_ref())?;
        if !known.is_some_and(|known| Arc::ptr_eq(&known, &tool)) {
            let compiled = self.compiled.lock();
            let mut compiled = compiled.unwrap_or_else(PoisonError::into_inner);
            compiled.insert(tool.shown_name().to_owned(), Arc::clone(&tool));
        }
        Ok(tool)
    }

    /// What can be searched for in a turn, made unless it was before.
    pub(crate) fn discovery(
        &self,
        key: DiscoveryKey<'_>,
    ) -> Result<Arc<Discovery>, TinyAgentsError> {
        let kept = || {
            let kept = self.discoveries.lock();
            kept.unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = kept().iter().find(|known| known.is_of(&key)) {
            return Ok(Arc::clone(known));
        }
        let discovery = Arc::new(Discovery::new(key)?);
        let mut kept = kept();
        if kept.len() == KEPT_DISCOVERIES {
            kept.pop_front();
        }
        kept.push_back(Arc::clone(&discovery));
        Ok(discovery)
    }
}

/// A set is told by its place and its name: many are of one type.
fn describe(sets: &[Arc<dyn ToolSet>], position: usize) -> String {
    let name = sets.get(position).map(ToolSet::name);
    format!("toolset {} ({})", position + 1, name.unwrap_or_default())
}

fn tell(shown: &Snapshot) -> AgentEvent {
    let explanations: Vec<ToolExposureExplanation> = shown.explained().cloned().collect();
    let mut tools: BTreeMap<String, String> = BTreeMap::new();
    for explanation in &explanations {
        let text = tools.entry(explanation.tool().to_owned()).or_default();
        if !text.is_empty() {
            text.push_str("; ");
        }
        text.push_str(&explanation.to_string());
    }
    AgentEvent::ToolsFiltered {
        tools,
        explanations,
    }
}

impl fmt::Debug for ToolSources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sets: Vec<String> = self.sets.iter().map(ToolSet::name).collect();
        f.debug_struct("ToolSources")
            .field("sets", &sets)
            .finish_non_exhaustive()
    }
}
