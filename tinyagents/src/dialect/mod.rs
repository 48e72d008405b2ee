//! How a model is spoken to about tools: the catalogue it reads, the syntax of its calls, the envelope of results, its
//! history.
//!
//! A [`Dialect`] is one complete way. Whatever a model writes, [`parse_calls`] makes typed calls of it; validation,
//! middlewares and replay never see the syntax.
//!
//! ```
//! use serde_json::json;
//! use tinyagents::dialect::{self, Dialect};
//! use tinyagents::{ToolCall, ToolSchema};
//!
//! let schemas = [ToolSchema::new("search", "Search the web.", json!({
//!     "type": "object",
//!     "properties": { "query": { "type": "string" }, "limit": { "type": "integer" } },
//!     "required": ["query"]
//! }))];
//! let call = ToolCall::new("", "search", json!({ "query": "rust agents", "limit": 5 }));
//! let written = dialect::render_call(Dialect::PType, &call, &schemas[0]);
//! assert_eq!(written, r#"search("rust agents", 5)"#);
//!
//! let parsed = dialect::parse_calls(&format!("Let me look.\n\n{written}"), &schemas);
//! assert_eq!((parsed.text.as_str(), parsed.calls), ("Let me look.", vec![call]));
//! ```

mod choice;
mod envelope;
mod grammar;
mod history;
mod kinds;
mod literal;
mod meant;
mod name;
mod offered;
mod parse;
mod parsed_text;
mod properties;
mod render;
mod scrub;
mod session;

pub use crate::prompt_tools::pair_tool_cycles;
pub use choice::ToolDialect;
pub use name::Dialect;
pub use parse::{parse_call, parse_calls};
pub use parsed_text::{ParsedText, TextDelta};
pub use render::{
    render_call, render_catalogue, render_history, render_instructions, render_pformat_catalogue,
    render_result,
};
pub use scrub::StreamScrubber;

pub(crate) use envelope::CLOSE;
pub(crate) use history::RESULTS;
pub(crate) use session::Session;
