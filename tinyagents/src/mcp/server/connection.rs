//! The server's side of one connection.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures::FutureExt as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, DiscoverResult, InitializeRequestParams,
    InitializeResult, ListToolsResult, PaginatedRequestParams, ServerConfig, SubscriptionFilter,
    Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::OnceCell;

use super::call::{Call, refused};
use super::listing;
use super::places::SessionPlaces;
use super::reply::failure;
use super::session::{McpSession, Session};
use super::shared::Server;
use super::subscription::Subscription;
use crate::error::TinyAgentsError;

/// What answers the requests of one connection; over HTTP without sessions, those of one request.
pub(super) struct Connection {
    server: Arc<Server>,
    session: OnceCell<Session>,
    places: SessionPlaces,
    refusal: Refusal,
    /// The client has said that it is ready.
    is_ready: AtomicBool,
}

/// Why the host has refused the session; for the host alone. The lock is held to put and to take.
pub(super) type Refusal = Arc<Mutex<Option<TinyAgentsError>>>;

impl Connection {
    pub(super) fn new(server: Arc<Server>) -> Self {
        Self {
            server,
            session: OnceCell::new(),
            places: SessionPlaces::new(),
            refusal: Refusal::default(),
            is_ready: AtomicBool::new(false),
        }
    }

    /// Where it will be said why the session was refused, if it is.
    pub(super) fn refusal(&self) -> Refusal {
        Arc::clone(&self.refusal)
    }

    /// The session; begun by whatever the client asks for first.
    async fn session(&self, context: &RequestContext<RoleServer>) -> Result<&Session, ErrorData> {
        if let Some(session) = self.session.get() {
            return Ok(session);
        }
        let open = || Session::open(&self.server, McpSession::of(context));
        let begun = Box::pin(self.session.get_or_try_init(open)).await;
        begun.map_err(|error| {
            tracing::error!(%error, "a session was refused");
            let refusal = self.refusal.lock();
            *refusal.unwrap_or_else(PoisonError::into_inner) = Some(error);
            ErrorData::internal_error("the session was refused", None)
        })
    }

    /// The server as this session sees it.
    async fn described(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<ServerConfig, ErrorData> {
        let _place = self.places.for_other()?;
        let session = self.session(context).await?;
        let mut info = self.server.info.clone();
        let instructions = self.server.dispatcher.instructions(&session.ctx).await;
        let own = info.instructions.take();
        let instructions: Vec<String> = own
            .into_iter()
            .chain(instructions.map_err(refused)?)
            .collect();
        info.instructions = (!instructions.is_empty()).then(|| instructions.join("\n\n"));
        Ok(info)
    }

    /// Tells the client where what it was told before is no longer so.
    async fn tell_of_changes(&self, session: &Session, context: &RequestContext<RoleServer>) {
        let has_handshake = context
            .protocol_version()
            .is_none_or(|version| version.has_initialize());
        if !has_handshake {
            // What this client was told, only the request knows in which it listens.
            self.server.calls.notify();
            return;
        }
        if !session.has_listed() {
            return;
        }
        let Ok(turn) = session.turn(&self.server, &session.ctx).await else {
            return;
        };
        if session.has_changed(&turn) {
            // A client that is gone needs no news.
            drop(context.peer.notify_tool_list_changed().await);
        }
    }
}

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        self.server.info.clone()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let InitializeResult { instructions, .. } = answered(self.described(&context)).await?;
        let mut result = self.negotiate_initialize(&request)?;
        result.instructions = instructions;
        Ok(result)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let info = answered(self.described(&context)).await?;
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, info))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // There is one page.
        if request.is_some_and(|request| request.cursor.is_some()) {
            return Err(ErrorData::invalid_params("unknown cursor", None));
        }
        let _place = self.places.for_other()?;
        answered(async {
            let session = self.session(&context).await?;
            let turn = session.turn(&self.server, &session.ctx).await?;
            session.note_listed(&turn);
            Ok(ListToolsResult::with_all_items(listing::tools(&turn)))
        })
        .await
    }

    /// Asked for by the transport, which compares headers with the arguments that they repeat. It can't wait, so tools of
    /// sets are not found.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        listing::tool_with_headers(self.server.dispatcher.registered_schema(name)?)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(_place) = self.places.for_call(&self.server.places) else {
            let text = "not run: too many calls have no answer yet; call again when some have one";
            return Ok(failure(text).into());
        };
        answered(async {
            let session = self.session(&context).await?;
            let call = Call {
                server: &self.server,
                session,
                client: &context,
            };
            let answer = call.run(request).await;
            if self.server.dispatcher.may_vary() {
                Box::pin(self.tell_of_changes(session, &context)).await;
            }
            answer
        })
        .await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let Some(session) = self.session.get() else {
            return;
        };
        // Once is enough to be told of each change.
        if self.is_ready.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut news = self.server.changes.subscribe();
        let ended = session.token.clone();
        // It ends with the session.
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = ended.cancelled() => return,
                    told = news.changed() => {
                        if told.is_err() || context.peer.notify_tool_list_changed().await.is_err() {
                            return;
                        }
                    }
                }
            }
        });
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let _place = self.places.for_other()?;
        answered(async {
            let session = self.session(context.request_context()).await?;
            Subscription::begin(&self.server, session, context)
                .await?
                .run()
                .await
        })
        .await
    }
}

/// The answer, also where the host's code panics: the client would wait for it for ever.
fn answered<'a, T: 'a>(
    answer: impl Future<Output = Result<T, ErrorData>> + Send + 'a,
) -> impl Future<Output = Result<T, ErrorData>> + Send + 'a {
    // The protocol's crate moves its future about several times before it runs; a pointer is moved at less cost.
    let answer = Box::pin(AssertUnwindSafe(answer).catch_unwind());
    answer.map(|answered| {
        answered.unwrap_or_else(|_| {
            tracing::error!("a request could not be answered: something of the host has panicked");
            let text = "the server could not answer the request";
            Err(ErrorData::internal_error(text, None))
        })
    })
}
