//! A client that listens for changes of the list of tools.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::service::SubscriptionContext;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::session::Session;
use super::shared::Server;
use crate::model::ToolSchema;

/// After a look at the tools the calls of so long a time are one reason for the next look: each asks the toolsets.
const REST: Duration = Duration::from_secs(1);

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
    /// When they are a reason to look again.
    rested: Instant,
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
            rested: Instant::now(),
        })
    }

    /// Tells the client of each change, until it has enough or the host cancels the session's context. What has happened
    /// before that is told first.
    pub(super) async fn run(mut self) -> Result<(), ErrorData> {
        loop {
            let is_news = tokio::select! {
                biased;
                () = self.client.cancelled() => return Ok(()),
                told = self.news.changed() => told.map(|()| true),
                called = called(&mut self.calls, self.rested, &self.session.token) => called.map(|()| false),
                () = self.session.token.cancelled() => return Ok(()),
            };
            let Ok(is_news) = is_news else {
                return Ok(());
            };
            let now = tokio::select! {
                biased;
                () = self.client.cancelled() => return Ok(()),
                now = self.session.turn(self.server, &self.session.ctx) => now.ok(),
                () = self.session.token.cancelled() => return Ok(()),
            };
            self.rested = Instant::now() + REST;
            let has_changed = now.is_some_and(|now| self.note(now.shared_schemas()));
            if !has_changed && !is_news {
                continue;
            }
            if self.client.sink().notify_tool_list_changed().await.is_err() {
                return Ok(());
            }
        }
    }

    /// Notes what there is now; whether the client was told something else.
    fn note(&mut self, now: Arc<[ToolSchema]>) -> bool {
        let is_same = Arc::ptr_eq(&self.told, &now) || *self.told == *now;
        self.told = now;
        !is_same
    }
}

/// The next call that has ended, after a rest; at the end there is none.
async fn called(
    calls: &mut watch::Receiver<u64>,
    rested: Instant,
    ended: &CancellationToken,
) -> Result<(), watch::error::RecvError> {
    tokio::select! {
        () = sleep_until(rested) => {}
        () = ended.cancelled() => {}
    }
    calls.changed().await
}
