//! A ledger in one SQLite file.

mod database;
mod failure;
mod ledger;
mod migration;
mod operation;
mod paused_runs;
mod statements;
#[cfg(test)]
mod tests;
mod worker;

pub use ledger::{SqliteLedger, Synchronous};
