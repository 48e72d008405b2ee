//! One session over two streams.

use std::sync::{Arc, PoisonError};

use futures::future::BoxFuture;
use rmcp::RoleServer;
use rmcp::service::{QuitReason, RunningService, ServerInitializeError};

use super::connection::Connection;
use super::error::McpServeError;
use super::line_transport::LineTransport;
use super::shared::Server;
use super::transport::{Reader, Writer};

/// Serves until the client leaves.
pub(super) async fn serve(
    server: Arc<Server>,
    reader: Reader,
    writer: Writer,
) -> Result<(), McpServeError> {
    let connection = Connection::new(server);
    let refusal = connection.refusal();
    // Boxed, since the compiler finds it to be `Send` only where it is made.
    let begun: BoxFuture<'static, Result<RunningService<RoleServer, Connection>, _>> = Box::pin(
        rmcp::serve_server(connection, LineTransport::new(reader, writer)),
    );
    let running = match begun.await {
        Ok(running) => running,
        // Nobody has asked for anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
            let told = "the first message was not `initialize`".to_owned();
            return Err(McpServeError::Handshake(told));
        }
        Err(error) => {
            // Only one session is begun here, and who has refused it should learn why.
            let refusal = refusal
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            let told = || McpServeError::Handshake(error.to_string());
            return Err(refusal.map_or_else(told, McpServeError::from));
        }
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => {
            Err(McpServeError::Io(std::io::Error::other(error)))
        }
        Ok(_) => Ok(()),
    }
}
