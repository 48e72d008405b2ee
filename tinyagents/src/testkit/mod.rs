//! What tests of tools and hosts need (feature `testkit`): models that say what they were told, sinks that keep what they
//! hear, a clock that stands still, and a check that any [`Tool`](tinytools::Tool) can be run through.
//!
//! ```
//! use serde_json::json;
//! use tinyagents::testkit::ToolCheck;
//! use tinyagents::tool;
//!
//! /// Add two numbers.
//! #[tool(read_only, crate = ::tinyagents::tinytools)]
//! fn add(a: i64, b: i64) -> i64 {
//!     a + b
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), tinyagents::testkit::ToolFaults> {
//! ToolCheck::new(AddTool).with_arguments(json!({ "a": 20, "b": 22 })).run().await
//! # }
//! ```

mod calls;
mod cancellation;
mod declaration;
mod fake_clock;
mod faults;
mod hidden_values;
mod hostile;
mod running;
mod tool_check;

pub use fake_clock::FakeClock;
pub use faults::{ToolFault, ToolFaults};
pub use tool_check::ToolCheck;

#[doc(no_inline)]
pub use crate::events::{EventChannel, EventLog, JsonLines};
#[doc(no_inline)]
pub use crate::model::ScriptedModel;
