//! Who can be called: the registered tools, with everything a call needs computed once.
//!
//! A tool is compiled when it is registered: its name is checked, its schema becomes a validator, its policy and hidden
//! parameters are read. A call then looks it up by one hash and computes nothing of this again.

mod group;
mod names;
mod registered;
mod snapshot;
mod source;
mod tools;

pub use group::ToolGroup;
pub use names::{InvalidToolName, ToolName};
pub use registered::RegisteredTool;
pub use source::IntoTool;
pub use tools::ToolRegistry;

pub(crate) use registered::ToolBody;
pub(crate) use snapshot::{Catalogue, schema_bytes};
