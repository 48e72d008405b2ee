//! Tools as a server.
//!
//! A call goes through everything that a model's does: names, hidden parameters, schemas, policy, approval, limits,
//! time-outs, events. One session is one run: its calls share a [`RunContext`](crate::RunContext), which a
//! [session provider](McpServer::with_sessions) fills with what the tools take as hidden parameters.

mod approval;
mod builder;
mod call;
mod called;
mod changes;
mod connection;
mod content;
mod error;
mod http;
mod line_transport;
mod listing;
mod places;
mod progress;
mod questions;
mod reply;
mod serve;
mod session;
mod sessions;
mod shared;
mod streams;
mod subscription;
mod transport;
mod unanswered;

pub use builder::McpServer;
pub use changes::ToolListChanges;
pub use error::McpServeError;
pub use http::HttpTransport;
pub use serve::serve;
pub use session::McpSession;
pub use transport::ServerTransport;
