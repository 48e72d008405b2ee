//! Why a server doesn't run.

use std::error::Error as _;
use std::fmt;
use std::net::SocketAddr;

use crate::error::TinyAgentsError;

/// Why a server could not be started, or ended by itself. `Debug` is the text of `Display` with its causes, which is what
/// a `main` that returns it prints.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum McpServeError {
    /// The tools can't be listed.
    #[error(transparent)]
    Tools(TinyAgentsError),
    /// A tool needs a hidden value, and nobody provides it for the sessions.
    #[error(
        "tool `{tool}` needs a `{type_name}` for its hidden parameter `{parameter}`; serve by `McpServer::new(registry).with_sessions(|_| Ok(RunContext::new().provide(value)))`, which makes it for each session"
    )]
    MissingValue {
        /// The tool's name.
        tool: String,
        /// The parameter's name.
        parameter: String,
        /// The type's name.
        type_name: String,
    },
    /// An address that others can reach was not asked for as such.
    #[error(
        "{address} can be reached from other machines; bind a loopback address such as 127.0.0.1, or name the hosts to answer to by `HttpTransport::bind_public`"
    )]
    NotLoopback {
        /// The address.
        address: SocketAddr,
    },
    /// A public server without a name to answer to would answer to every page of a browser.
    #[error("a public server needs the host names that it answers to, such as `mcp.example.com`")]
    NoHosts,
    /// The address can't be listened on, or the transport failed.
    #[error("the transport failed")]
    Io(#[from] std::io::Error),
    /// The other side was no client of the protocol.
    #[error("no session was begun: {0}")]
    Handshake(String),
}

impl fmt::Debug for McpServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        let mut cause = self.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

impl From<TinyAgentsError> for McpServeError {
    fn from(error: TinyAgentsError) -> Self {
        match error {
            TinyAgentsError::MissingInjection {
                tool,
                parameter,
                type_name,
            } => Self::MissingValue {
                tool,
                parameter,
                type_name,
            },
            error => Self::Tools(error),
        }
    }
}
