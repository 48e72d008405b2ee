//! Crash-safe bookkeeping of what tools do to the world: no effect twice, none unaccounted for.
//!
//! With a ledger attached, every call that may change something has a row, which is durable before the tool runs and
//! settled after. A call of a tool that only reads has none. Without a ledger nothing of this happens, and nothing is
//! paid for it.
//!
//! ```
//! use std::sync::Arc;
//! use tinyagents::RunContext;
//! use tinyagents::effects::{LedgerFailure, MemoryLedger, ToolEffectLedger};
//!
//! let ledger: Arc<dyn ToolEffectLedger> = Arc::new(MemoryLedger::new());
//! let ctx = RunContext::new()
//!     .with_run_id("order-17")
//!     .with_tool_effect_ledger(ledger)
//!     .with_tool_effect_ledger_failure(LedgerFailure::Abort);
//! # let _ = ctx;
//! ```
//!
//! # What is guaranteed
//! - A tool whose [`replay`](tinytools::ToolRuntime::replay) is `Never` (the default) is begun at most once per tool and
//!   idempotency key, whatever dies when, and however many hosts share the ledger: [`ToolEffectLedger::started`] is an
//!   atomic claim. (Attempts that the policy's `max_retries` allows are part of one call; they are for idempotent tools.)
//! - A call whose row is `Completed` or `Failed` is answered with what is recorded, and not run again in its run. What
//!   it adds to the message after the batch, and what it says to the host alone, is part of that.
//! - After [`reconcile_tool_effects`](crate::runtime::AgentHarness::reconcile_tool_effects), every call of the last
//!   assistant turn that had begun is answered, except those that are `Safe` to run again: those are left to the loop.
//!
//! # What can't be
//! Between the effect and the durable `settled` the process can die. Nobody can then tell whether the effect happened:
//! such a call is answered as interrupted, and never run again by itself. Only the service that is called can close that
//! window, by recognising the key. Hand it over, as payment services ask for:
//!
//! ```
//! use tinytools::{ToolRunContext, tool};
//!
//! /// Charge a card.
//! #[tool(payment, external_service, idempotent, replay = Safe)]
//! async fn charge(#[hidden] ctx: &dyn ToolRunContext, amount_cents: u64) -> String {
//!     let key = ctx.idempotency_key().unwrap_or_default();
//!     // client.post(url).header("Idempotency-Key", key).json(..)
//!     format!("charged {amount_cents} under {key}")
//! }
//! ```
//!
//! The service does the effect once per key, so the tool may say `replay = Safe`, and an interrupted call is run to
//! its end. Services forget keys after a while (often a day): a run that waits longer needs `Never`.
//!
//! # The key
//! [`Tool::idempotency_key`](tinytools::Tool::idempotency_key), else SHA-256 over run id, tool, call id and arguments
//! (RFC 8785). It is the same when the same call is run again in a run of the same id, so give a resumed run its old id.
//! A provider that counts its call ids anew in each turn makes one key of two equal calls; the second is then answered
//! with the result of the first. A tool's own key counts across runs; it must say all that makes the effect another one,
//! the customer for example. A recorded result never leaves its run: in another one the call is refused.
//!
//! # Many hosts
//! `SqliteLedger` (feature `sqlite`) is safe with several processes on one machine; not on a network file system, whose
//! locks can't be relied on. A run belongs to one process at a time, and the hosts have to see to that: reconcile it only
//! when no other process works on it. A live call that is reconciled elsewhere still records its result, but may have
//! been answered as interrupted.
//!
//! `PostgresLedger` (feature `postgres`) sees to it by itself, for hosts on many machines. A run has one host at a time,
//! by a lease of 30 seconds that the host prolongs while it works on the run; one value of `PostgresLedger` is one host.
//! - Reconciling or resuming a run takes it over ([`ToolEffectLedger::take_over`]). While its host is alive that fails
//!   with [`LedgerError::RunHeld`]; once the host is silent for longer than its lease, or has left the run, exactly one
//!   other host gets it. A harness leaves a run at its end, so an approval that comes a second later can be handled
//!   anywhere.
//! - A host that was only slow, and wakes up after its run was taken over, begins nothing more in it: its next effectful
//!   call fails with `RunHeld`, also under [`LedgerFailure::Continue`]. What its tools did before is still recorded.
//! - A tool that is at work when its host loses the run isn't stopped by that: the effect may happen after the other
//!   host has answered the call as interrupted. It doesn't happen twice, unless the tool says that this is safe.
//! - Time is the database's alone. The hosts' clocks may be wrong.
//! - A host with a loop of its own, over [`Dispatcher`](crate::Dispatcher), calls [`ToolEffectLedger::take_over`] before
//!   it goes on with a run, and [`ToolEffectLedger::released`] when it leaves one. Forgetting the second costs others the
//!   rest of the lease.
//!
//! Runs that wait for an approval are kept in the same places: each ledger of this crate is a
//! [`PausedRunStore`](crate::PausedRunStore).
//!
//! # PostgreSQL
//! The ledger makes its tables in a schema of its own, `tinyagents`. To make or change them it needs `CREATE` on the
//! database; after that `USAGE` on the schema and `SELECT`, `INSERT`, `UPDATE`, `DELETE` on its tables are enough. A
//! program that is older than the tables refuses to open them, so update all hosts before the first of them may write.
//! Commits are durable on the server that answers, even where it is set to `synchronous_commit = off`. Where a replica
//! may take its place, make commits wait for that replica (`synchronous_standby_names`), or the newest rows are lost with
//! the primary, and their effects forgotten.
//!
//! # Backup
//! Copy a live SQLite ledger with `sqlite3 ledger.db ".backup copy.db"` or `VACUUM INTO`; the file alone, without its
//! `-wal`, may lack the newest rows. PostgreSQL's own means (`pg_dump`, archived logs) copy the other one. A restored
//! backup doesn't know of the effects since: runs from that time must not be resumed.
//!
//! Rows are never removed by a ledger, since a tool's own key counts for ever. A host that knows when it doesn't any more
//! deletes settled rows of the table `effects` by `settled_at`.
//!
//! # A ledger of your own
//! Implement [`ToolEffectLedger`] and let [`check_ledger`] look at it. Leases, if it has any, are its own matter.

mod answer_bounds;
mod claim;
mod conformance;
mod effect;
mod error;
mod failure;
mod ledger;
mod memory;
mod open_effect;
#[cfg(feature = "postgres")]
mod postgres;
mod reconcile;
mod recorded_answer;
mod request_hash;
mod rules;
mod run_stay;
mod settle;
#[cfg(feature = "sqlite")]
mod sqlite;
mod start;
mod status;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod stored;

pub use claim::ToolEffectClaim;
pub use conformance::{ConformanceError, check_ledger};
pub use effect::ToolEffect;
pub use error::LedgerError;
pub use failure::LedgerFailure;
pub use ledger::ToolEffectLedger;
pub use memory::MemoryLedger;
#[cfg(feature = "postgres")]
pub use postgres::{PostgresLedger, PostgresOptions};
pub use recorded_answer::RecordedAnswer;
pub use settle::ToolEffectSettle;
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteLedger, Synchronous};
pub use start::ToolEffectStart;
pub use status::ToolEffectStatus;

pub(crate) use open_effect::{Begun, Ended, OpenEffect, begin};
pub(crate) use reconcile::{
    is_answered, last_assistant, reconcile, recorded_follow_up, tool_position,
};
pub(crate) use run_stay::RunStay;
