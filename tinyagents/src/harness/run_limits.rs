//! How much one run may do.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Bounds of one run; a run that meets one stops after its current batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunLimits {
    /// Requests to the model. Default: 50.
    pub max_model_calls: u32,
    /// Tool calls, those that were answered with an error included. Default: 200.
    pub max_tool_calls: u32,
    /// Calls of any one tool. Default: no bound of its own.
    pub max_calls_per_tool: Option<u32>,
    /// Time from the start of the run. Default: no bound.
    pub wall_clock: Option<Duration>,
    /// The same call failing in the same way, this many times in a row. Default: 5.
    pub identical_failures: u32,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            max_model_calls: 50,
            max_tool_calls: 200,
            max_calls_per_tool: None,
            wall_clock: None,
            identical_failures: 5,
        }
    }
}

impl RunLimits {
    /// The tighter of both, bound by bound.
    #[must_use]
    pub fn narrowed_by(&self, other: &Self) -> Self {
        Self {
            max_model_calls: self.max_model_calls.min(other.max_model_calls),
            max_tool_calls: self.max_tool_calls.min(other.max_tool_calls),
            max_calls_per_tool: tighter(self.max_calls_per_tool, other.max_calls_per_tool),
            wall_clock: tighter(self.wall_clock, other.wall_clock),
            identical_failures: self.identical_failures.min(other.identical_failures),
        }
    }
}

/// The smaller bound, where no bound is the largest.
fn tighter<T: Ord>(left: Option<T>, right: Option<T>) -> Option<T> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.min(right)),
        (bound, None) | (None, bound) => bound,
    }
}
