//! A server over HTTP for requests without sessions, each of which has a place of its own there.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "test code, of which each file uses a part"
)]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tinyagents::mcp::rmcp::RoleClient;
use tinyagents::mcp::rmcp::service::{RunningService, serve_client_with_lifecycle};
use tinyagents::mcp::rmcp::transport::StreamableHttpClientTransport;
use tinyagents::mcp::rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tinyagents::mcp::{HttpTransport, McpServer};
use tinyagents::tool;
use tokio::sync::Notify;

use crate::mcp_server_support::{Client, Lifecycle};

/// What each session has one of.
pub(crate) struct Place(Arc<Places>);

#[derive(Default)]
pub(crate) struct Places {
    made: AtomicUsize,
    left: AtomicUsize,
    changed: Notify,
}

impl Places {
    pub(crate) fn take(self: &Arc<Self>) -> Place {
        self.made.fetch_add(1, Ordering::SeqCst);
        Place(Arc::clone(self))
    }

    /// Both counts, once they are the same.
    pub(crate) async fn settled(&self) -> usize {
        while self.made.load(Ordering::SeqCst) != self.left.load(Ordering::SeqCst) {
            self.changed.notified().await;
        }
        self.made.load(Ordering::SeqCst)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.left.fetch_add(1, Ordering::SeqCst);
        self.0.changed.notify_one();
    }
}

/// Says whether its place is that of the session.
#[tool(read_only)]
pub(crate) fn echo(#[hidden] place: &Place, text: String) -> String {
    assert!(place.0.made.load(Ordering::SeqCst) > place.0.left.load(Ordering::SeqCst));
    text
}

/// Where a server of this process listens; it ends with the test.
pub(crate) async fn serve(server: McpServer) -> SocketAddr {
    let http = HttpTransport::bind("127.0.0.1:0".parse().unwrap());
    let http = http.await.unwrap();
    let address = http.local_addr().unwrap();
    tokio::spawn(server.serve(http));
    address
}

pub(crate) async fn connect(
    address: SocketAddr,
    client: Client,
) -> RunningService<RoleClient, Client> {
    let url = format!("http://{address}/mcp");
    let config = StreamableHttpClientTransportConfig::with_uri(url);
    let transport = StreamableHttpClientTransport::from_config(config);
    let running = serve_client_with_lifecycle(client, transport, Lifecycle::Stateless.mode());
    running.await.unwrap()
}
