//! What generated code calls. Not part of the public surface: it changes without notice.
//!
//! A tool's expansion is a table of its parameters ([`Input`]) and a few calls. Everything that doesn't depend on the
//! author's types is here, compiled once, so that the price of one more tool is small.

mod argument;
mod arguments;
mod bounds;
mod call;
mod fault;
mod hidden;
mod input;
mod normalize;
mod owner;
mod param;
mod plain;
mod reader;
mod reply;
mod schema;

pub use std::boxed::Box;
pub use std::convert::From;
pub use std::option::Option::{self, None, Some};
pub use std::path::PathBuf;
pub use std::result::Result::{self, Err, Ok};
pub use std::string::String;
pub use std::sync::Arc;
pub use std::vec::Vec;

pub use serde_json::Value;
pub use tinytools_derive::__tools;

pub use crate::{
    Injected, PermissionLevel, SandboxMode, Tool, ToolCallOptions, ToolCategory, ToolExposure,
    ToolPolicy, ToolReplay, ToolResult, ToolRunContext, ToolScope, ToolTimeout, WorkspaceAccess,
};

pub use argument::Argument;
pub use arguments::{Arguments, Then};
pub use bounds::Number;
pub use call::{Call, Called, Execution, execute};
pub use hidden::{Borrowed, Dynamic, DynamicValue, HiddenValue, Owned, borrowed, dynamic, owned};
pub use input::{Args, Input};
pub use owner::{SharedOwner, ToolOwner, arc, assert_unique, strings, vec};
pub use param::{DefaultValue, Param, param, values};
pub use reply::{Fails, ToolFailure, ToolOutput, kinds, returned};
