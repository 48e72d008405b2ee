//! A ledger in one SQLite file.

mod database;
mod failure;
mod file;
mod ledger;
mod migration;
mod statements;
mod worker;

pub use ledger::{SqliteLedger, Synchronous};
