//! A ledger in memory.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::{
    LedgerError, ToolEffect, ToolEffectClaim, ToolEffectLedger, ToolEffectSettle, ToolEffectStart,
    ToolEffectStatus,
};

/// A ledger that lives as long as the process: for tests, and for hosts that only want one key to run once at a time.
///
/// It survives a run, not a crash, and grows with every effect.
#[derive(Debug, Default)]
pub struct MemoryLedger {
    /// Held for a look-up or a change, never across an await.
    rows: Mutex<Rows>,
}

#[derive(Debug, Default)]
struct Rows {
    /// Oldest first; a row that was withdrawn or claimed again leaves its place empty.
    all: Vec<Option<ToolEffect>>,
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
                self.all.push(Some(ToolEffect::new(start)));
                ToolEffectClaim::Granted(1)
            }
            Entry::Occupied(mut taken) => {
                let place = *taken.get();
                let Some(mut row) = self.all[place].take() else {
                    // Withdrawn: as free as one that never was.
                    let place = self.all.len();
                    taken.insert(place);
                    note(&mut self.runs, start.run_id.as_str(), place);
                    self.all.push(Some(ToolEffect::new(start)));
                    return ToolEffectClaim::Granted(1);
                };
                if !row.reclaim(&start) {
                    let known = row.clone();
                    self.all[place] = Some(row);
                    return ToolEffectClaim::Taken(Box::new(known));
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

    fn row(&mut self, tool_name: &str, key: &str) -> Result<&mut Option<ToolEffect>, LedgerError> {
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
        places.filter_map(|place| self.all.get(*place)?.as_ref())
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
