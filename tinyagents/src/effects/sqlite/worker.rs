//! The thread that does the ledger's work.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use super::database::Database;
use super::operation::{Operation, Outcome};
use crate::effects::LedgerError;

/// As many jobs are made durable together at most.
const TOGETHER: usize = 256;

/// What is to be done, and who waits for it.
pub(super) struct Job {
    pub(super) operation: Operation,
    pub(super) reply: oneshot::Sender<Result<Outcome, LedgerError>>,
}

/// Starts the thread; it ends when nobody can send any more. Nobody else may wait for the lock.
pub(super) fn spawn(database: Arc<Mutex<Database>>) -> Result<Sender<Job>, LedgerError> {
    let (sender, jobs) = channel();
    std::thread::Builder::new()
        .name("tinyagents-ledger".to_owned())
        .spawn(move || work(&database, &jobs))
        .map_err(anyhow::Error::from)?;
    Ok(sender)
}

fn work(database: &Mutex<Database>, jobs: &Receiver<Job>) {
    while let Ok(first) = jobs.recv() {
        let mut together = vec![first];
        together.extend(jobs.try_iter().take(TOGETHER - 1));
        let operations: Vec<&Operation> = together.iter().map(|job| &job.operation).collect();
        let mut database = database.lock().unwrap_or_else(PoisonError::into_inner);
        let outcomes = database.run(&operations);
        for (job, outcome) in together.into_iter().zip(outcomes) {
            // Whoever asked may have been dropped with its run; what is done is done.
            let _ = job.reply.send(outcome);
        }
        database.tidy();
    }
}
