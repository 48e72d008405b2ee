//! The short way.

use super::{McpServeError, McpServer, ServerTransport};
use crate::registry::ToolRegistry;

/// Serves the tools of a registry, none of which needs a hidden value, until the client leaves, or over HTTP until the future is dropped.
///
/// Nothing but the protocol may be written to standard output while a server uses it: write logs to standard error.
/// [`McpServer`] is the way to serve with a policy, state, middlewares, toolsets or values for hidden parameters
/// ([`with_sessions`](McpServer::with_sessions)).
///
/// ```no_run
/// use tinyagents::mcp::{self, HttpTransport, ServerTransport};
/// use tinyagents::{ToolRegistry, tool};
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// async fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// # async fn program() -> Result<(), Box<dyn std::error::Error>> {
/// let mut registry = ToolRegistry::new();
/// registry.register(AddTool)?;
/// mcp::serve(registry, ServerTransport::stdio()).await?;
/// # let registry = ToolRegistry::new();
/// // or: http://127.0.0.1:8080/mcp
/// mcp::serve(registry, HttpTransport::bind("127.0.0.1:8080".parse()?).await?).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`McpServer::serve`].
pub async fn serve(
    registry: ToolRegistry,
    transport: impl Into<ServerTransport>,
) -> Result<(), McpServeError> {
    McpServer::new(registry).serve(transport).await
}
