//! A server's tools as a set.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;
use tinytools::{Tool, async_trait};

use super::opener::Live;
use super::pins::Pins;
use super::server::Server;
use super::shown::Shown;
use super::{McpChange, McpError, McpLeftOut, McpToolSetBuilder, McpTransport};
use crate::clip::clip_bytes;
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::toolset::{ExposedTools, ToolSet};

/// Longest instructions that are taken from a trusted server.
const MAX_INSTRUCTIONS: usize = 16 * 1024;

/// The tools of a server of the Model Context Protocol.
///
/// Nothing that the server says is taken for granted:
/// - Its tools are unclassified and count as the most dangerous ones, whatever it says of them, unless the host
///   [trusts it](McpToolSetBuilder::trusting_server). Without a policy in force they run all the same, as all unclassified
///   tools do.
/// - Names become canonical ones ([`OutsideNames`](crate::OutsideNames)).
/// - A definition is accepted when it is first seen, and pinned by its hash. When the server gives another one, each call
///   of the tool needs approval, with or without a policy in force, until the host has called [`accept`](Self::accept); a
///   run without anybody to approve stops there. The model is shown the new definition; a host that doesn't want that
///   filters the tool out by [`changes`](Self::changes). [`pins`](Self::pins) keep what was accepted for another day.
/// - A call is made of the definition that the model was shown, or not at all.
/// - A tool that can't be used is [left out](Self::left_out) alone: a schema that doesn't compile or is too large, a second
///   tool of one name, one too many.
/// - What it asks for is refused: sampling and roots always, elicitation unless the host has set
///   [somebody to answer](McpToolSetBuilder::with_elicitation_handler). What is refused isn't offered to it either.
///
/// A server that is gone is started or reached again by the next turn or call that needs it, with growing waits when it
/// keeps failing. The calls that were under way are each answered once, as failed, and with the word that the effect may
/// have happened; the effect ledger notes them as interrupted. While the server is away, the last known tools are shown, and
/// an [`AgentEvent::Custom`](crate::AgentEvent::Custom) of each turn tells why.
///
/// The protocol is spoken by the crate `rmcp`, whose own `tracing` events have the server's notifications in them, and at
/// `debug` and `trace` arguments and results as well. A host that keeps those out of its logs filters the target `rmcp`.
///
/// Clones are the same set. When the last of it and of its tools is dropped, the connection is closed in the background;
/// [`close`](Self::close) waits for that.
///
/// ```no_run
/// use tinyagents::AgentHarness;
/// use tinyagents::mcp::{McpToolSet, McpTransport};
/// use tinyagents::toolset::ToolSetExt;
/// use tokio::process::Command;
///
/// # async fn example() -> Result<(), tinyagents::TinyAgentsError> {
/// let mut server = Command::new("npx");
/// server.args(["-y", "@modelcontextprotocol/server-filesystem", "/srv/files"]);
/// let files = McpToolSet::connect(server).await?;
///
/// let mut harness: AgentHarness<()> = AgentHarness::new();
/// harness.with_toolset(files.clone().filtered(|tool, _| tool.name() != "write_file").prefixed("files"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct McpToolSet(Arc<Inner>);

struct Inner {
    server: Arc<Server>,
    is_trusted: bool,
    /// The lock is held to look and to put, never across an await.
    state: Mutex<State>,
}

struct State {
    shown: Arc<Shown>,
    pins: Pins,
    instructions: Option<String>,
}

impl McpToolSet {
    /// Reaches a server, and lists its tools.
    ///
    /// # Errors
    /// When the server can't be reached or doesn't list its tools in time.
    pub async fn connect(transport: impl Into<McpTransport>) -> Result<Self, McpError> {
        Self::builder(transport).connect().await
    }

    /// The same with settings.
    #[must_use]
    pub fn builder(transport: impl Into<McpTransport>) -> McpToolSetBuilder {
        McpToolSetBuilder::new(transport.into())
    }

