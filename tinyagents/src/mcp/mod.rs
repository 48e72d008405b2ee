//! Tools over the Model Context Protocol, both ways (feature `mcp`): any registry as a server, and the tools of a server
//! as a toolset.

mod client;
pub use client::*;
