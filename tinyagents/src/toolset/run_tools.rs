//! What one run knows of its tools.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::{ToolExposureExplanation, ToolSet, ToolSources};
use crate::discovery::{Discovery, DiscoveryKey};
use crate::harness::ToolResultMetadata;
use crate::model::ToolSchema;
use crate::registry::{Catalogue, RegisteredTool, schema_bytes};

/// What one run knows of its tools; shared by all clones of its context.
///
/// The lock is held for the length of one method, never across an await.
#[derive(Default)]
pub(crate) struct RunTools {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// One for each dispatcher that has asked; there is seldom more than one.
    runs: Vec<RunSets>,
    /// Names of the tools that a search has brought into the requests, in the order in which it did.
    promoted: Vec<String>,
    shown: Option<Arc<ShownTools>>,
    /// The answer out of the effect ledger that is the run's.
    direct: Option<DirectAnswer>,
    /// What answers out of the effect ledger had to say to the host alone.
    recorded_metadata: Vec<ToolResultMetadata>,
}

/// An answer that ends the run, as long as nothing has been said since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DirectAnswer {
    pub(crate) call_id: String,
    /// How many messages followed the last one of the assistant.
    pub(crate) followers: usize,
}

/// The sets of one dispatcher in this run, and what they showed last.
struct RunSets {
    sources: Arc<ToolSources>,
    sets: Arc<[Arc<dyn ToolSet>]>,
    snapshot: Option<Snapshot>,
}

/// What the sets showed, and what was made of it.
#[derive(Clone)]
pub(super) struct Snapshot {
    pub(super) base: Arc<Catalogue>,
    pub(super) tools: Arc<[Arc<RegisteredTool>]>,
    pub(super) catalogue: Arc<Catalogue>,
    /// What the sets did.
    pub(super) explanations: Arc<[ToolExposureExplanation]>,
}

impl Snapshot {
    /// Whether the same is shown again.
    pub(super) fn is_of(&self, base: &Arc<Catalogue>, tools: &[Arc<RegisteredTool>]) -> bool {
        Arc::ptr_eq(&self.base, base)
            && self.tools.len() == tools.len()
            && self
                .tools
                .iter()
                .zip(tools)
                .all(|(own, other)| Arc::ptr_eq(own, other))
    }

    /// What the sets did, and which tools are not part of a first request.
    pub(super) fn explained(&self) -> impl Iterator<Item = &ToolExposureExplanation> {
        self.explanations.iter().chain(self.catalogue.exposures())
    }

    /// Whether there is something to tell that wasn't told with the last one.
    fn is_news(&self, last: Option<&Self>) -> bool {
        match last {
            None => self.explained().next().is_some(),
            Some(last) if Arc::ptr_eq(&self.catalogue, &last.catalogue) => {
                self.explanations != last.explanations
            }
            Some(last) => !self.explained().eq(last.explained()),
        }
    }
}

/// The schemas of a turn in which tools can be searched for.
pub(crate) struct ShownTools {
    discovery: Arc<Discovery>,
    /// Every schema that is sent: the direct ones, the two to search with, then the promoted ones.
    pub(crate) schemas: Arc<[ToolSchema]>,
    /// The names of the promoted ones.
    pub(crate) promoted: Arc<HashSet<String>>,
    promotions: usize,
    bytes: OnceLock<usize>,
}

impl ShownTools {
    /// Bytes of the schemas as JSON; counted when first asked for.
    pub(crate) fn bytes(&self) -> usize {
        *self.bytes.get_or_init(|| schema_bytes(&self.schemas))
    }
}

impl RunTools {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sets of a dispatcher in this run, if it has asked before.
    pub(super) fn sets(&self, sources: &Arc<ToolSources>) -> Option<Arc<[Arc<dyn ToolSet>]>> {
        let state = self.state();
        let run = state.runs.iter().find(|run| run.is_of(sources))?;
        Some(Arc::clone(&run.sets))
    }

    /// Keeps the sets of a dispatcher, unless somebody else was faster; those that are kept.
    pub(super) fn keep_sets(
        &self,
        sources: &Arc<ToolSources>,
        sets: Vec<Arc<dyn ToolSet>>,
    ) -> Arc<[Arc<dyn ToolSet>]> {
        let mut state = self.state();
        if let Some(run) = state.runs.iter().find(|run| run.is_of(sources)) {
            return Arc::clone(&run.sets);
        }
        let sets: Arc<[Arc<dyn ToolSet>]> = sets.into();
        state.runs.push(RunSets {
            sources: Arc::clone(sources),
            sets: Arc::clone(&sets),
            snapshot: None,
        });
        sets
    }

