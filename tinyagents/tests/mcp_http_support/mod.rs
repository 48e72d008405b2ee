//! A server over streamable HTTP that lets in whoever comes with a name, and its clients.

#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

use std::net::SocketAddr;
use std::sync::Arc;

use tinyagents::mcp::rmcp::RoleClient;
use tinyagents::mcp::rmcp::service::{RunningService, serve_client_with_lifecycle};
use tinyagents::mcp::rmcp::transport::StreamableHttpClientTransport;
use tinyagents::mcp::rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tinyagents::mcp::{HttpTransport, McpServeError, McpServer};
use tinyagents::{RunContext, TinyAgentsError, ToolRunContext, tool, tools};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::mcp_server_support::{Client, Lifecycle, registry, yes};

/// Says it back.
#[tool(read_only)]
pub fn echo(text: String) -> String {
    text
}

pub struct User(pub String);

/// Says who calls.
#[tool(read_only)]
pub fn whoami(#[hidden] user: &User) -> String {
    user.0.clone()
}

#[derive(Clone, Default)]
pub struct Stage {
    pub begun: Arc<Notify>,
    pub ended: Arc<Notify>,
}

/// Ends when nobody waits any more.
#[tool(read_only, cancelable = false)]
pub async fn wait(#[hidden] stage: &Stage, #[hidden] ctx: &dyn ToolRunContext) {
    stage.begun.notify_one();
    ctx.cancelled().await;
    stage.ended.notify_one();
}

/// Needs a word.
#[tool(destructive, approval_required)]
pub fn wipe() -> String {
    "wiped".to_owned()
}

pub struct Served {
    pub address: SocketAddr,
    pub stage: Stage,
    pub serving: JoinHandle<Result<(), McpServeError>>,
}

/// Whoever comes with a name is let in.
pub async fn serve() -> Served {
    let stage = Stage::default();
    let registry = registry(tools![EchoTool, WhoamiTool, WaitTool, WipeTool]);
    let server = McpServer::new(registry)
        .with_state(stage.clone())
        .with_sessions(|session| match session.header("x-user") {
            Some(name) => Ok(RunContext::new().provide(User(name.to_owned()))),
            None => Err(TinyAgentsError::Validation("no user".to_owned())),
        });
    let http = HttpTransport::bind("127.0.0.1:0".parse().unwrap())
        .await
        .unwrap();
    Served {
        address: http.local_addr().unwrap(),
        stage,
        serving: tokio::spawn(server.serve(http)),
    }
}

pub async fn connect(
    served: &Served,
    user: &str,
    lifecycle: Lifecycle,
) -> RunningService<RoleClient, Client> {
    let url = format!("http://{}/mcp", served.address);
    let headers = [("x-user".parse().unwrap(), user.parse().unwrap())];
    let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(headers.into());
    let transport = StreamableHttpClientTransport::from_config(config);
    let client = Client::saying(yes());
    let running = serve_client_with_lifecycle(client, transport, lifecycle.mode());
    running.await.unwrap()
}
