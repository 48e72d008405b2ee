//! Who can be called: the registered tools, with everything a call needs computed once.
//!
//! A tool is compiled when it is registered: its name is checked, its schema becomes a validator, its policy and hidden
//! parameters are read. A call then looks it up by one hash and computes nothing of this again.

mod aliases;
mod compile;
mod group;
mod names;
mod narrowed;
mod outside_names;
mod prepared;
mod registered;
mod snapshot;
mod source;
mod tools;
mod view;

pub use aliases::{InvalidAlias, NameMap, ToolAliases};
pub use group::ToolGroup;
pub use names::{InvalidToolName, ToolName};
pub use outside_names::OutsideNames;
pub use registered::RegisteredTool;
pub use source::IntoTool;
pub use tools::{ToolFindings, ToolRegistry};

pub(crate) use narrowed::rest;
pub(crate) use prepared::Prepared;
pub(crate) use registered::ToolBody;
pub(crate) use snapshot::{Catalogue, schema_bytes};
pub(crate) use view::ToolView;
