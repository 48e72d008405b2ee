//! Streamable HTTP.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::HOST;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::connection::Connection;
use super::error::McpServeError;
use super::sessions::{BoundedSessions, noting_refusal};
use super::shared::Server;

/// More connections wait until others are closed.
const MOST_CONNECTIONS: usize = 1_024;
/// The wait after the system had no more descriptors or memory for a connection.
const PAUSE: Duration = Duration::from_millis(100);
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

type Reply = Response<BoxBody<Bytes, Infallible>>;
type Service = StreamableHttpService<Connection, BoundedSessions>;

/// Streamable HTTP, by default for clients on this machine alone.
///
/// A request has to name one of the server's hosts (`Host`), and one that a page in a browser makes (`Origin`) has to come
/// from an allowed page: else a page anywhere could use the server through a name of its own that leads here. There is no
/// TLS and no authentication; put a proxy in front where others can reach the server.
///
/// The request's body may have 4 MiB. There are at most 1,024 connections, and as many sessions: a further connection
/// waits, and a further session is refused (status 503) until another has ended; an idle one ends after five minutes.
/// Sessions of clients that left before their answer are among these.
/// Requests of revision 2026-07-28 begin no session, and leave nothing behind.
#[derive(Debug)]
pub struct HttpTransport {
    listener: TcpListener,
    hosts: Vec<String>,
    origins: Vec<String>,
    path: String,
}

impl HttpTransport {
    /// Listens on a loopback address; port 0 is any free one. The server answers as `localhost`, `127.0.0.1` and `[::1]`,
    /// and to pages of these.
    ///
    /// # Errors
    /// [`NotLoopback`](McpServeError::NotLoopback) for an address that other machines can reach;
    /// [`Io`](McpServeError::Io) when it can't be listened on.
    pub async fn bind(address: SocketAddr) -> Result<Self, McpServeError> {
        if !address.ip().is_loopback() {
            return Err(McpServeError::NotLoopback { address });
        }
        let hosts = LOOPBACK.map(str::to_owned).to_vec();
        let origins = LOOPBACK.map(|host| format!("http://{host}:*")).to_vec();
        Self::listen(address, hosts, origins).await
    }

    /// Listens on any address, for clients that call the server by one of these names, such as `mcp.example.com` or
    /// `mcp.example.com:8080`. No page of a browser may use it, unless [allowed](Self::with_allowed_origins).
    ///
    /// # Errors
    /// [`NoHosts`](McpServeError::NoHosts) without any name; [`Io`](McpServeError::Io) when the address can't be listened
    /// on.
    pub async fn bind_public(
        address: SocketAddr,
        hosts: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, McpServeError> {
        let hosts: Vec<String> = hosts.into_iter().map(Into::into).collect();
        if hosts.is_empty() {
            return Err(McpServeError::NoHosts);
        }
        Self::listen(address, hosts, Vec::new()).await
    }

    async fn listen(
        address: SocketAddr,
        hosts: Vec<String>,
        origins: Vec<String>,
    ) -> Result<Self, McpServeError> {
        Ok(Self {
            listener: TcpListener::bind(address).await?,
            hosts,
            origins,
            path: "/mcp".to_owned(),
        })
    }

    /// Sets which pages of a browser may use the server, such as `https://app.example.com:443`, or `http://localhost:*`
    /// for any port.
    #[must_use]
    pub fn with_allowed_origins(
        mut self,
        origins: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.origins = origins.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the path. Default: `/mcp`.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Where it listens.
    ///
    /// # Errors
    /// [`Io`](McpServeError::Io) when the system can't tell.
    pub fn local_addr(&self) -> Result<SocketAddr, McpServeError> {
        Ok(self.listener.local_addr()?)
    }

    /// Serves until the future is dropped; then every session and connection ends.
    pub(super) async fn serve(self, server: Arc<Server>) -> Result<(), McpServeError> {
        let ended = CancellationToken::new();
        let _end = ended.clone().drop_guard();
        let sessions = Arc::new(BoundedSessions::default());
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(self.hosts)
            .with_allowed_origins(self.origins)
            .enforce_origin_validation()
            .with_cancellation_token(ended);
        let connect = move || Ok(Connection::new(Arc::clone(&server)));
        let endpoint = Arc::new(Endpoint {
            service: StreamableHttpService::new(connect, sessions, config),
            path: self.path,
        });
        let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        // Dropped with this future, which ends them.
        let mut connections = JoinSet::new();
        loop {
            while connections.try_join_next().is_some() {}
            let Ok(place) = Arc::clone(&places).acquire_owned().await else {
                return Ok(());
            };
            let stream = accept(&self.listener).await?;
            let endpoint = Arc::clone(&endpoint);
            connections.spawn(async move {
                serve_connection(stream, endpoint).await;
                drop(place);
            });
        }
    }
}

/// The next connection. A client that is gone again, or a system without a descriptor left, doesn't end the server.
async fn accept(listener: &TcpListener) -> Result<TcpStream, std::io::Error> {
    loop {
        let error = match listener.accept().await {
            Ok((stream, _)) => return Ok(stream),
            Err(error) => error,
        };
        match error.kind() {
            ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionRefused
            | ErrorKind::Interrupted => {}
            ErrorKind::InvalidInput | ErrorKind::NotConnected => return Err(error),
            _ => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

async fn serve_connection(stream: TcpStream, endpoint: Arc<Endpoint>) {
    // Answers are small and awaited.
    drop(stream.set_nodelay(true));
    let service = service_fn(move |request| {
        let endpoint = Arc::clone(&endpoint);
        async move { Ok::<_, Infallible>(endpoint.answer(request).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// The one address of the server.
struct Endpoint {
    service: Service,
    path: String,
}

impl Endpoint {
    async fn answer(&self, request: Request<Incoming>) -> Reply {
        if request.uri().path() != self.path {
            return refused(StatusCode::NOT_FOUND, "there is nothing at this path");
        }
        if request.headers().get_all(HOST).iter().count() > 1 {
            return refused(StatusCode::BAD_REQUEST, "more than one Host");
        }
        // A pointer to the future is moved at less cost.
        let handled = Box::pin(self.service.handle(request));
        let (reply, was_refused) = noting_refusal(handled).await;
        if was_refused {
            return refused(StatusCode::SERVICE_UNAVAILABLE, "too many sessions");
        }
        reply
    }
}

fn refused(status: StatusCode, text: &'static str) -> Reply {
    let mut reply = Response::new(Full::from(text).boxed());
    *reply.status_mut() = status;
    reply
}
