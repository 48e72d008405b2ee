//! A server in this process, and a client that remembers what it is told and asked.

#![allow(
    dead_code,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code, of which each file uses a part"
)]

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tinyagents::mcp::rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams,
    ElicitResult, Implementation, ProgressNotificationParam, ProtocolVersion,
};
use tinyagents::mcp::rmcp::service::{
    ClientLifecycleMode, NotificationContext, RequestContext, RunningService,
    serve_client_with_lifecycle,
};
use tinyagents::mcp::rmcp::{ClientHandler, ErrorData, RoleClient, ServiceError};
use tinyagents::mcp::{McpServeError, McpServer, ServerTransport};
use tinyagents::{IntoTool, ToolRegistry};
use tokio::io::DuplexStream;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

pub(crate) mod house;
pub(crate) mod wire;

/// A client, and what it was told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Client {
    /// What its person says; none, and it says that it can't ask.
    pub(crate) says: Option<ElicitResult>,
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
    /// What came, in order: progress here, answers where the test notes them.
    pub(crate) progress: Arc<Mutex<Vec<ProgressNotificationParam>>>,
    pub(crate) changed: Arc<Notify>,
}

impl Client {
    /// One whose person always says this.
    pub(crate) fn saying(answer: ElicitResult) -> Self {
        Self {
            says: Some(answer),
            ..Self::default()
        }
    }

    pub(crate) fn questions(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let capabilities = if self.says.is_some() {
            ClientCapabilities::builder().enable_elicitation().build()
        } else {
            ClientCapabilities::default()
        };
        ClientConfig::new(capabilities, Implementation::new("tests", "1.0.0"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if let ElicitRequestParams::FormElicitationParams { message, .. } = request {
            self.asked.lock().unwrap().push(message);
        }
        Ok(self.says.clone().unwrap())
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.progress.lock().unwrap().push(params);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}

pub(crate) type Connected = (
    RunningService<RoleClient, Client>,
    JoinHandle<Result<(), McpServeError>>,
);

/// How a client begins: with the handshake, or without sessions as of revision 2026-07-28.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lifecycle {
    Handshake,
    Stateless,
}

impl Lifecycle {
    pub(crate) const BOTH: [Self; 2] = [Self::Handshake, Self::Stateless];

    pub(crate) fn mode(self) -> ClientLifecycleMode {
        match self {
            Self::Handshake => ClientLifecycleMode::Initialize,
            Self::Stateless => ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            },
        }
    }
}

pub(crate) fn registry(tools: impl IntoIterator<Item = Arc<dyn tinyagents::Tool>>) -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    for tool in tools {
        registry.register(tool).unwrap();
    }
    registry
}

pub(crate) fn server_of<Form>(tool: impl IntoTool<Form>) -> McpServer {
    let mut registry = ToolRegistry::new();
    registry.register(tool).unwrap();
    McpServer::new(registry)
}

/// The server's task, and the other end of its streams.
pub(crate) fn spawn(server: McpServer) -> (DuplexStream, JoinHandle<Result<(), McpServeError>>) {
    let (here, there) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(there);
    let serving = tokio::spawn(server.serve(ServerTransport::streams(reader, writer)));
    (here, serving)
}

pub(crate) async fn connect_as(
    server: McpServer,
    client: Client,
    lifecycle: Lifecycle,
) -> Connected {
    let (stream, serving) = spawn(server);
    let running = serve_client_with_lifecycle(client, stream, lifecycle.mode());
    (running.await.unwrap(), serving)
}

pub(crate) async fn connect(server: McpServer) -> Connected {
    connect_as(server, Client::default(), Lifecycle::Handshake).await
}

pub(crate) fn call(name: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else {
        panic!("no object");
    };
    CallToolRequestParams::new(name).with_arguments(arguments)
}

pub(crate) fn text(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|block| block.as_text());
    let texts: Vec<&str> = texts.map(|text| text.text.as_str()).collect();
    texts.join("\n")
}

pub(crate) fn is_error(result: &CallToolResult) -> bool {
    result.is_error == Some(true)
}

/// The code and the message of an error of the protocol.
pub(crate) fn protocol_error(error: ServiceError) -> (i32, String) {
    match error {
        ServiceError::McpError(error) => (error.code.0, error.message.into_owned()),
        other => panic!("{other}"),
    }
}

pub(crate) fn yes() -> ElicitResult {
    use tinyagents::mcp::rmcp::model::ElicitationAction;
    ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "approve": true }))
}
