//! A client that listens for changes of the list of tools.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::service::SubscriptionContext;
use tokio::sync::watch;

use super::session::Session;
use super::shared::Server;
use crate::model::ToolSchema;

/// One request of a client that listens. Over HTTP it is a session of its own, so it has to know by itself what there was
/// when it began: the calls are in other ones.
pub(super) struct Subscription<'a> {
    server: &'a Server,
    session: &'a Session,
    client: SubscriptionContext,
    told: Arc<[ToolSchema]>,
    /// What the host tells.
    news: watch::Receiver<u64>,
    /// Calls, each of which may have changed something.
    calls: watch::Receiver<u64>,
}

impl<'a> Subscription<'a> {
    pub(super) async fn begin(
        server: &'a Server,
        session: &'a Session,
        client: SubscriptionContext,
    ) -> Result<Self, ErrorData> {
        let (news, calls) = (server.changes.subscribe(), server.calls.subscribe());
        let turn = session.turn(server, &session.ctx).await?;
        Ok(Self {
            server,
            session,
            client,
            told: turn.shared_schemas(),
            news,
            calls,
        })
    }

    /// Tells the client of each change, until it has enough.
    pub(super) async fn run(mut self) -> Result<(), ErrorData> {
        loop {
            let is_news = tokio::select! {
                () = self.client.cancelled() => return Ok(()),
                told = self.news.changed() => told.map(|()| true),
                called = self.calls.changed() => called.map(|()| false),
            };
            let Ok(is_news) = is_news else {
                return Ok(());
            };
            if !self.has_changed().await && !is_news {
                continue;
            }
            if self.client.sink().notify_tool_list_changed().await.is_err() {
                return Ok(());
            }
        }
    }

    async fn has_changed(&mut self) -> bool {
        let session = self.session;
        let Ok(turn) = session.turn(self.server, &session.ctx).await else {
            return false;
        };
        let now = turn.shared_schemas();
        let is_same = Arc::ptr_eq(&self.told, &now) || *self.told == *now;
        self.told = now;
        !is_same
    }
}
