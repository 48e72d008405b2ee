//! What a run has used of its limits.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::harness::{LimitKind, RunLimits};
use crate::model::ToolCall;

/// Counts what one run does; shared by all clones of its context.
///
/// The lock is held for the length of one method, never across an await.
#[derive(Debug, Default)]
pub(crate) struct RunMeter {
    counts: Mutex<Counts>,
    /// Whether the last call failed: a success after a success changes nothing.
    is_failing: AtomicBool,
}

#[derive(Debug, Default)]
struct Counts {
    model_calls: u32,
    tool_calls: u32,
    per_tool: HashMap<String, u32>,
    corrections: HashMap<String, u32>,
    /// Hashes of the ids of all calls so far; looked at only where a new id is made.
    ids: Vec<u64>,
    last_failure: Option<u64>,
    failures_in_a_row: u32,
}

impl RunMeter {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tool calls made so far, those that were answered with an error included.
    pub(crate) fn tool_calls(&self) -> u32 {
        self.counts().tool_calls
    }

    /// Requests made to the model so far.
    pub(crate) fn model_calls(&self) -> u32 {
        self.counts().model_calls
    }

    pub(crate) fn reserve_model_call(&self, limits: &RunLimits) -> Result<(), LimitKind> {
        let mut counts = self.counts();
        if counts.model_calls >= limits.max_model_calls {
            return Err(LimitKind::ModelCalls(limits.max_model_calls));
        }
        counts.model_calls += 1;
        Ok(())
    }

    /// Notes the id of a call, which is taken now, and takes a slot for it.
    pub(crate) fn take_up(&self, limits: &RunLimits, call: &ToolCall) -> Result<(), LimitKind> {
        let mut counts = self.counts();
        counts.note(hash(&call.id));
        counts.reserve(limits, &call.name)
    }

    /// Takes one slot, or says which limit is met.
    pub(crate) fn reserve_tool_call(
        &self,
        limits: &RunLimits,
        tool_name: &str,
    ) -> Result<(), LimitKind> {
        self.counts().reserve(limits, tool_name)
    }

    /// Moves a slot to the tool that a middleware or a rewrite made of the call.
    pub(crate) fn move_tool_call(
        &self,
        limits: &RunLimits,
        from: &str,
        to: &str,
    ) -> Result<(), LimitKind> {
        let mut counts = self.counts();
        counts.reserve_name(limits, to)?;
        counts.release_name(from);
        Ok(())
    }

    /// Gives a slot back: the call was deferred and counts when it runs.
    pub(crate) fn release_tool_call(&self, tool_name: &str) {
        let mut counts = self.counts();
        counts.tool_calls = counts.tool_calls.saturating_sub(1);
        counts.release_name(tool_name);
    }

    /// Notes ids that are taken.
    pub(crate) fn note_ids<'i>(&self, ids: impl IntoIterator<Item = &'i str>) {
        self.counts().ids.extend(ids.into_iter().map(hash));
    }

    /// Notes an id that was made, unless it is taken; `false` then.
    pub(crate) fn note_new_id(&self, id: &str) -> bool {
        let mut counts = self.counts();
        let id = hash(id);
        let is_new = !counts.ids.contains(&id);
        if is_new {
            counts.ids.push(id);
        }
        is_new
    }

    /// Counts a tool's demand that the model corrects its call; `false` when there were more than `budget`.
    pub(crate) fn count_correction(&self, tool_name: &str, budget: u32) -> bool {
        let mut counts = self.counts();
        let used = counts.corrections.entry(tool_name.to_owned()).or_default();
        *used = used.saturating_add(1);
        *used <= budget
    }

    /// Remembers a success (`None`) or what failed and how; returns how often that has now happened in a row.
    pub(crate) fn record_outcome(&self, failure: Option<u64>) -> u32 {
        if failure.is_none() && !self.is_failing.load(Ordering::Acquire) {
            return 0;
        }
        let mut counts = self.counts();
        self.is_failing.store(failure.is_some(), Ordering::Release);
        if failure.is_some() && counts.last_failure == failure {
            counts.failures_in_a_row = counts.failures_in_a_row.saturating_add(1);
        } else {
            counts.failures_in_a_row = u32::from(failure.is_some());
            counts.last_failure = failure;
        }
        counts.failures_in_a_row
    }
}

/// FNV-1a: ids are short, and each call has one. Of two ids with one hash the second counts as taken, which does no harm.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc9923>
fn hash(id: &str) -> u64 {
    id.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

impl Counts {
    fn note(&mut self, id: u64) {
        // A provider may count anew in each turn, and give the same id again and again.
        if self.ids.last() != Some(&id) {
            self.ids.push(id);
        }
    }

    fn reserve(&mut self, limits: &RunLimits, tool_name: &str) -> Result<(), LimitKind> {
        if self.tool_calls >= limits.max_tool_calls {
            return Err(LimitKind::ToolCalls(limits.max_tool_calls));
        }
        self.reserve_name(limits, tool_name)?;
        self.tool_calls += 1;
        Ok(())
    }

    fn reserve_name(&mut self, limits: &RunLimits, tool_name: &str) -> Result<(), LimitKind> {
        // Without a bound there is nothing to count, and nothing to allocate.
        let Some(limit) = limits.max_calls_per_tool else {
            return Ok(());
        };
        let used = self.per_tool.entry(tool_name.to_owned()).or_default();
        if *used >= limit {
            return Err(LimitKind::CallsPerTool {
                tool_name: tool_name.to_owned(),
                limit,
            });
        }
        *used += 1;
        Ok(())
    }

    fn release_name(&mut self, tool_name: &str) {
        if let Some(used) = self.per_tool.get_mut(tool_name) {
            *used = used.saturating_sub(1);
        }
    }
}
