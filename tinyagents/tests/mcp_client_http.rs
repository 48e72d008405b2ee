//! MCP servers behind an address, in this process.

#![cfg(feature = "mcp")]
#![allow(missing_docs, clippy::unwrap_used)]

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::json;
use tinyagents::RunContext;
use tinyagents::mcp::{McpHttp, McpToolSet};
use tinyagents::toolset::ToolSet;
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinHandle;

/// One tool, `say`, that says what it was made to say.
#[derive(Clone)]
struct Says(&'static str);

impl ServerHandler for Says {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({ "type": "object" }).as_object().cloned().unwrap();
        Ok(ListToolsResult::with_all_items(vec![Tool::new(
            "say", "Say.", schema,
        )]))
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::success(vec![ContentBlock::text(self.0)]).into())
    }
}

type Heads = Arc<Mutex<Vec<String>>>;

/// Serves at this address; writes down the `authorization` and `x-key` of every request.
async fn serve(address: SocketAddr, says: Says) -> (SocketAddr, JoinHandle<()>, Heads) {
    let listener = TcpListener::bind(address).await.unwrap();
    let address = listener.local_addr().unwrap();
    let sessions = Arc::new(LocalSessionManager::default());
    let config = StreamableHttpServerConfig::default();
    let service = StreamableHttpService::new(move || Ok(says.clone()), sessions, config);
    let heads = Heads::default();
    let seen = Arc::clone(&heads);
    let note = move |request: Request, next: Next| {
        let header = |name: &str| {
            let value = request.headers().get(name);
            value
                .map_or("-", |value| value.to_str().unwrap())
                .to_owned()
        };
        let head = format!("{} {}", header("authorization"), header("x-key"));
        seen.lock().unwrap().push(head);
        async move { Response::from(next.run(request).await) }
    };
    let app = Router::new().fallback_service(service).layer(from_fn(note));
    let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    (address, server, heads)
}

/// The cause of a failure that may pass.
fn text(error: &anyhow::Error) -> String {
    error.chain().last().unwrap().to_string()
}

async fn say(set: &McpToolSet) -> String {
    let said = set.call("say", json!({}), &RunContext::new()).await;
    said.map_or_else(|error| text(&error.into()), |result| result.text())
}

#[tokio::test]
async fn tools_behind_an_address_are_called_with_the_headers_of_the_host() {
    let (address, server, heads) = serve(([127, 0, 0, 1], 0).into(), Says("hi")).await;
    let there = McpHttp::new(format!("http://{address}/mcp"))
        .with_bearer_token("t0ken")
        .with_header("x-key", "h1dden");
    let set = McpToolSet::connect(there).await.unwrap();
    assert_eq!(say(&set).await, "hi");
    set.close().await;
    let heads = heads.lock().unwrap();
    assert!(
        heads.len() >= 4 && heads.iter().all(|head| head == "Bearer t0ken h1dden"),
        "{heads:?}"
    );
    server.abort();
}

#[tokio::test]
async fn a_server_that_was_started_anew_is_greeted_again_before_the_call() {
    let (address, server, _) = serve(([127, 0, 0, 1], 0).into(), Says("first")).await;
    let set = McpToolSet::connect(McpHttp::new(format!("http://{address}/")))
        .await
        .unwrap();
    assert_eq!(say(&set).await, "first");
    server.abort();
    let _ = server.await;
    let (_, server, _) = serve(address, Says("second")).await;
    // It has forgotten the session, and so has surely not made the call.
    assert_eq!(say(&set).await, "second");
    server.abort();
}

#[tokio::test]
async fn a_server_that_is_away_is_said_to_be_and_found_again() {
    let (address, server, _) = serve(([127, 0, 0, 1], 0).into(), Says("hi")).await;
    let set = McpToolSet::connect(McpHttp::new(format!("http://{address}/?key=s3cret")))
        .await
        .unwrap();
    server.abort();
    let _ = server.await;
    let said = say(&set).await;
    assert!(
        said.contains("`say` failed: ") && !said.contains("s3cret"),
        "{said}"
    );
    let said = say(&set).await;
    assert_eq!(said, "`say` was not run: its server is not available");
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(30)).await;
    tokio::time::resume();
    let (_, server, _) = serve(address, Says("back")).await;
    assert_eq!(say(&set).await, "back");
    server.abort();
}

/// What a host is told of an address where every request is answered like this.
async fn told(status: u16, headers: &[(&str, &str)], body: &'static str) -> String {
    let headers: Vec<(String, String)> = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let answer = move || {
        let mut answer = Response::builder().status(status);
        for (name, value) in &headers {
            answer = answer.header(name, value);
        }
        let answer = answer.body(axum::body::Body::from(body)).unwrap();
        async move { answer }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = Router::new().fallback(answer);
    let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let outcome = McpToolSet::connect(McpHttp::new(format!("http://{address}/mcp"))).await;
    server.abort();
    outcome.unwrap_err().to_string()
}

#[tokio::test]
async fn an_address_without_a_server_says_what_to_look_at() {
    let page = [("content-type", "text/html")];
    let challenge = [("www-authenticate", "Bearer")];
    for (error, hint) in [
        (
            told(200, &page, "<p>hello</p>").await,
            "is this the address of its endpoint, such as `/mcp`?",
        ),
        (
            told(404, &page, "<p>nothing</p>").await,
            "is this the address of its endpoint, such as `/mcp`?",
        ),
        (
            told(401, &challenge, "").await,
            "`McpHttp::with_bearer_token`",
        ),
        (told(401, &[], "").await, "`McpHttp::with_bearer_token`"),
        (told(503, &[], "").await, "503"),
    ] {
        assert!(error.contains(hint), "{error}");
        assert!(
            !error.contains("rmcp") && !error.contains("::Client"),
            "{error}"
        );
    }
    // It has the port, so that nobody else gets it, and doesn't listen.
    let closed = TcpSocket::new_v4().unwrap();
    closed.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = closed.local_addr().unwrap();
    let outcome = McpToolSet::connect(McpHttp::new(format!("http://{address}/mcp"))).await;
    let error = outcome.unwrap_err().to_string();
    assert!(error.contains("is the server running"), "{error}");
}
