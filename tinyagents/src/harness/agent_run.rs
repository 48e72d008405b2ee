//! What a run leaves behind.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::{RunId, RunScope, ThreadId};
use crate::deferred::DeferredToolRequests;
use crate::model::{Message, ToolCall, Usage};
use crate::timeline::Trace;

/// The outcome of one run, and everything said in it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AgentRun {
    /// The run's id; none before it has begun.
    pub run_id: Option<RunId>,
    /// The conversation's id.
    pub thread_id: Option<ThreadId>,
    /// Names of the tools that searches have brought into the requests, in the order in which they did.
    pub promoted_tools: Vec<String>,
    /// The whole transcript, the given messages included.
    pub messages: Vec<Message>,
    /// The model's last text, if the run ended with one; or the result that ended it directly.
    pub final_text: Option<String>,
    /// Calls that wait for an answer from outside.
    pub deferred: Option<DeferredToolRequests>,
    /// Canonical names of the tools that really ran, in call order, once per call.
    pub executed_tools: Vec<String>,
    /// What tools had to say to the host alone.
    pub tool_metadata: Vec<ToolResultMetadata>,
    /// Tokens used by all model calls together.
    pub usage: Usage,
    /// Requests made to the model.
    pub model_calls: u32,
    /// Why the run ended.
    pub stop: StopReason,
    /// What there is to be looked at.
    pub(crate) trace: Trace,
    /// What held it within its bounds.
    pub(crate) scope: RunScope,
}

/// What one call had to say to the host alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResultMetadata {
    /// The call's id.
    pub call_id: String,
    /// The tool's canonical name.
    pub tool_name: String,
    /// The tool's own data.
    pub metadata: Value,
}

impl ToolResultMetadata {
    /// `call` has the canonical name.
    pub(crate) fn of(call: &ToolCall, metadata: Value) -> Self {
        Self {
            call_id: call.id.clone(),
            tool_name: call.name.clone(),
            metadata,
        }
    }
}

/// Why a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The model answered without calling a tool.
    #[default]
    Finished,
    /// Some calls wait for an answer from outside.
    Deferred,
    /// A tool's result is the run's.
    ReturnDirect,
    /// The run was cancelled.
    Cancelled,
    /// The run's time is over: `wall_clock`, or the context's deadline.
    Deadline,
    /// A bound of [`RunLimits`](super::RunLimits) was met.
    Limit(LimitKind),
    /// A tool demanded the end of the run; the text is for the host.
    Fatal(String),
    /// A middleware failed or demanded the end of the run; the text is for the host.
    Middleware(String),
}

/// A bound of [`RunLimits`](super::RunLimits).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitKind {
    /// `max_model_calls`.
    ModelCalls(u32),
    /// `max_tool_calls`.
    ToolCalls(u32),
    /// `max_calls_per_tool`, and the tool that met it.
    CallsPerTool {
        /// The tool's canonical name.
        tool_name: String,
        /// The bound.
        limit: u32,
    },
    /// `identical_failures`.
    IdenticalFailures(u32),
}

impl fmt::Display for LimitKind {
    /// The name of the bound and its value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ModelCalls(limit) => write!(f, "max_model_calls: {limit}"),
            Self::ToolCalls(limit) => write!(f, "max_tool_calls: {limit}"),
            Self::CallsPerTool { tool_name, limit } => {
                write!(f, "max_calls_per_tool: {limit} (`{tool_name}`)")
            }
            Self::IdenticalFailures(limit) => write!(f, "identical_failures: {limit}"),
        }
    }
}
