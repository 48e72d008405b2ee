//! A ledger in memory.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::{
    LedgerError, ToolEffect, ToolEffectClaim, ToolEffectLedger, ToolEffectSettle, ToolEffectStart,
    ToolEffectStatus,
};
use crate::deferred::{PausedRun, PausedRunStore, SavedRun};

/// A ledger that lives as long as the process: for tests, and for hosts that only want one key to run once at a time.
///
/// It survives a run, not a crash, and grows with every effect.
#[derive(Debug, Default)]
pub struct MemoryLedger {
    /// Held for a look-up or a change, never across an await.
    rows: Mutex<Rows>,
    /// The same.
    paused: Mutex<PausedRuns>,
}

/// Paused runs by their id.
#[derive(Debug, Default)]
struct PausedRuns {
    runs: HashMap<String, SavedRun>,
    last_version: u64,
}

#[derive(Debug, Default)]
struct Rows {
    /// Oldest first; a row that was withdrawn or claimed again leaves its place empty.
    all: Vec<Option<Box<ToolEffect>>>,
    /// Tool, then key.
    places: HashMap<String, HashMap<String, usize>>,
    /// Run, then places in order.
    runs: HashMap<String, Vec<usize>>,
}

impl MemoryLedger {
    /// An empty ledger.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn paused(&self) -> MutexGuard<'_, PausedRuns> {
        self.paused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PausedRuns {
    fn check(&self, run_id: &str, expected: Option<u64>) -> Result<(), LedgerError> {
        let found = self.runs.get(run_id).map(|saved| saved.version);
        if found == expected {
            return Ok(());
        }
        Err(LedgerError::PausedRunChanged {
            run_id: run_id.to_owned(),
            expected,
            found,
        })
    }

    fn next_version(&mut self) -> u64 {
        self.last_version += 1;
        self.last_version
    }
}

impl Rows {
    fn claim(&mut self, start: ToolEffectStart) -> ToolEffectClaim {
        let keys = match self.places.get_mut(&start.tool_name) {
            Some(keys) => keys,
            None => self.places.entry(start.tool_name.clone()).or_default(),
        };
        match keys.entry(start.key.clone()) {
            Entry::Vacant(free) => {
                let place = self.all.len();
                free.insert(place);
                note(&mut self.runs, start.run_id.as_str(), place);
                self.all.push(Some(Box::new(ToolEffect::new(start))));
                ToolEffectClaim::Granted(1)
            }
            Entry::Occupied(mut taken) => {
                let place = *taken.get();
                let Some(mut row) = self.all[place].take() else {
                    // Withdrawn: as free as one that never was.
                    let place = self.all.len();
                    taken.insert(place);
                    note(&mut self.runs, start.run_id.as_str(), place);
                    self.all.push(Some(Box::new(ToolEffect::new(start))));
                    return ToolEffectClaim::Granted(1);
                };
                if !row.reclaim(&start) {
                    let known = row.clone();
                    self.all[place] = Some(row);
                    return ToolEffectClaim::Taken(known);
                }
                // To the end: it is the newest now.
                let claim = row.claim;
                let place = self.all.len();
                taken.insert(place);
                note(&mut self.runs, start.run_id.as_str(), place);
                self.all.push(Some(row));
                ToolEffectClaim::Granted(claim)
            }
        }
    }

    fn row(
        &mut self,
        tool_name: &str,
        key: &str,
    ) -> Result<&mut Option<Box<ToolEffect>>, LedgerError> {
        let place = self.places.get(tool_name).and_then(|keys| keys.get(key));
        place
            .and_then(|place| self.all.get_mut(*place))
            .filter(|row| row.is_some())
            .ok_or_else(|| LedgerError::NotStarted {
                tool_name: tool_name.to_owned(),
            })
    }

    fn of_run(&self, run_id: &str) -> impl Iterator<Item = &ToolEffect> {
        let places = self.runs.get(run_id).into_iter().flatten();
        places.filter_map(|place| self.all.get(*place)?.as_deref())
    }
}

fn note(runs: &mut HashMap<String, Vec<usize>>, run_id: &str, place: usize) {
    match runs.get_mut(run_id) {
        Some(places) => places.push(place),
        None => drop(runs.insert(run_id.to_owned(), vec![place])),
    }
}

#[async_trait]
impl ToolEffectLedger for MemoryLedger {
    async fn started(&self, start: ToolEffectStart) -> Result<ToolEffectClaim, LedgerError> {
        Ok(self.rows().claim(start))
    }

    async fn settled(&self, settle: ToolEffectSettle) -> Result<(), LedgerError> {
        let mut rows = self.rows();
        if let Some(row) = rows.row(&settle.tool_name, &settle.key)? {
            row.settle(settle)?;
        }
        Ok(())
    }

    async fn withdrawn(&self, tool_name: &str, key: &str, claim: u64) -> Result<(), LedgerError> {
        let mut rows = self.rows();
        let row = rows.row(tool_name, key)?;
        if let Some(known) = row {
            known.check_withdrawal(claim)?;
        }
        *row = None;
        Ok(())
    }

    async fn unresolved(&self, run_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        let rows = self.rows();
        let started = rows
            .of_run(run_id)
            .filter(|row| row.status == ToolEffectStatus::Started);
        Ok(started.cloned().collect())
    }

    async fn of_call(&self, run_id: &str, call_id: &str) -> Result<Vec<ToolEffect>, LedgerError> {
        let rows = self.rows();
        let of_call = rows.of_run(run_id).filter(|row| row.call_id == *call_id);
        Ok(of_call.cloned().collect())
    }
}

#[async_trait]
impl PausedRunStore for MemoryLedger {
    async fn save(&self, run: &PausedRun, version: Option<u64>) -> Result<u64, LedgerError> {
        let run_id = run.run_id.as_ref().ok_or(LedgerError::NoRunId)?;
        let mut paused = self.paused();
        paused.check(run_id.as_str(), version)?;
        let version = paused.next_version();
        let saved = SavedRun::new(run.clone(), version);
        paused.runs.insert(run_id.to_string(), saved);
        Ok(version)
    }

    async fn load(&self, run_id: &str) -> Result<Option<SavedRun>, LedgerError> {
        Ok(self.paused().runs.get(run_id).cloned())
    }

    async fn claim(&self, run_id: &str, version: u64) -> Result<u64, LedgerError> {
        let mut paused = self.paused();
        paused.check(run_id, Some(version))?;
        let version = paused.next_version();
        if let Some(saved) = paused.runs.get_mut(run_id) {
            saved.version = version;
        }
        Ok(version)
    }

    async fn remove(&self, run_id: &str, version: u64) -> Result<(), LedgerError> {
        let mut paused = self.paused();
        paused.check(run_id, Some(version))?;
        paused.runs.remove(run_id);
        Ok(())
    }
}
