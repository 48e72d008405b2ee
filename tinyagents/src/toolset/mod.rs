//! Sets of tools that compose: what each run, and each turn of it, is shown.
//!
//! A [`ToolSet`] says which tools there are for a context. Adaptors narrow, rename, rewrite or guard what another set
//! shows; they are named types with constructors, and methods of [`ToolSetExt`]. Whatever a set calls a tool, policies,
//! events and the effect ledger get the tool's real name.
//!
//! ```
//! use serde_json::json;
//! use tinyagents::toolset::{CombinedToolSet, ExternalToolSet, ToolSet, ToolSetExt};
//! use tinyagents::{RunContext, ToolSchema};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), tinyagents::TinyAgentsError> {
//! let schema = |name: &str| ToolSchema::new(name, "Look.", json!({ "type": "object" }));
//! let github = ExternalToolSet::new([schema("search"), schema("delete")]);
//! let files = ExternalToolSet::new([schema("search")]);
//! let set = CombinedToolSet::new(vec![
//!     github.prefixed("gh"),
//!     files.filtered(|tool, ctx| tool.name() == "search" && ctx.depth() == 0),
//! ])
//! .renamed([("gh_search", "find")])
//! .requiring_approval(|tool| tool.name() == "gh_delete");
//!
//! let tools = set.tools(&RunContext::new()).await?;
//! let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
//! assert_eq!(names, ["find", "gh_delete", "search"]);
//! # Ok(())
//! # }
//! ```

mod adaptor;
mod approval_required;
mod combined;
mod error;
mod explanation;
mod exposed;
mod ext;
mod external;
mod filtered;
mod prefixed;
mod prepared;
mod registered;
mod renamed;
mod run_tools;
mod sources;
mod tool_set;

pub use approval_required::ApprovalRequiredToolSet;
pub use combined::CombinedToolSet;
pub use error::ToolSetError;
pub use explanation::ToolExposureExplanation;
pub use exposed::ExposedTools;
pub use ext::ToolSetExt;
pub use external::ExternalToolSet;
pub use filtered::FilteredToolSet;
pub use prefixed::PrefixedToolSet;
pub use prepared::PreparedToolSet;
pub use renamed::RenamedToolSet;
pub use tool_set::ToolSet;

pub(crate) use run_tools::{DirectAnswer, RunTools, ShownTools};
pub(crate) use sources::ToolSources;
