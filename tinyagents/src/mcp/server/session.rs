//! One client's session.

use std::fmt::{self, Write as _};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hyper::http::request::Parts;
use rmcp::model::Implementation;
use rmcp::service::{Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::call;
use super::shared::Server;
use crate::context::RunContext;
use crate::dispatch::{SessionGate, Turn};
use crate::error::TinyAgentsError;
use crate::model::ToolSchema;

/// What is known of a client when its session begins; a [session provider](super::McpServer::with_sessions) gets it.
pub struct McpSession {
    peer: Peer<RoleServer>,
    client: Option<Implementation>,
    request: Option<Parts>,
}

impl McpSession {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        Self {
            peer: context.peer.clone(),
            client: context.client_info(),
            request: context.extensions.get::<Parts>().cloned(),
        }
    }

    /// What the client calls itself. It says so, and nobody has checked it.
    #[must_use]
    pub fn client_name(&self) -> Option<&str> {
        Some(self.client.as_ref()?.name.as_str())
    }

    /// The header of the HTTP request that began the session, such as `Authorization`; none over other transports.
    ///
    /// Requests of the session that follow are known by its id alone: whoever checks credentials by this must check them
    /// in front of the server for the others.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.request.as_ref()?.headers.get(name)?.to_str().ok()
    }

    /// The way back to the client, for tools that ask it for something; provide a clone of it to them.
    #[must_use]
    pub fn peer(&self) -> &Peer<RoleServer> {
        &self.peer
    }
}

impl fmt::Debug for McpSession {
    /// Shows what the client calls itself: headers may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpSession")
            .field("client", &self.client_name())
            .finish_non_exhaustive()
    }
}

/// A session as the server holds it.
pub(super) struct Session {
    pub(super) ctx: RunContext,
    pub(super) gate: Arc<SessionGate>,
    /// What it can call, where that stays the same.
    fixed: Option<Turn>,
    /// The parent of every call's token; cancelled when the session is gone.
    pub(super) token: CancellationToken,
    _end: DropGuard,
    /// What ids of its calls begin with; no other session has the same, for all practical purposes.
    call_prefix: String,
    next_call: AtomicU64,
    /// What the client was told last. The lock is held to look and to put.
    listed: Mutex<Option<Arc<[ToolSchema]>>>,
}

impl Session {
    /// Begins a session: its context is made, and everything that a tool can't do without must be in it.
    pub(super) async fn open(server: &Server, client: McpSession) -> Result<Self, TinyAgentsError> {
        let ctx = server.context(&client)?;
        let gate = Arc::new(SessionGate::new(&server.policy));
        let turn = server.dispatcher.turn_of(&gate, &ctx).await?;
        turn.check_injections(&ctx)?;
        let token = ctx.cancellation_token().child_token();
        Ok(Self {
            gate,
            fixed: (!server.dispatcher.may_vary()).then_some(turn),
            _end: token.clone().drop_guard(),
            token,
            ctx,
            call_prefix: format!("call-{:016x}-", RandomState::new().hash_one(0_u8)),
            next_call: AtomicU64::new(1),
            listed: Mutex::default(),
        })
    }

    /// What the session can call, where that stays the same.
    pub(super) fn fixed_turn(&self) -> Option<&Turn> {
        self.fixed.as_ref()
    }

    /// What the session can call now.
    pub(super) async fn turn(&self, server: &Server, ctx: &RunContext) -> Result<Turn, ErrorData> {
        let turn = server.dispatcher.turn_of(&self.gate, ctx).await;
        turn.map_err(call::refused)
    }

    /// An id that no other call has, for all practical purposes: clients repeat theirs, and the contexts of several
    /// sessions may be of one run, whose ledger knows calls by their ids.
    pub(super) fn next_call_id(&self) -> String {
        let call = self.next_call.fetch_add(1, Ordering::Relaxed);
        let mut id = String::with_capacity(self.call_prefix.len() + 8);
        id.push_str(&self.call_prefix);
        // Writing to a `String` can't fail.
        let _ = write!(id, "{call}");
        id
    }

    /// Notes what the client is told.
    pub(super) fn note_listed(&self, turn: &Turn) {
        *self.listed() = Some(turn.shared_schemas());
    }

    /// Whether the client has ever asked what there is.
    pub(super) fn has_listed(&self) -> bool {
        self.listed().is_some()
    }

    /// Whether the client was told something else; it is told once of each change.
    pub(super) fn has_changed(&self, turn: &Turn) -> bool {
        let now = turn.shared_schemas();
        let mut listed = self.listed();
        let Some(told) = &*listed else {
            return false;
        };
        let is_same = Arc::ptr_eq(told, &now) || **told == *now;
        *listed = Some(now);
        !is_same
    }

    fn listed(&self) -> std::sync::MutexGuard<'_, Option<Arc<[ToolSchema]>>> {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
