//! What a run may still do.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::RunClock;
use crate::dispatch::RunMeter;
use crate::harness::RunLimits;

/// What a run may still do; a tool takes it as a hidden `&Budget`.
///
/// Answers are those of the moment: calls beside this one use the same budget.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    pub(super) limits: Option<RunLimits>,
    pub(super) deadline: Option<Instant>,
    pub(super) output_tokens: Option<u64>,
    pub(super) meter: Arc<RunMeter>,
    pub(super) clock: Arc<RunClock>,
}

impl Budget {
    /// Requests to the model; `None` without a bound.
    #[must_use]
    pub fn remaining_model_calls(&self) -> Option<u64> {
        let limits = self.limits.as_ref()?;
        Some(
            limits
                .max_model_calls
                .saturating_sub(self.meter.model_calls())
                .into(),
        )
    }

    /// Tool calls, this one not among them; `None` without a bound.
    #[must_use]
    pub fn remaining_tool_calls(&self) -> Option<u64> {
        let limits = self.limits.as_ref()?;
        Some(
            limits
                .max_tool_calls
                .saturating_sub(self.meter.tool_calls())
                .into(),
        )
    }

    /// Tokens of the model's next answer; `None` without a bound.
    #[must_use]
    pub fn max_turn_output_tokens(&self) -> Option<u64> {
        self.output_tokens
    }

    /// Time to the end of the run: its deadline or its `wall_clock`, whichever comes first; `None` without a bound.
    #[must_use]
    pub fn remaining_time(&self) -> Option<Duration> {
        let deadline = self.deadline()?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// The deadline, or the end of the wall clock if that comes first.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let wall_clock = self.limits.as_ref().and_then(|limits| limits.wall_clock);
        match (self.deadline, self.clock.end(wall_clock)) {
            (Some(deadline), Some(end)) => Some(deadline.min(end)),
            (bound, None) | (None, bound) => bound,
        }
    }

    /// What a child of the run may do: its time begins anew, and ends at the latest with that of the run.
    pub(super) fn child(&self) -> Self {
        Self {
            deadline: self.deadline(),
            clock: Arc::default(),
            ..self.clone()
        }
    }

    pub(super) fn narrow_limits(&mut self, limits: &RunLimits) {
        self.limits = Some(match &self.limits {
            Some(known) => known.narrowed_by(limits),
            None => limits.clone(),
        });
    }

    pub(super) fn narrow_deadline(&mut self, deadline: Instant) {
        self.deadline = Some(self.deadline.map_or(deadline, |known| known.min(deadline)));
    }

    pub(super) fn narrow_output_tokens(&mut self, tokens: u64) {
        self.output_tokens = Some(self.output_tokens.map_or(tokens, |known| known.min(tokens)));
    }
}
