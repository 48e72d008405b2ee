//! Calls that leave the loop without an answer, and how they come back.

mod approval;
mod deferral;
mod handler;
mod hash;
mod paused_run;
mod paused_run_conformance;
mod paused_run_store;
mod requests;
mod resolved;
mod results;
mod results_error;

pub use handler::DeferredToolHandler;
pub use paused_run::PausedRun;
pub use paused_run_conformance::check_paused_runs;
pub use paused_run_store::{PausedRunStore, SavedRun};
pub use requests::{DeferredToolRequests, PendingCall};
pub use results::{DeferredCallResult, DeferredToolResults, ToolApprovalDecision};
pub use results_error::DeferredResultsError;

pub(crate) use approval::ApprovedCall;
pub(crate) use deferral::Deferral;
pub(crate) use hash::{Part, hash_bytes, hash_json, hash_parts};
pub(crate) use resolved::{Coverage, Outcome, Resolved, resolve};
