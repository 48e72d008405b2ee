//! A server, before it serves.

use std::fmt;
use std::sync::Arc;

use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};

use super::changes::ToolListChanges;
use super::error::McpServeError;
use super::places::ServerPlaces;
use super::questions::OpenQuestions;
use super::session::McpSession;
use super::shared::{Provider, Server, Stating};
use super::streams;
use super::transport::{Kind, ServerTransport};
use crate::context::RunContext;
use crate::deferred::DeferredToolHandler;
use crate::dispatch::Dispatcher;
use crate::error::TinyAgentsError;
use crate::harness::{HostCapabilities, RunLimits, RunPolicy, UnknownToolPolicy};
use crate::middleware::Middleware;
use crate::registry::ToolRegistry;
use crate::toolset::ToolSet;

/// Tools as a server of the Model Context Protocol, with everything that a host can set.
///
/// A session is one run: its calls share a context, and the limits of the policy hold for all of them together.
///
/// A client of revision 2026-07-28 has no sessions over HTTP: there each request is one. Its context is made anew, so
/// whatever [`with_sessions`](Self::with_sessions) reads of its headers is checked each time, and is gone with the answer,
/// as is what a search has found. Limits hold for all the requests of a client where their contexts are
/// [children](RunContext::child) of one that the host keeps; calls of different requests don't wait for one another, as
/// those of different sessions don't. Such a client learns of changes of the list where it listens for them: at once of what
/// the [host tells](Self::tool_list_changes), within a second of what calls have changed.
///
/// What happens to a call:
/// - Arguments that the schema refuses, a policy that forbids the call, a limit and a failing tool are answered with
///   `isError`, in words for the model. An unknown tool is an error of the protocol.
/// - A call that needs approval is put to the person behind the client, where the client can ask; else it doesn't run,
///   and the answer says so. The same holds for calls whose answer comes from elsewhere.
/// - Of two arguments with one name the last one counts, as the protocol's crate reads JSON; unlike a model's text, which
///   is refused. Whatever checks the messages on their way must do likewise, or refuse them.
/// - A client's cancellation cancels the call's token, and a call that has not begun by then doesn't run. When a session ends, its calls do.
/// - Calls that are safe beside others run together, up to the policy's
///   [`max_concurrent_tools`](RunPolicy::max_concurrent_tools); any other one waits for those before it.
/// - At most 256 calls of a session, and 2,048 of the server, have no answer yet. A further one doesn't run, and is answered
///   at once with `isError`, which says to call again later; cancellations and answers are read all the while.
///
/// ```
/// use tinyagents::mcp::{McpServer, McpToolSet, McpTransport, ServerTransport};
/// use tinyagents::toolset::ToolSet;
/// use tinyagents::{RunContext, ToolRegistry, tool};
///
/// pub struct Desk {
///     name: &'static str,
/// }
///
/// /// Says whose desk this is.
/// #[tool(read_only)]
/// async fn whose(#[hidden] desk: &Desk) -> String {
///     desk.name.to_owned()
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut registry = ToolRegistry::new();
/// registry.register(WhoseTool)?;
/// let server = McpServer::new(registry)
///     .with_name("desk", "1.0.0")
///     .with_sessions(|_session| Ok(RunContext::new().provide(Desk { name: "Ada" })));
///
/// // Both ends in one process, over a pipe.
/// let (near, far) = tokio::io::duplex(4096);
/// let (reader, writer) = tokio::io::split(far);
/// let serving = tokio::spawn(server.serve(ServerTransport::streams(reader, writer)));
/// let (reader, writer) = tokio::io::split(near);
/// let desk = McpToolSet::connect(McpTransport::streams(reader, writer)).await?;
/// let tools = desk.tools(&RunContext::new()).await?;
/// assert_eq!(tools[0].name(), "whose");
/// desk.close().await;
/// serving.await??;
/// # Ok(())
/// # }
/// ```
#[must_use = "a server does nothing until it serves"]
pub struct McpServer {
    dispatcher: Dispatcher,
    policy: RunPolicy,
    info: Implementation,
    instructions: Option<String>,
    provider: Option<Arc<Provider>>,
    stating: Option<Arc<Stating>>,
    deferred_handler: Option<Arc<dyn DeferredToolHandler>>,
    changes: ToolListChanges,
}

impl McpServer {
    /// A server of the tools as they are registered now.
    pub fn new(registry: ToolRegistry) -> Self {
        Self {
            dispatcher: Dispatcher::new(registry),
            policy: RunPolicy {
                limits: RunLimits {
                    max_tool_calls: u32::MAX,
                    ..RunLimits::default()
                },
                ..RunPolicy::default()
            },
            info: Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
            instructions: None,
            provider: None,
            stating: None,
            deferred_handler: None,
            changes: ToolListChanges::new(),
        }
    }

