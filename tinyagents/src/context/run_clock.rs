//! When a run began, and how long it may take.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// The time of one run; shared by all clones of its context, but not by its children.
#[derive(Debug)]
pub(super) struct RunClock {
    started: OnceLock<Instant>,
    /// The shortest `wall_clock` that the run was begun with, in nanoseconds; the largest number without one.
    bound: AtomicU64,
}

impl RunClock {
    /// Starts the time if it doesn't run yet. A shorter bound than the known one holds from now on.
    pub(super) fn begin(&self, wall_clock: Option<Duration>) {
        self.started.get_or_init(Instant::now);
        if let Some(bound) = wall_clock {
            let nanos = u64::try_from(bound.as_nanos()).unwrap_or(u64::MAX);
            self.bound.fetch_min(nanos, Ordering::Relaxed);
        }
    }

    /// When the time is over; `None` without a bound, or as long as the run has not begun.
    pub(super) fn end(&self, wall_clock: Option<Duration>) -> Option<Instant> {
        let started = self.started.get()?;
        let bound = match self.bound.load(Ordering::Relaxed) {
            u64::MAX => wall_clock?,
            nanos => {
                let bound = Duration::from_nanos(nanos);
                wall_clock.map_or(bound, |own| own.min(bound))
            }
        };
        started.checked_add(bound)
    }
}

impl Default for RunClock {
    fn default() -> Self {
        Self {
            started: OnceLock::new(),
            bound: AtomicU64::new(u64::MAX),
        }
    }
}