    pub(super) async fn open(
        server: Arc<Server>,
        is_trusted: bool,
        pins: Pins,
    ) -> Result<Self, McpError> {
        let live = server.live().await?;
        let set = Self(Arc::new(Inner {
            server,
            is_trusted,
            state: Mutex::new(State {
                shown: Arc::default(),
                pins,
                instructions: None,
            }),
        }));
        set.0.show(&live);
        Ok(set)
    }

    /// The tools of the server that are not shown, and why; as they were listed last.
    #[must_use]
    pub fn left_out(&self) -> Vec<McpLeftOut> {
        self.0.state().shown.left_out.clone()
    }

    /// The tools whose definition is not the accepted one; as they were listed last.
    #[must_use]
    pub fn changes(&self) -> Vec<McpChange> {
        self.0.state().shown.changes.clone()
    }

    /// Accepts the definition that a change is about; `false` where the server has another one by now.
    #[expect(
        clippy::must_use_candidate,
        reason = "who has looked at the list a moment ago needs no answer"
    )]
    pub fn accept(&self, change: &McpChange) -> bool {
        let mut state = self.0.state();
        let shown = Arc::clone(&state.shown);
        let definitions = &shown.listing().definitions;
        let accepted = definitions.iter().find(|definition| {
            definition.name.as_str() == change.tool && definition.hash == change.current
        });
        if let Some(definition) = accepted {
            state.pins.accept(definition);
            self.0.show_again(&mut state);
        }
        accepted.is_some()
    }

    /// The hashes of the accepted definitions by the tools' canonical names, for
    /// [`with_pins`](McpToolSetBuilder::with_pins) of a later process.
    #[must_use]
    pub fn pins(&self) -> BTreeMap<String, String> {
        self.0.state().pins.accepted().clone()
    }

    /// Closes the connection for good, and waits until nothing is left of it: the server has ended, or was killed. Calls
    /// that are under way are answered as when the server goes away.
    pub async fn close(&self) {
        self.0.server.close().await;
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is shown of a connection's tools.
    fn show(&self, live: &Live) -> Arc<Shown> {
        let mut state = self.state();
        if !state.shown.is_of(&live.listing) {
            let State { shown, pins, .. } = &mut *state;
            let listing = Arc::clone(&live.listing);
            *shown = Arc::new(Shown::new(
                listing,
                shown,
                &self.server,
                self.is_trusted,
                pins,
            ));
            let instructions = live.connection.instructions();
            state.instructions = instructions.map(|text| clip_bytes(&text, MAX_INSTRUCTIONS));
        }
        Arc::clone(&state.shown)
    }

    fn show_again(&self, state: &mut State) {
        let State { shown, pins, .. } = state;
        let listing = Arc::clone(shown.listing());
        *shown = Arc::new(Shown::new(
            listing,
            shown,
            &self.server,
            self.is_trusted,
            pins,
        ));
    }
}

#[async_trait]
impl ToolSet for McpToolSet {
    async fn tools(&self, ctx: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        self.exposed(ctx).await.map(|exposed| exposed.tools)
    }

    async fn exposed(&self, ctx: &RunContext) -> Result<ExposedTools, TinyAgentsError> {
        let shown = match self.0.server.live().await {
            Ok(live) => self.0.show(&live),
            Err(error @ McpError::Closed { .. }) => return Err(error.into()),
            Err(error) => {
                ctx.custom(json!({
                    "mcp_server": self.0.server.opener.name,
                    "unavailable": error.to_string(),
                }));
                Arc::clone(&self.0.state().shown)
            }
        };
        Ok(shown.exposed.clone())
    }

    fn instructions(&self) -> Option<String> {
        let instructions = self.0.state().instructions.clone();
        instructions.filter(|text| self.0.is_trusted && !text.trim().is_empty())
    }

    fn name(&self) -> String {
        format!("the MCP server `{}`", self.0.server.opener.name)
    }
}

impl fmt::Debug for McpToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpToolSet")
            .field("server", &self.0.server.opener.name)
            .field("tools", &self.0.state().shown.exposed)
            .finish_non_exhaustive()
    }
}
