//! What a server may ask and tell us.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[expect(
    deprecated,
    reason = "older servers ask for it, and have to be told that there is none"
)]
use rmcp::model::ListRootsResult;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorCode, FormElicitationCapability, Implementation,
    ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};

use super::elicitation::Questions;
use super::progress::Progress;
use super::under_way::UnderWay;

/// Takes progress and news of the tool list, and questions where the host has somebody to answer them; refuses everything
/// else that a server may want of a client. Nothing of that was offered to it.
#[derive(Debug, Default)]
pub(super) struct Handler {
    pub(super) progress: Arc<Progress>,
    /// The server has said that its tools are others now.
    pub(super) is_stale: Arc<AtomicBool>,
    /// What the server was asked for: only while it works on that it may ask in turn.
    pub(super) under_way: UnderWay,
    questions: Option<Questions>,
}

impl Handler {
    pub(super) fn new(questions: Option<Questions>) -> Self {
        Self {
            questions,
            ..Self::default()
        }
    }
}

fn refused(what: &str) -> ErrorData {
    let text = format!("this client does not offer {what}");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None)
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = self
            .questions
            .as_ref()
            .map(|_| ElicitationCapability::new().with_form(FormElicitationCapability::default()));
        let mut config = ClientConfig::new(capabilities, us);
        config.protocol_version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        config
    }

    async fn create_elicitation(
        &self,
        asked: ElicitRequestParams,
        request: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let Some(questions) = &self.questions else {
            return Err(refused("elicitation"));
        };
        tokio::select! {
            biased;
            () = request.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
            () = self.under_way.ended() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
            answer = questions.ask(asked) => Ok(answer),
        }
    }

    #[expect(
        deprecated,
        reason = "older servers ask for it, and have to be told that there is none"
    )]
    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Err(refused("roots"))
    }

    async fn on_progress(
        &self,
        report: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.progress.take(report);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.is_stale.store(true, Ordering::Release);
    }
}
