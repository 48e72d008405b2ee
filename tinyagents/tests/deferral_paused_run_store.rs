//! Paused runs in a store: two hosts, and the check that finds a store out that breaks a rule.

#![allow(missing_docs, clippy::unwrap_used)]

mod deferral_support;
mod lifecycle_support;

use std::sync::Arc;

use async_trait::async_trait;
use deferral_support::{paused, pay, resume, rows};
use futures::future::join_all;
use lifecycle_support::harness;
use tinyagents::effects::{LedgerError, MemoryLedger};
use tinyagents::model::ScriptedModel;
use tinyagents::{PausedRun, PausedRunStore, SavedRun, check_paused_runs};

/// What a host does that got an approval: the row of the call, or why it didn't get the run.
async fn host(store: &dyn PausedRunStore, saved: SavedRun) -> Result<String, LedgerError> {
    let version = store.claim("r1", saved.version).await?;
    let mut harness = harness(ScriptedModel::new().text("done"), []);
    harness.register_tool(pay()).unwrap();
    let results = saved.run.requests().approve_all();
    let ctx = saved.run.context();
    let run = resume(&harness, ctx, saved.run.messages, results).await;
    store.remove("r1", version).await?;
    Ok(rows(&run.unwrap())[0].1.to_owned())
}

/// Each of the stores is one host's.
async fn race(stores: &[Arc<dyn PausedRunStore>]) {
    stores[0].save(&paused().await, None).await.unwrap();
    let loaded = join_all(stores.iter().map(|store| store.load("r1"))).await;
    let hosts = stores.iter().zip(loaded);
    let hosts = hosts.map(|(store, saved)| host(store.as_ref(), saved.unwrap().unwrap()));
    let (won, lost): (Vec<_>, Vec<_>) = join_all(hosts).await.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    assert!(won[0].as_ref().unwrap().starts_with("paid"), "{won:?}");
    for lost in lost {
        let text = lost.as_ref().unwrap_err().to_string();
        assert!(
            text.contains("`r1`") && text.contains("somebody else has resumed"),
            "{text}"
        );
        assert!(matches!(lost, Err(LedgerError::PausedRunChanged { .. })));
    }
    assert!(stores[0].load("r1").await.unwrap().is_none());
}

#[tokio::test]
async fn of_hosts_that_resume_one_run_one_wins_and_the_others_are_told() {
    let memory: Arc<dyn PausedRunStore> = Arc::new(MemoryLedger::new());
    race(&[Arc::clone(&memory), Arc::clone(&memory), memory]).await;
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn of_processes_on_one_file_one_wins_and_the_run_survives_its_host() {
    use tinyagents::effects::SqliteLedger;

    let folder = tempfile::tempdir().unwrap();
    let open = || -> Arc<dyn PausedRunStore> {
        Arc::new(SqliteLedger::open(folder.path().join("l.db")).unwrap())
    };
    race(&[open(), open(), open()]).await;
    // A host that dies after its claim leaves the run to others.
    let version = open().save(&paused().await, None).await.unwrap();
    let dead = open().claim("r1", version).await.unwrap();
    let saved = open().load("r1").await.unwrap().unwrap();
    assert_eq!((saved.version, &saved.run), (dead, &paused().await));
    host(open().as_ref(), saved).await.unwrap();
}

/// A store with one fault.
struct Faulty {
    inner: MemoryLedger,
    fault: Fault,
}

#[derive(Clone, Copy, Debug)]
enum Fault {
    SavesOverAnything,
    ClaimsForAll,
    GivesVersionsAgain,
    Forgets,
    NeverRemoves,
}

#[async_trait]
impl PausedRunStore for Faulty {
    async fn save(&self, run: &PausedRun, version: Option<u64>) -> Result<u64, LedgerError> {
        let saved = self.inner.save(run, version).await;
        match (self.fault, saved) {
            (Fault::GivesVersionsAgain, Ok(_)) if version.is_none() => Ok(1),
            (
                Fault::SavesOverAnything,
                Err(LedgerError::PausedRunChanged {
                    found: Some(found), ..
                }),
            ) => self.inner.save(run, Some(found)).await,
            (_, saved) => saved,
        }
    }

    async fn load(&self, run_id: &str) -> Result<Option<SavedRun>, LedgerError> {
        let saved = self.inner.load(run_id).await?;
        Ok(saved.map(|mut saved| {
            if matches!(self.fault, Fault::Forgets) {
                saved.run.promoted_tools.clear();
            }
            saved
        }))
    }

    async fn claim(&self, run_id: &str, version: u64) -> Result<u64, LedgerError> {
        match (self.fault, self.inner.claim(run_id, version).await) {
            (
                Fault::ClaimsForAll,
                Err(LedgerError::PausedRunChanged {
                    found: Some(found), ..
                }),
            ) => Ok(found),
            (_, claimed) => claimed,
        }
    }

    async fn remove(&self, run_id: &str, version: u64) -> Result<(), LedgerError> {
        match self.fault {
            Fault::NeverRemoves => Ok(()),
            _ => self.inner.remove(run_id, version).await,
        }
    }
}

#[tokio::test]
async fn a_store_that_breaks_a_rule_is_found_out() {
    for fault in [
        Fault::SavesOverAnything,
        Fault::ClaimsForAll,
        Fault::GivesVersionsAgain,
        Fault::Forgets,
        Fault::NeverRemoves,
    ] {
        let inner = MemoryLedger::new();
        assert!(
            check_paused_runs(&Faulty { inner, fault }).await.is_err(),
            "{fault:?}"
        );
    }
}
