//! What one host knows of the runs that it holds.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// A run that was left without a word is remembered for so long, so that its old token opens nothing.
const MEMORY: Duration = Duration::from_hours(1);

/// The runs of one host, and its calls that are not settled.
#[derive(Default)]
pub(super) struct Holds {
    runs: HashMap<String, Hold>,
    /// The run of each open claim, by tool, key and claim.
    open: HashMap<(String, String, u64), String>,
}

struct Hold {
    token: i64,
    open: usize,
    /// A call was dropped before its end: its tool may still be at work.
    has_abandoned: bool,
    used: Instant,
}

impl Holds {
    /// The token of a run that has been held; it is used now.
    pub(super) fn token(&mut self, run_id: &str) -> Option<i64> {
        let hold = self.runs.get_mut(run_id)?;
        hold.used = Instant::now();
        Some(hold.token)
    }

    /// The run is held.
    pub(super) fn took(&mut self, run_id: &str, token: i64) {
        let hold = self.runs.entry(run_id.to_owned()).or_insert(Hold {
            token,
            open: 0,
            has_abandoned: false,
            used: Instant::now(),
        });
        hold.token = token;
        hold.used = Instant::now();
    }

    /// A call of it was granted its key.
    pub(super) fn opened(&mut self, run_id: &str, claim: (String, String, u64)) {
        if let Some(hold) = self.runs.get_mut(run_id)
            && self.open.insert(claim, run_id.to_owned()).is_none()
        {
            hold.open += 1;
        }
    }

    /// A call has come to its end, whatever was recorded of that.
    pub(super) fn closed(&mut self, claim: &(String, String, u64)) {
        if let Some(hold) = self.close(claim) {
            hold.used = Instant::now();
        }
    }

    /// A call was dropped.
    pub(super) fn abandoned(&mut self, claim: &(String, String, u64)) {
        if let Some(hold) = self.close(claim) {
            hold.has_abandoned = true;
        }
    }

    fn close(&mut self, claim: &(String, String, u64)) -> Option<&mut Hold> {
        let run_id = self.open.remove(claim)?;
        let hold = self.runs.get_mut(&run_id)?;
        hold.open -= 1;
        Some(hold)
    }

    /// The host has left the run: the token to give back, where nothing of it can still be at work.
    pub(super) fn released(&mut self, run_id: &str) -> Option<i64> {
        if self.runs.get(run_id)?.open > 0 {
            return None;
        }
        let hold = self.runs.remove(run_id)?;
        (!hold.has_abandoned).then_some(hold.token)
    }

    /// The runs whose leases are to be prolonged: those with open calls, and those used within that time.
    pub(super) fn alive(&mut self, within: Duration) -> Vec<String> {
        self.runs
            .retain(|_, hold| hold.open > 0 || hold.used.elapsed() < MEMORY);
        let alive = self
            .runs
            .iter()
            .filter(|(_, hold)| hold.open > 0 || hold.used.elapsed() < within);
        alive.map(|(run_id, _)| run_id.clone()).collect()
    }
}
