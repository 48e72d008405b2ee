//! A runtime for the tools an LLM agent calls: it registers, admits, dispatches and answers, and fails closed.
//!
//! Three levels, each usable alone: a [`ToolRegistry`] owns tools, a [`Dispatcher`] runs the calls of a host's own loop,
//! and an [`AgentHarness`] is the loop itself.
//!
//! ```
//! use serde_json::json;
//! use tinyagents::{AgentHarness, Message, ScriptedModel, ToolSchema};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), tinyagents::TinyAgentsError> {
//! let mut harness: AgentHarness<()> = AgentHarness::new();
//! harness.with_model(ScriptedModel::new().call("missing", json!({})).text("Sorry."));
//! harness.register_external_tool(ToolSchema::new("ask_user", "Ask.", json!({ "type": "object" })))?;
//!
//! let run = harness.invoke(&(), vec![Message::user("go")]).await?;
//! assert_eq!(run.final_text.as_deref(), Some("Sorry."));
//! assert!(run.messages.iter().any(|message| message.text().contains("unknown tool `missing`")));
//! # Ok(())
//! # }
//! ```
//!
//! Tools are written against [`tinytools`] alone; this crate re-exports it and everything in it.

pub mod artifacts;
pub mod context;
mod cursor;
pub mod deferred;
pub mod dialect;
pub mod discovery;
pub mod effects;
pub mod error;
pub mod events;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod middleware;
pub mod model;
pub mod prompt_tools;
pub mod registry;
pub mod runtime;
pub mod schema;
pub mod store;
#[cfg(feature = "testkit")]
pub mod testkit;
pub mod timeline;
pub mod toolset;

mod admission;
mod clip;
mod dispatch;
mod harness;
mod mask;
mod redaction;
#[cfg(feature = "sqlite")]
mod sqlite_file;
mod unique_names;

pub use admission::relaxed_json::{self, recover_relaxed_object};
pub use artifacts::{ArtifactStore, DirectoryArtifactStore, MemoryArtifactStore};
pub use context::{
    AgentDefinition, Budget, CallId, EventEmitter, RunContext, RunId, StreamWriter, ThreadId,
    ToolExecutionContext,
};
pub use deferred::{
    DeferredCallResult, DeferredResultsError, DeferredToolHandler, DeferredToolRequests,
    DeferredToolResults, PausedRun, PausedRunStore, PendingCall, SavedRun, ToolApprovalDecision,
    check_paused_runs,
};
pub use dialect::{
    Dialect, ParsedText, StreamScrubber, TextDelta, ToolDialect, parse_call, parse_calls,
    render_call, render_catalogue, render_history, render_instructions, render_pformat_catalogue,
    render_result,
};
pub use discovery::{ToolDiscoveryPolicy, ToolRanker};
pub use dispatch::{Batch, Dispatcher, Turn};
pub use effects::{
    ConformanceError, LedgerError, LedgerFailure, MemoryLedger, RecordedAnswer, ToolEffect,
    ToolEffectClaim, ToolEffectLedger, ToolEffectSettle, ToolEffectStart, ToolEffectStatus,
    check_ledger,
};
#[cfg(feature = "postgres")]
pub use effects::{PostgresLedger, PostgresOptions};
#[cfg(feature = "sqlite")]
pub use effects::{SqliteLedger, Synchronous};
pub use error::{Result, TinyAgentsError};
pub use events::{AgentEvent, EventChannel, EventLog, EventSink, JsonLines, NoEvents, RunEvent};
pub use harness::{
    AgentHarness, AgentRun, ArgumentCoercion, HostCapabilities, InvalidArgsPolicy, LimitKind,
    NotAllowedPolicy, RunLimits, RunPolicy, StopReason, ToolResultMetadata, UnknownToolPolicy,
};
#[cfg(feature = "mcp")]
pub use mcp::{
    HttpTransport, McpChange, McpElicitation, McpElicitationAnswer, McpElicitationHandler,
    McpError, McpHttp, McpLeftOut, McpLimits, McpServeError, McpServer, McpSession, McpToolSet,
    McpToolSetBuilder, McpTransport, ServerTransport, ToolListChanges,
};
pub use middleware::{
    ApprovalOutcome, ContextualToolSelectionMiddleware, DynamicToolSelectionMiddleware,
    HumanApprovalMiddleware, Middleware, MiddlewareStack, NextAgent, NextModel, NextTool,
    RedactionMiddleware, ToolAllowlistMiddleware, ToolDecision, ToolPolicyMiddleware,
};
pub use model::{
    AssistantMessage, ChatModel, Message, ModelDelta, ModelError, ModelProfile, ModelRequest,
    ModelResponse, ModelStream, NameRules, ProviderExtras, ScriptedModel, SystemMessage, ToolCall,
    ToolChoice, ToolFormat, ToolMessage, ToolSchema, Usage, UserMessage,
};
#[cfg(feature = "openai")]
pub use model::{
    OpenAiModel,
    openai::{InvalidEndpoint, OpenAiBuilder},
};
pub use prompt_tools::{
    coalesce_tool_results, ensure_resolvable_user_turn, pair_tool_cycles, with_tool_instructions,
};
pub use registry::{
    IntoTool, InvalidAlias, InvalidToolName, NameMap, OutsideNames, RegisteredTool, ToolAliases,
    ToolFindings, ToolGroup, ToolName, ToolRegistry,
};
pub use schema::{
    ArgumentError, Finding, FindingEffect, MAX_ARGUMENT_DEPTH, MAX_ARGUMENT_VALUES,
    MAX_COMPOSITION, MAX_FAULTS, MAX_SCHEMA_DEPTH, MAX_SCHEMA_NODES, SchemaCompaction, SchemaError,
    SchemaPreparation, SchemaTarget, Validator, lint, lint_tool, prepare,
};
#[cfg(feature = "sqlite")]
pub use store::SqliteStore;
pub use store::{MemoryStore, Store};
pub use timeline::Timeline;
pub use toolset::{
    ApprovalRequiredToolSet, CombinedToolSet, ExposedTools, ExternalToolSet, FilteredToolSet,
    PrefixedToolSet, PreparedToolSet, RenamedToolSet, ToolExposureExplanation, ToolSet,
    ToolSetError, ToolSetExt,
};

#[doc(inline)]
pub use tinytools;
pub use tinytools::{
    FromRunContext, Injected, InjectionError, IntoToolResult, IntoTools, MediaSource,
    PermissionLevel, SandboxMode, Tool, ToolAccess, ToolAnnotations, ToolCallOptions, ToolCategory,
    ToolContent, ToolDisplay, ToolError, ToolErrorClass, ToolExposure, ToolPolicy, ToolProgress,
    ToolReplay, ToolResult, ToolRunContext, ToolRuntime, ToolScope, ToolSideEffects, ToolSpec,
    ToolTimeout, WorkspaceAccess, WorkspaceDescriptor, anyhow, async_trait,
    context_detail_from_args, humanize_tool_name, schemars, serde, serde_json, tool, toolbox,
    tools,
};

/// The Rust blocks of the README, compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
