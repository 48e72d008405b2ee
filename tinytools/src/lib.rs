//! The vocabulary a tool for an LLM agent is written in.
//!
//! Annotate an async function and it becomes a tool: a [`Tool`] implementation, a JSON schema that holds only what
//! the model may choose, and a [`ToolPolicy`] a host can enforce.
//!
//! ```
//! use tinytools::{Tool, ToolRunContext, tool};
//!
//! pub struct Units {
//!     pub metric: bool,
//! }
//!
//! /// Look up the weather for a city.
//! #[tool(read_only, timeout_ms = 5000)]
//! pub async fn weather(
//!     #[hidden] units: &Units,
//!     /// City name, for example "Oslo".
//!     city: String,
//!     #[arg(default = 3, minimum = 1, maximum = 14)] days: u8,
//! ) -> Result<String, String> {
//!     let unit = if units.metric { "°C" } else { "°F" };
//!     Ok(format!("{city}: 4 {unit} for {days} days"))
//! }
//!
//! assert_eq!(WeatherTool.name(), "weather");
//! assert!(WeatherTool.policy().side_effects.read_only);
//! // `units` is hidden: the host provides it, and the model never hears of it.
//! assert!(!WeatherTool.parameters_schema().to_string().contains("units"));
//! ```
//!
//! This crate declares and never decides: it holds no registry, no dispatch and no policy check. Those are the host's;
//! `tinyagents` is one such host. A tool crate depends on `tinytools` alone.
//!
//! The documentation of [`macro@tool`] has every key. The [`cookbook`] has recipes: state, secrets, progress, pages, files,
//! tests, and how to come from other crates.
//!
//! Properties of a schema are in declaration order. That needs the `preserve_order` feature of `serde_json` and
//! `schemars`, which Cargo unifies into every crate of the build.

extern crate self as tinytools;

pub mod annotations;
pub mod call;
pub mod classification;
pub mod context;
#[cfg(any(doc, doctest))]
#[doc = include_str!("cookbook.md")]
pub mod cookbook {}
pub mod error;
pub mod inject;
pub mod naming;
pub mod permission;
pub mod policy;
pub mod result;
pub mod spec;
pub mod testing;
pub mod workspace;

#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;
mod tool;

pub use ::anyhow;
pub use async_trait::async_trait;
pub use schemars;
pub use serde;
pub use serde_json;
/// # Examples
///
/// Who the tool is, and what it does:
///
/// ```
/// use tinytools::{PermissionLevel, Tool, tool};
///
/// #[tool(
///     name = "drop_table",
///     description = "Delete a table with all that is in it.",
///     struct_name = DropTable,
///     label = "Drop table",
///     family = "database",
///     tags("sql", "schema"),
///     destructive,
///     external_service
/// )]
/// fn delete(table: String) {
///     drop(table);
/// }
///
/// assert_eq!(DropTable::NAME, "drop_table");
/// assert_eq!(DropTable.tags(), ["sql", "schema"]);
/// assert_eq!(DropTable.permission_level(), PermissionLevel::Dangerous);
/// assert!(DropTable.external_effect());
/// ```
///
/// How it runs, and what it needs:
///
/// ```
/// use tinytools::{Tool, ToolExposure, tool};
///
/// /// Back a directory up.
/// #[tool(
///     writes_files,
///     idempotent,
///     max_retries = 2,
///     timeout_ms = 60_000,
///     blocking,
///     workspace = Scoped,
///     trusted_roots("/srv/backup"),
///     credentials("BACKUP_KEY"),
///     approval_required,
///     exposure = Deferred
/// )]
/// fn back_up(directory: &str) -> Result<String, std::io::Error> {
///     Ok(format!("backed up {directory}"))
/// }
///
/// let policy = BackUpTool.policy();
/// assert_eq!(policy.runtime.max_retries, 2);
/// assert!(policy.access.approval_required && BackUpTool.is_blocking());
/// assert_eq!(BackUpTool.exposure(), ToolExposure::Deferred);
/// ```
///
/// What a model may choose:
///
/// ```
/// use tinytools::serde_json::json;
/// use tinytools::{Tool, tool};
///
/// /// List flights.
/// #[tool(read_only, network, redact("passport"))]
/// async fn flights(
///     /// Three letters, for example "OSL".
///     #[arg(pattern = "^[A-Z]{3}$")]
///     from: String,
///     #[arg(rename = "class", default = "economy", choices("economy", "business"))] cabin: &str,
///     #[arg(default = 1, minimum = 1, maximum = 9)] passengers: u8,
///     #[arg(min_items = 1, examples(vec!["2030-01-31".to_owned()]))] days: &[String],
///     passport: Option<String>,
/// ) -> Vec<String> {
///     let _ = (from, cabin, passengers, passport);
///     days.to_vec()
/// }
///
/// let schema = FlightsTool.parameters_schema();
/// assert_eq!(schema["required"], json!(["from", "days"]));
/// assert_eq!(schema["properties"]["class"]["enum"], json!(["economy", "business"]));
/// ```
pub use tinytools_derive::tool;
pub use tinytools_derive::toolbox;

pub use annotations::ToolAnnotations;
pub use call::{ToolCallOptions, ToolTimeout};
pub use classification::{ToolCategory, ToolExposure, ToolScope};
pub use context::{ToolProgress, ToolRunContext};
pub use error::{ToolError, ToolErrorClass};
pub use inject::{FromRunContext, Injected, InjectionError};
pub use naming::{context_detail_from_args, humanize_tool_name};
pub use permission::PermissionLevel;
pub use policy::{
    ToolAccess, ToolDisplay, ToolPolicy, ToolReplay, ToolRuntime, ToolSideEffects, WorkspaceAccess,
};
pub use result::{IntoToolResult, MediaSource, ToolContent, ToolResult};
pub use spec::ToolSpec;
pub use tool::{IntoTools, Tool};
pub use workspace::{SandboxMode, WorkspaceDescriptor};

/// The listed tools as a `Vec<Arc<dyn Tool>>`.
///
/// Takes the paths of annotated tools (types with a `NAME`). Two equal names in one list are a compile error on the
/// second path. A tool written by hand is registered on its own.
///
/// ```
/// use std::sync::Arc;
/// use tinytools::{Tool, tool, tools};
///
/// /// Add two numbers.
/// #[tool(read_only)]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let tools: Vec<Arc<dyn Tool>> = tools![AddTool];
/// assert_eq!(tools[0].name(), "add");
/// ```
#[macro_export]
macro_rules! tools {
    ($($tool:tt)*) => {
        $crate::__private::__tools!(($crate) $($tool)*)
    };
}
