//! One call, from the client's request to its answer.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use rmcp::model::{CallToolRequestParams, CallToolResponse, InputRequiredResult};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::approval::{self, Way};
use super::progress::Progress;
use super::reply::{failure, reply};
use super::session::Session;
use super::shared::Server;
use crate::clip::clip_chars;
use crate::context::RunContext;
use crate::deferred::DeferredToolRequests;
use crate::dispatch::{Batch, Turn, interrupted};
use crate::error::TinyAgentsError;
use crate::model::ToolCall;

/// Enough of a name that nobody knows.
const MOST_CHARS: usize = 100;

/// A call on its way.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) server: &'a Server,
    pub(super) session: &'a Session,
    pub(super) client: &'a RequestContext<RoleServer>,
}

impl Call<'_> {
    /// Answers the call. The client can cancel it, and is told of its progress where it has asked for that.
    pub(super) async fn run(
        self,
        params: CallToolRequestParams,
    ) -> Result<CallToolResponse, ErrorData> {
        let token = self.session.token.child_token();
        // Whatever becomes of this future, what it has started learns of its end.
        let _end = token.clone().drop_guard();
        let ctx = self.session.ctx.clone();
        let ctx = ctx.with_call_cancellation(token.clone());
        let progress = self.client.meta.get_progress_token().map(|told_as| {
            let peer = self.client.peer.clone();
            Arc::new(Progress::new(peer, told_as))
        });
        let end = progress.as_ref().map(Progress::ending);
        let ctx = match progress {
            Some(progress) => ctx.with_watcher(progress),
            None => ctx,
        };
        let answered = {
            let answer = pin!(self.answer(&ctx, params));
            self.cancellable(token, answer).await
        };
        if let Some(end) = end {
            end.told().await;
        }
        answered
    }

    /// A cancelled call is brought to its end all the same, so that whoever keeps account of it can.
    async fn cancellable<T>(
        self,
        token: CancellationToken,
        mut answer: Pin<&mut impl Future<Output = T>>,
    ) -> T {
        // Then it must not begin.
        if self.client.ct.is_cancelled() {
            token.cancel();
        }
        // Most small calls are done at once.
        if let Poll::Ready(answer) = futures::poll!(answer.as_mut()) {
            return answer;
        }
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            () = self.client.ct.cancelled() => token.cancel(),
        }
        answer.await
    }

    async fn answer(
        self,
        ctx: &RunContext,
        params: CallToolRequestParams,
    ) -> Result<CallToolResponse, ErrorData> {
        let varying;
        let turn = if let Some(turn) = self.session.fixed_turn() {
            turn
        } else {
            varying = Box::pin(self.session.turn(self.server, ctx)).await?;
            &varying
        };
        if params.request_state.is_some() {
            return Box::pin(self.go_on(ctx, turn, params)).await;
        }
        let arguments = Value::Object(params.arguments.unwrap_or_default());
        let call = ToolCall::new(self.session.next_call_id(), params.name, arguments);
        let batch = turn.dispatch(&(), ctx, vec![call]).await;
        let mut batch = batch.map_err(refused)?;
        match batch.deferred.take() {
            None => Ok(answered(turn, batch)),
            Some(requests) => Box::pin(self.answer_deferred(ctx, turn, requests)).await,
        }
    }

    /// Goes on with a call that the client was asked about, and has sent again with the answer.
    async fn go_on(
        self,
        ctx: &RunContext,
        turn: &Turn,
        params: CallToolRequestParams,
    ) -> Result<CallToolResponse, ErrorData> {
        let handle = params.request_state.as_deref().unwrap_or_default();
        let arguments = Value::Object(params.arguments.unwrap_or_default());
        let asked = self.server.questions.take(handle);
        // An answer is for the question that was asked: a call with other arguments is another one.
        let asked = asked.filter(|asked| asked.is_about(&params.name, &arguments));
        let pending = asked.and_then(|asked| Some((asked.approvals.first()?.clone(), asked)));
        let Some((pending, requests)) = pending else {
            return Err(ErrorData::invalid_params(
                "`requestState` is not that of an open question about this call; call again without it",
                None,
            ));
        };
        let Some(decision) = approval::answered(params.input_responses.as_ref()) else {
            return Ok(self.ask_for_input(turn, requests));
        };
        let batch = turn.resume(ctx, &requests, decision.about(&pending)).await;
        Ok(settled(turn, batch.map_err(refused)?))
    }

    /// Asks the host first, then the person behind the client.
    async fn answer_deferred(
        self,
        ctx: &RunContext,
        turn: &Turn,
        mut requests: DeferredToolRequests,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(handler) = &self.server.deferred_handler {
            let results = tokio::select! {
                biased;
                _ = interrupted(ctx) => return Ok(unanswered()),
                results = handler.handle(ctx, &requests) => results.map_err(refused)?,
            };
            if requests.remaining(&results).is_empty() {
                let batch = turn.resume(ctx, &requests, results).await;
                let mut batch = batch.map_err(refused)?;
                match batch.deferred.take() {
                    None => return Ok(answered(turn, batch)),
                    Some(again) => requests = again,
                }
            }
        }
        let Some(pending) = requests.approvals.first() else {
            let text =
                "not run: the answer would have to come from elsewhere, and nobody here can get it";
            return Ok(failure(text).into());
        };
        match Way::to(self.client) {
            Way::Never => {
                let text =
                    "not run: it needs a person's approval, and this client can't ask for one";
                Ok(failure(text).into())
            }
            Way::InputRequired => Ok(self.ask_for_input(turn, requests)),
            Way::Elicitation => {
                let decision = approval::elicit(turn, ctx, pending, self.client).await;
                let Some(decision) = decision else {
                    return Ok(unanswered());
                };
                let batch = turn.resume(ctx, &requests, decision.about(pending)).await;
                Ok(settled(turn, batch.map_err(refused)?))
            }
        }
    }

    fn ask_for_input(self, turn: &Turn, requests: DeferredToolRequests) -> CallToolResponse {
        let questions = requests.approvals.first();
        let questions = questions.map(|pending| approval::input_requests(turn, pending));
        let handle = self.server.questions.keep(requests);
        InputRequiredResult::new(questions, Some(handle)).into()
    }
}

/// The end of a call that was asked about: one question is enough.
fn settled(turn: &Turn, batch: Batch) -> CallToolResponse {
    if batch.deferred.is_some() {
        let text = "not run: the tool or the call has changed since it was approved; call again";
        return failure(text).into();
    }
    answered(turn, batch)
}

fn unanswered() -> CallToolResponse {
    failure("not run: it needs a person's approval, and nobody has answered").into()
}

fn answered(turn: &Turn, batch: Batch) -> CallToolResponse {
    let reply = reply(turn, batch);
    reply.unwrap_or_else(|| failure("not run")).into()
}

/// What a client is told when a call could not even be answered; the host's own troubles are logged and not told.
pub(super) fn refused(error: TinyAgentsError) -> ErrorData {
    match error {
        TinyAgentsError::ToolNotFound(name) => {
            let name = clip_chars(&name, MOST_CHARS);
            ErrorData::invalid_params(format!("Unknown tool: {name}"), None)
        }
        error @ (TinyAgentsError::InvalidArguments { .. }
        | TinyAgentsError::ToolNotAllowed { .. }) => {
            ErrorData::invalid_params(error.to_string(), None)
        }
        error => {
            tracing::error!(%error, "a call could not be answered");
            ErrorData::internal_error("the server could not answer the call", None)
        }
    }
}
