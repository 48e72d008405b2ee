//! What a run has used of its limits.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::ids::MadeId;
use crate::harness::{LimitKind, RunLimits};
use crate::model::ToolCall;

/// Counts what one run does; shared by all clones of its context.
///
/// Most calls need no lock. It is held for the length of one method, never across an await.
#[derive(Debug, Default)]
pub(crate) struct RunMeter {
    tool_calls: AtomicU32,
    counts: Mutex<Counts>,
    /// Whether the last call failed: a success after a success changes nothing.
    is_failing: AtomicBool,
}

#[derive(Debug, Default)]
struct Counts {
    model_calls: u32,
    per_tool: HashMap<String, u32>,
    corrections: HashMap<String, u32>,
    /// Of the ids of all calls so far those that could be made anew; looked at only where one is.
    ids: HashSet<MadeId>,
    last_failure: Option<u64>,
    failures_in_a_row: u32,
}

impl RunMeter {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tool calls made so far, those that were answered with an error included.
    pub(crate) fn tool_calls(&self) -> u32 {
        self.tool_calls.load(Ordering::Relaxed)
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
        if let Some(id) = MadeId::of(&call.id) {
            self.counts().ids.insert(id);
        }
        self.reserve_tool_call(limits, &call.name)
    }

    /// Takes one slot, or says which limit is met.
    pub(crate) fn reserve_tool_call(
        &self,
        limits: &RunLimits,
        tool_name: &str,
    ) -> Result<(), LimitKind> {
        // Without a bound there is nothing to count, and nothing to allocate.
        if limits.max_calls_per_tool.is_none() {
            return self.count_tool_call(limits);
        }
        let mut counts = self.counts();
        if self.tool_calls() >= limits.max_tool_calls {
            return Err(LimitKind::ToolCalls(limits.max_tool_calls));
        }
        counts.reserve_name(limits, tool_name)?;
        let counted = self.count_tool_call(limits);
        if counted.is_err() {
            counts.release_name(limits, tool_name);
        }
        counted
    }

    fn count_tool_call(&self, limits: &RunLimits) -> Result<(), LimitKind> {
        let max = limits.max_tool_calls;
        let more = |calls| (calls < max).then(|| calls + 1);
        let counted = self
            .tool_calls
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        counted.map(drop).map_err(|_| LimitKind::ToolCalls(max))
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
        counts.release_name(limits, from);
        Ok(())
    }

    /// Gives a slot back, which was taken within the same limits: the call was deferred and counts when it runs.
    pub(crate) fn release_tool_call(&self, limits: &RunLimits, tool_name: &str) {
        let fewer = |calls: u32| calls.checked_sub(1);
        // Nothing to give back is no fault.
        let _ = self
            .tool_calls
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer);
        self.counts().release_name(limits, tool_name);
    }

    /// Notes ids that are taken.
    pub(crate) fn note_ids<'i>(&self, ids: impl IntoIterator<Item = &'i str>) {
        self.counts()
            .ids
            .extend(ids.into_iter().filter_map(MadeId::of));
    }

    /// Notes an id that was made, unless it is taken; `false` then.
    pub(super) fn note_new_id(&self, id: MadeId) -> bool {
        self.counts().ids.insert(id)
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

impl Counts {
    fn reserve_name(&mut self, limits: &RunLimits, tool_name: &str) -> Result<(), LimitKind> {
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

    fn release_name(&mut self, limits: &RunLimits, tool_name: &str) {
        // What was not counted is not given back: it would be the slot of a call that another policy's bound holds for.
        if limits.max_calls_per_tool.is_none() {
            return;
        }
        if let Some(used) = self.per_tool.get_mut(tool_name) {
            *used = used.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_was_not_counted_gives_no_slot_back() {
        let meter = RunMeter::default();
        let (free, bounded) = (
            RunLimits::default(),
            RunLimits {
                max_calls_per_tool: Some(1),
                ..RunLimits::default()
            },
        );
        meter.reserve_tool_call(&bounded, "pay").unwrap();
        // A run within the run, of a host that sets no such bound.
        meter.reserve_tool_call(&free, "pay").unwrap();
        meter.release_tool_call(&free, "pay");
        meter.reserve_tool_call(&free, "pay").unwrap();
        meter.move_tool_call(&free, "pay", "refund").unwrap();
        let met = meter.reserve_tool_call(&bounded, "pay");
        assert!(matches!(met, Err(LimitKind::CallsPerTool { .. })));
        meter.release_tool_call(&bounded, "pay");
        meter.reserve_tool_call(&bounded, "pay").unwrap();
    }

    #[test]
    fn no_limit_is_passed_by_calls_at_once() {
        let limits = RunLimits {
            max_tool_calls: 500,
            max_calls_per_tool: Some(300),
            ..RunLimits::default()
        };
        let free = RunLimits {
            max_calls_per_tool: None,
            ..limits.clone()
        };
        let meter = RunMeter::default();
        let taken = std::thread::scope(|scope| {
            let threads: Vec<_> = [("a", &limits), ("b", &limits), ("a", &limits), ("c", &free)]
                .map(|(name, limits)| {
                    let meter = &meter;
                    scope.spawn(move || {
                        let taken = (0..400).filter(|turn| {
                            let taken = meter.reserve_tool_call(limits, name).is_ok();
                            let is_given_back = taken && turn % 3 == 0;
                            if is_given_back {
                                meter.release_tool_call(limits, name);
                            }
                            taken && !is_given_back
                        });
                        (name, taken.count())
                    })
                })
                .into();
            let threads = threads.into_iter();
            threads
                .map(|thread| thread.join().unwrap())
                .collect::<Vec<_>>()
        });
        let of = |name| -> usize {
            let of = taken.iter().filter(|(other, _)| *other == name);
            of.map(|(_, count)| count).sum()
        };
        assert!(of("a") <= 300 && of("b") <= 300);
        let all = of("a") + of("b") + of("c");
        assert!(all <= 500);
        assert_eq!(meter.tool_calls() as usize, all);
    }
}