    /// What was shown last.
    pub(super) fn snapshot(&self, sources: &Arc<ToolSources>) -> Option<Snapshot> {
        let state = self.state();
        let run = state.runs.iter().find(|run| run.is_of(sources))?;
        run.snapshot.clone()
    }

    /// Keeps what is shown now; whether something else was done to it than the last time.
    pub(super) fn keep_snapshot(&self, sources: &Arc<ToolSources>, snapshot: Snapshot) -> bool {
        let mut state = self.state();
        let Some(run) = state.runs.iter_mut().find(|run| run.is_of(sources)) else {
            return false;
        };
        let is_news = snapshot.is_news(run.snapshot.as_ref());
        run.snapshot = Some(snapshot);
        is_news
    }

    /// The promoted tools, in order; also those that are not there any more.
    pub(crate) fn promoted(&self) -> Vec<String> {
        self.state().promoted.clone()
    }

    /// Brings tools into the following requests, after those that are there.
    pub(crate) fn promote<'a>(&self, names: impl IntoIterator<Item = &'a str>) {
        let mut state = self.state();
        for name in names {
            if !state.promoted.iter().any(|known| known == name) {
                state.promoted.push(name.to_owned());
            }
        }
    }

    /// Notes what answers out of the effect ledger leave beside the transcript.
    pub(crate) fn note_recorded(
        &self,
        direct: Option<DirectAnswer>,
        metadata: Vec<ToolResultMetadata>,
    ) {
        let mut state = self.state();
        state.direct = direct.or(state.direct.take());
        for one in metadata {
            // A host may bring several copies of one transcript up to date.
            let is_same = |known: &ToolResultMetadata| known.call_id == one.call_id;
            if !state.recorded_metadata.iter().any(is_same) {
                state.recorded_metadata.push(one);
            }
        }
    }

    /// What recorded answers had to say to the host alone; told once.
    pub(crate) fn take_recorded_metadata(&self) -> Vec<ToolResultMetadata> {
        std::mem::take(&mut self.state().recorded_metadata)
    }

    /// Forgets the answer that ends the run.
    pub(crate) fn forget_direct(&self) {
        self.state().direct = None;
    }

    /// The answer that ends the run.
    pub(crate) fn direct(&self) -> Option<DirectAnswer> {
        self.state().direct.clone()
    }

    /// What could be searched for last, if that is the same.
    pub(crate) fn discovery(&self, key: &DiscoveryKey<'_>) -> Option<Arc<Discovery>> {
        let state = self.state();
        let last = &state.shown.as_ref()?.discovery;
        last.is_of(key).then(|| Arc::clone(last))
    }

    /// What is shown of a turn with these tools to search for: only such promoted ones as can be found in it.
    pub(crate) fn shown(&self, discovery: &Arc<Discovery>) -> Arc<ShownTools> {
        let mut state = self.state();
        if let Some(shown) = &state.shown
            && Arc::ptr_eq(&shown.discovery, discovery)
            && shown.promotions == state.promoted.len()
        {
            return Arc::clone(shown);
        }
        let promoted: Vec<&ToolSchema> = state
            .promoted
            .iter()
            .filter_map(|name| discovery.schema(name))
            .collect();
        let first = discovery.first_schemas();
        let schemas = if promoted.is_empty() {
            Arc::clone(first)
        } else {
            first
                .iter()
                .chain(promoted.iter().copied())
                .cloned()
                .collect()
        };
        let shown = Arc::new(ShownTools {
            discovery: Arc::clone(discovery),
            schemas,
            promoted: Arc::new(promoted.iter().map(|schema| schema.name.clone()).collect()),
            promotions: state.promoted.len(),
            bytes: OnceLock::new(),
        });
        state.shown = Some(Arc::clone(&shown));
        shown
    }
}

impl RunSets {
    fn is_of(&self, sources: &Arc<ToolSources>) -> bool {
        Arc::ptr_eq(&self.sources, sources)
    }
}
