//! Getting at a server: connecting, greeting, listing.

use std::sync::Arc;

use futures::FutureExt as _;
use rmcp::service::{ClientInitializeError, RunningService};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleClient, serve_client};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::child::Process;
use super::connection::Connection;
use super::elicitation::Questions;
use super::greeting;
use super::handler::Handler;
use super::limits::end_of;
use super::listing::{Listing, NoListing};
use super::transport::Way;
use super::watched::Watched;
use super::{McpError, McpLimits, McpTransport};
use crate::clip::clip_bytes;
use crate::mcp::unsent::Unsent;

/// Longest reason in an error; a server may have had its word in it.
const MAX_REASON: usize = 500;

/// What it takes to get at a server.
#[derive(Debug)]
pub(super) struct Opener {
    pub(super) name: String,
    pub(super) transport: McpTransport,
    pub(super) limits: McpLimits,
    pub(super) questions: Option<Questions>,
}

/// A connection with the tools that were listed over it.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) connection: Arc<Connection>,
    pub(super) listing: Arc<Listing>,
}

impl Live {
    /// Whether a call can be made as things stand.
    pub(super) fn is_current(&self) -> bool {
        self.connection.is_alive() && !self.connection.is_stale()
    }
}

impl Opener {
    /// Lists the tools, over the connection that there is or a new one.
    pub(super) async fn open(&self, known: Option<Arc<Connection>>) -> Result<Live, McpError> {
        let connection = match known {
            Some(connection) => connection,
            None => Arc::new(self.connect().await?),
        };
        connection.set_stale(false);
        let limit = self.limits.list_timeout;
        let listed = Listing::ask(&connection, &self.limits, end_of(limit)).await;
        match listed {
            Ok(listing) => Ok(Live {
                connection,
                listing: Arc::new(listing),
            }),
            Err(reason) => {
                // What is known of the tools is out of date still.
                connection.set_stale(true);
                let server = self.name.clone();
                Err(match reason {
                    NoListing::TimedOut => McpError::TimedOut {
                        server,
                        what: "list its tools",
                        limit,
                    },
                    NoListing::Failed(reason) => McpError::NoTools { server, reason },
                })
            }
        }
    }

    async fn connect(&self) -> Result<Connection, McpError> {
        let limit = self.limits.connect_timeout;
        let connected = tokio::time::timeout(limit, self.connect_now()).await;
        connected.unwrap_or_else(|_| {
            Err(McpError::TimedOut {
                server: self.name.clone(),
                what: "answer",
                limit,
            })
        })
    }

    async fn connect_now(&self) -> Result<Connection, McpError> {
        let gone = CancellationToken::new();
        let greeted = match &self.transport.0 {
            Way::Program(program) => {
                let started = program.start();
                let (process, stdout, stdin) = started.map_err(|error| self.unreachable(error))?;
                self.greet_over(stdout, stdin, Some(process), &gone).await
            }
            Way::Streams(connect) => {
                let (read, write) = connect().await.map_err(|error| self.unreachable(error))?;
                self.greet_over(read, write, None, &gone).await
            }
            Way::Http(server) => {
                let transport = server.open(&self.limits);
                let transport = transport.map_err(|reason| self.unreachable(reason))?;
                self.greet(transport, None, &gone).await
            }
        };
        let running = greeted.map_err(|error| {
            let reason = greeting::reason(&error, &self.transport.0);
            self.unreachable(reason)
        })?;
        Ok(Connection::new(running, gone))
    }

    async fn greet_over(
        &self,
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
        process: Option<Process>,
        gone: &CancellationToken,
    ) -> Result<RunningService<RoleClient, Handler>, ClientInitializeError> {
        let lines = AsyncRwTransport::new_client(read, write)
            .with_max_line_length(self.limits.max_message_bytes);
        self.greet(lines, process, gone).await
    }

    async fn greet(
        &self,
        inner: impl Transport<RoleClient> + 'static,
        process: Option<Process>,
        gone: &CancellationToken,
    ) -> Result<RunningService<RoleClient, Handler>, ClientInitializeError> {
        let watched = Watched {
            inner,
            process,
            gone: gone.clone(),
            close_timeout: self.limits.close_timeout,
            unsent: Unsent::default(),
        };
        serve_client(Handler::new(self.questions.clone()), watched)
            .boxed()
            .await
    }

    fn unreachable(&self, error: impl std::fmt::Display) -> McpError {
        let mut reason = error.to_string();
        if let Way::Http(server) = &self.transport.0 {
            reason = server.without_secrets(reason);
        }
        McpError::Unreachable {
            server: self.name.clone(),
            reason: clip_bytes(&reason, MAX_REASON),
        }
    }
}
