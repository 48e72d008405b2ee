//! How a server's tools are taken.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::elicitation::Questions;
use super::opener::Opener;
use super::pins::Pins;
use super::server::Server;
use super::{McpElicitationHandler, McpError, McpLimits, McpToolSet, McpTransport};

/// How a server's tools are taken; made by [`McpToolSet::builder`].
pub struct McpToolSetBuilder {
    transport: McpTransport,
    name: Option<String>,
    limits: McpLimits,
    is_trusted: bool,
    pins: Option<BTreeMap<String, String>>,
    elicitation: Option<Arc<dyn McpElicitationHandler>>,
}

impl McpToolSetBuilder {
    pub(super) fn new(transport: McpTransport) -> Self {
        Self {
            transport,
            name: None,
            limits: McpLimits::default(),
            is_trusted: false,
            pins: None,
            elicitation: None,
        }
    }

    /// Gives the server a name, for errors and for searching. Default: the program's name, or the address.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Bounds what is waited for and taken.
    #[must_use]
    pub fn with_limits(mut self, limits: McpLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Takes the server at its word: its annotations become the tools' policies, and its instructions become part of the
    /// system prompt. Without this the tools are unclassified, as the most dangerous of tools are, and the instructions are
    /// not read. Only for a server that you would let write your own code.
    #[must_use]
    pub fn trusting_server(mut self) -> Self {
        self.is_trusted = true;
        self
    }

    /// Says which definitions are accepted, as [`McpToolSet::pins`] gave them before: a tool that is not among them, or is
    /// defined otherwise now, needs approval of each call. Default: whatever the server says of a tool first.
    #[must_use]
    pub fn with_pins(mut self, pins: BTreeMap<String, String>) -> Self {
        self.pins = Some(pins);
        self
    }

    /// Sets who answers what the server asks while it works on a call, such as whether a tool may run that needs approval
    /// over there. Default: nobody; the server is told that this client doesn't offer elicitation, and most then refuse
    /// the call.
    ///
    /// This is beside the host's own approvals, which are settled before the server hears of a call.
    #[must_use]
    pub fn with_elicitation_handler(
        mut self,
        handler: impl McpElicitationHandler + 'static,
    ) -> Self {
        self.elicitation = Some(Arc::new(handler));
        self
    }

    /// Reaches the server and lists its tools.
    ///
    /// # Errors
    /// When the server can't be reached or doesn't list its tools in time.
    pub async fn connect(self) -> Result<McpToolSet, McpError> {
        let name = self.name.unwrap_or_else(|| self.transport.name());
        let timeout = self.limits.call_timeout;
        let questions = self
            .elicitation
            .map(|handler| Questions::new(name.clone(), handler, timeout));
        let server = Server::new(Opener {
            questions,
            name,
            transport: self.transport,
            limits: self.limits,
        });
        let pins = self.pins.map_or_else(Pins::default, Pins::given);
        McpToolSet::open(server, self.is_trusted, pins).await
    }
}

impl fmt::Debug for McpToolSetBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpToolSetBuilder")
            .field("transport", &self.transport)
            .field("name", &self.name)
            .field("limits", &self.limits)
            .field("is_trusted", &self.is_trusted)
            .finish_non_exhaustive()
    }
}
