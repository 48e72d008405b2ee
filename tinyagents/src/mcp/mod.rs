//! Tools over the Model Context Protocol, both ways (feature `mcp`): any registry as a server, and the tools of a server
//! as a toolset.

mod annotations;
mod client;
mod server;
mod unsent;

pub use client::*;
pub use rmcp;
pub use server::{
    HttpTransport, McpServeError, McpServer, McpSession, ServerTransport, ToolListChanges, serve,
};
