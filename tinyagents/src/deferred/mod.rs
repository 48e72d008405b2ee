//! Calls that leave the loop without an answer, and how they come back.
//!
//! # Which calls do
//! - A tool's policy says [`approval_required`](tinytools::ToolAccess::approval_required), or a toolset
//!   [requires approval](crate::toolset::ToolSetExt::requiring_approval).
//! - A tool or a `before_tool` hook asks for it:
//!   [`ToolError::approval_required`](tinytools::ToolError::approval_required) for a person's word,
//!   [`ToolError::deferred`](tinytools::ToolError::deferred) for a result that comes from elsewhere.
//! - The tool is external: there is a schema, and the host answers.
//!
//! Only valid calls leave: nobody is asked to approve a malformed one. Every other call of the turn runs and is answered.
//! The run then ends with [`StopReason::Deferred`](crate::runtime::StopReason::Deferred), and [`AgentRun::deferred`]
//! says what waits. The paused message of the transcript carries the same, never sent to a model: that is where a resume
//! looks.
//!
//! # Pause and resume
//! ```
//! use serde_json::json;
//! use tinyagents::{
//!     AgentHarness, DeferredToolResults, Message, PausedRun, RunContext, ScriptedModel, ToolResult,
//!     ToolSchema, tool, tools,
//! };
//!
//! /// Delete a file.
//! #[tool(destructive, approval_required)]
//! fn delete(path: String) -> String {
//!     format!("deleted {path}")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut harness: AgentHarness = AgentHarness::new();
//! harness.register_all(tools![DeleteTool])?;
//! harness.register_external_tool(ToolSchema::new("ask_user", "Ask.", json!({ "type": "object" })))?;
//! harness.with_model(
//!     ScriptedModel::new()
//!         .calls([
//!             ("delete", json!({ "path": "a" })),
//!             ("delete", json!({ "path": "y" })),
//!             ("delete", json!({ "path": "z" })),
//!             ("ask_user", json!({})),
//!         ])
//!         .text("Cleaned up."),
//! );
//! let run = harness.invoke(&(), vec![Message::user("Clean up.")]).await?;
//!
//! let pending = run.deferred.clone().ok_or("nothing waits")?;
//! assert_eq!((pending.approvals.len(), pending.calls.len()), (3, 1));
//! // It may wait for days, and in another process.
//! let text = serde_json::to_string(&PausedRun::of(&run).ok_or("nothing waits")?)?;
//!
//! let paused: PausedRun = serde_json::from_str(&text)?;
//! let results = DeferredToolResults::new()
//!     .approve("call-1")
//!     .approve_with_args("call-2", json!({ "path": "x" }))
//!     .deny("call-3", "operator refused")
//!     .respond("call-4", ToolResult::success("done"));
//! assert!(pending.remaining(&results).is_empty());
//! let ctx: RunContext = paused.context();
//! let run = harness.resume_deferred(&(), ctx, paused.messages, results).await?;
//!
//! let rows = run.messages.iter().filter_map(Message::as_tool);
//! let rows: Vec<&str> = rows.map(|row| row.content.as_str()).collect();
//! assert_eq!(rows, ["deleted a", "deleted x", "operator refused", "done"]);
//! assert_eq!(run.final_text.as_deref(), Some("Cleaned up."));
//! # Ok(())
//! # }
//! ```
//!
//! # What an approval is worth
//! It holds for one call id, these arguments and the tool as it was declared when it was asked for. The call goes through
//! the whole admission again: lists, policies and middlewares have their say as if it came from the model. Where its
//! arguments or the tool's declaration have changed since, it is deferred anew. Results that answer an unknown call, one
//! call twice or not every call are refused before anything runs; [`DeferredToolRequests::remaining`] tells what lacks.
//!
//! # Who answers
//! A host's user interface, by the program above; a [`DeferredToolHandler`] inside of the run, which then needs no
//! pause; or another host: [`PausedRunStore`]s keep paused runs beside the effects and see to it that one host alone
//! resumes each. A host with its own loop has the requests in [`Batch::deferred`](crate::Batch::deferred) and goes on by
//! [`Dispatcher::resume`](crate::Dispatcher::resume).
//!
//! [`AgentRun::deferred`]: crate::AgentRun::deferred

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
