//! The tools of somebody else's server.

mod annotations;
mod builder;
mod call;
mod child;
mod connection;
mod content;
mod definition;
mod elicitation;
mod error;
mod greeting;
mod handler;
mod http;
mod left_out;
mod limits;
mod listing;
mod opener;
mod pins;
mod progress;
mod server;
mod shown;
mod tool;
mod tool_set;
mod transport;
mod under_way;
mod watched;

pub use builder::McpToolSetBuilder;
pub use elicitation::{McpElicitation, McpElicitationAnswer, McpElicitationHandler};
pub use error::McpError;
pub use http::McpHttp;
pub use left_out::McpLeftOut;
pub use limits::McpLimits;
pub use pins::McpChange;
pub use tool_set::McpToolSet;
pub use transport::McpTransport;
