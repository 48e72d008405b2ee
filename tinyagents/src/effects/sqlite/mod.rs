//! A ledger in one SQLite file.

#[cfg(test)]
mod at_once;
#[cfg(test)]
mod busy;
mod database;
mod failure;
mod ledger;
mod migration;
mod operation;
mod paused_runs;
mod statements;
mod worker;

pub use ledger::{SqliteLedger, Synchronous};