    /// Sets what the server calls itself. Default: this crate's name and version.
    pub fn with_name(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.info = Implementation::new(name, version);
        self
    }

    /// Sets how the tools should be used; those of groups and toolsets follow. Default: none.
    pub fn with_instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Sets what makes the context of each session: its hidden values, its limits, its events. Asked for once, when the
    /// session begins; an error keeps it from beginning, as does a context without a value that a tool needs. It is logged,
    /// and over streams returned by [`serve`](Self::serve), but not told to the client. Default: a new [`RunContext`].
    ///
    /// Contexts that are children of one count their calls together.
    pub fn with_sessions(
        mut self,
        provider: impl Fn(&McpSession) -> Result<RunContext, TinyAgentsError> + Send + Sync + 'static,
    ) -> Self {
        self.provider = Some(Arc::new(provider));
        self
    }

    /// Sets the state that tools get for a hidden parameter of that type; cloned once per session. Default: none.
    pub fn with_state<S: Clone + Send + Sync + 'static>(mut self, state: S) -> Self {
        self.stating = Some(Arc::new(move |ctx| ctx.with_state(state.clone())));
        self
    }

    /// Replaces the policy. Default: [`RunPolicy::default`] without a bound on the calls of a session.
    ///
    /// [`UnknownToolPolicy::ReturnToolError`] is the same as `Fail` here: the protocol has an error for it.
    pub fn with_policy(mut self, policy: RunPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Adds a set of tools; otherwise as [`Dispatcher::with_toolset`].
    pub fn with_toolset(mut self, set: impl ToolSet + 'static) -> Self {
        self.dispatcher = self.dispatcher.with_toolset(set);
        self
    }

    /// Adds a middleware, after those that are there. Its tool hooks are called.
    pub fn with_middleware(mut self, middleware: impl Middleware + 'static) -> Self {
        self.dispatcher = self.dispatcher.with_middleware(middleware);
        self
    }

    /// Replaces what is enforced for sessions with a definition.
    pub fn with_host_capabilities(mut self, capabilities: HostCapabilities) -> Self {
        self.dispatcher = self.dispatcher.with_host_capabilities(capabilities);
        self
    }

    /// Sets who answers deferred calls, before the client is asked. Default: nobody.
    pub fn with_deferred_tool_handler(
        mut self,
        handler: impl DeferredToolHandler + 'static,
    ) -> Self {
        self.deferred_handler = Some(Arc::new(handler));
        self
    }

    /// What tells every client that the list of tools has changed.
    #[must_use]
    pub fn tool_list_changes(&self) -> ToolListChanges {
        self.changes.clone()
    }

    /// Serves until the client leaves; over HTTP until the future is dropped. Then no call runs any more, except for the
    /// threads of blocking tools, which are told.
    ///
    /// Where the client leaves with calls that run, these have five seconds to end by themselves.
    ///
    /// # Errors
    /// [`Tools`](McpServeError::Tools) when the tools can't be listed;
    /// [`MissingValue`](McpServeError::MissingValue) when, without a session provider, they need a hidden value;
    /// [`Handshake`](McpServeError::Handshake) and [`Io`](McpServeError::Io) when the transport fails.
    pub async fn serve(self, transport: impl Into<ServerTransport>) -> Result<(), McpServeError> {
        let server = Arc::new(self.into_server());
        server.check().await?;
        match transport.into().0 {
            Kind::Streams(reader, writer) => streams::serve(server, reader, writer).await,
            Kind::Http(http) => http.serve(server).await,
        }
    }

    fn into_server(self) -> Server {
        let mut policy = self.policy;
        if policy.unknown_tool == UnknownToolPolicy::ReturnToolError {
            policy.unknown_tool = UnknownToolPolicy::Fail;
        }
        let capabilities = ServerCapabilities::builder().enable_tools();
        let capabilities = if self.dispatcher.may_vary() {
            capabilities.enable_tool_list_changed()
        } else {
            capabilities
        };
        let mut info = ServerConfig::new(capabilities.build()).with_server_info(self.info);
        info.instructions = self.instructions;
        Server {
            dispatcher: self.dispatcher.with_policy(policy.clone()),
            policy,
            info,
            provider: self.provider,
            stating: self.stating,
            deferred_handler: self.deferred_handler,
            changes: self.changes,
            calls: ToolListChanges::new(),
            questions: OpenQuestions::default(),
            places: ServerPlaces::new(),
        }
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer")
            .field("name", &self.info.name)
            .field("dispatcher", &self.dispatcher)
            .finish_non_exhaustive()
    }
}
