//! A ledger in PostgreSQL, for many hosts.

mod claim;
mod database;
mod failure;
mod heartbeat;
mod holds;
mod lease;
mod ledger;
mod migration;
mod options;
mod paused_runs;
mod rows;
mod session;
mod settle;
mod tls;

pub use ledger::PostgresLedger;
pub use options::PostgresOptions;
