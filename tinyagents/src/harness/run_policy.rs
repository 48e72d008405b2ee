//! What a run does when a call is not as it should be, and how much it may do.

use std::collections::BTreeMap;
use std::time::Duration;

use tinytools::ToolTimeout;

use super::RunLimits;
use crate::dialect::ToolDialect;
use crate::discovery::ToolDiscoveryPolicy;
use crate::schema::SchemaPreparation;

/// How a run treats its tool calls.
///
/// ```
/// use tinyagents::runtime::{RunPolicy, UnknownToolPolicy};
///
/// let policy = RunPolicy { unknown_tool: UnknownToolPolicy::Fail, ..RunPolicy::default() };
/// assert_eq!(policy.max_concurrent_tools, 8);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPolicy {
    /// Bounds of the run.
    pub limits: RunLimits,
    /// How many neighbouring calls that are safe beside others run together. 0 counts as 1. Default: 8.
    pub max_concurrent_tools: usize,
    /// How many blocking bodies run at once, in all runs of one harness or one dispatcher and its clones; further calls
    /// wait, in their own time. A body that goes on after its call was given up keeps its place, and so does one that
    /// calls other tools meanwhile. 0 counts as 1. Default: 64.
    pub max_blocking_tools: usize,
    /// What happens to a call of a tool that was not advertised.
    pub unknown_tool: UnknownToolPolicy,
    /// What happens to a call whose arguments the tool's schema refuses.
    pub invalid_args: InvalidArgsPolicy,
    /// What happens to a call that an allow-list or a policy forbids.
    pub not_allowed: NotAllowedPolicy,
    /// Whether arguments of a neighbouring type are converted.
    pub coercion: ArgumentCoercion,
    /// How the model is spoken to about tools.
    pub tool_dialect: ToolDialect,
    /// Time for one attempt of a tool that states none of its own. Default: no bound.
    pub default_tool_timeout: Option<Duration>,
    /// Time for one attempt by the canonical names of tools, whatever these state themselves. `Inherit` stands for the
    /// default time-out. Default: none.
    pub tool_timeouts: BTreeMap<String, ToolTimeout>,
    /// How often in a run one tool may ask the model to correct its call
    /// ([`ToolError::Retry`](tinytools::ToolError::Retry)); the model is then told to stop. Default: 3.
    pub max_corrections: u32,
    /// Wait before the first repetition of a failed attempt; doubled for each further one. Default: 200 ms.
    pub retry_base_delay: Duration,
    /// Longest wait between attempts that the runtime chooses itself. Default: 10 s.
    pub retry_max_delay: Duration,
    /// Whether the model is given a result's Markdown form where there is one. Default: `false`.
    pub prefer_markdown: bool,
    /// Whether the `tracing` spans of calls hold arguments and results; never values of redacted arguments. Default:
    /// `false`.
    pub trace_content: bool,
    /// How declarations are rewritten for the model's provider. Arguments are checked against what the tools declare all
    /// the same. Default: they are sent as they are.
    pub tool_schemas: Option<SchemaPreparation>,
    /// How tools are found that are not part of the first request.
    pub discovery: ToolDiscoveryPolicy,
}

impl Default for RunPolicy {
    fn default() -> Self {
        Self {
            limits: RunLimits::default(),
            max_concurrent_tools: 8,
            max_blocking_tools: 64,
            unknown_tool: UnknownToolPolicy::default(),
            invalid_args: InvalidArgsPolicy::default(),
            not_allowed: NotAllowedPolicy::default(),
            coercion: ArgumentCoercion::default(),
            tool_dialect: ToolDialect::default(),
            default_tool_timeout: None,
            tool_timeouts: BTreeMap::new(),
            max_corrections: 3,
            retry_base_delay: Duration::from_millis(200),
            retry_max_delay: Duration::from_secs(10),
            prefer_markdown: false,
            trace_content: false,
            tool_schemas: None,
            discovery: ToolDiscoveryPolicy::default(),
        }
    }
}

/// What happens to a call of a tool that was not advertised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownToolPolicy {
    /// The run fails with [`ToolNotFound`](crate::error::TinyAgentsError::ToolNotFound).
    Fail,
    /// The model is told, and which tools there are.
    #[default]
    ReturnToolError,
    /// The call goes to this tool, once; where it is unknown too, the model is told.
    Rewrite {
        /// The canonical name of the tool.
        tool_name: String,
    },
}

/// What happens to a call whose arguments the tool's schema refuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidArgsPolicy {
    /// The run fails with [`InvalidArguments`](crate::error::TinyAgentsError::InvalidArguments).
    Fail,
    /// The model is told every fault and the part of the schema.
    #[default]
    ReturnToolError,
    /// An object written as a string is read; anything else for a schema without required arguments becomes `{}`, where
    /// the tool is read-only or idempotent; if that doesn't help, the model is told.
    NormalizeThenReturnToolError,
}

/// What happens to a call that an allow-list or a policy forbids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotAllowedPolicy {
    /// The run fails with [`ToolNotAllowed`](crate::error::TinyAgentsError::ToolNotAllowed).
    Fail,
    /// The model is told.
    #[default]
    ReturnToolError,
}

/// Whether arguments of a neighbouring type are converted before they are validated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentCoercion {
    /// They are not.
    #[default]
    Off,
    /// `"5"` to 5, `"true"` to true, text of an array or object to that: where the schema asks for the type and nothing
    /// is lost.
    Lossless,
}
