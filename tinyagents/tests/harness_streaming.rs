//! A run whose model is heard while it speaks.

#![allow(missing_docs, clippy::unnecessary_wraps, clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::stream;
use serde_json::json;
use tinyagents::dialect::{Dialect, ToolDialect};
use tinyagents::middleware::{Middleware, NextModel, RedactionMiddleware};
use tinyagents::model::{
    AssistantMessage, ChatModel, ModelDelta, ModelError, ModelProfile, ModelRequest, ModelResponse,
    ModelStream, ProviderExtras,
};
use tinyagents::runtime::StopReason;
use tinyagents::{
    AgentEvent, AgentHarness, AgentRun, EventChannel, EventLog, Message, RunContext, RunEvent,
    RunPolicy, ScriptedModel, TinyAgentsError, ToolSchema, Usage, async_trait,
};
use tokio::sync::{Mutex, mpsc};

type Piece = Result<ModelDelta, ModelError>;

/// Speaks as a test feeds it.
#[derive(Clone)]
struct Fed {
    profile: ModelProfile,
    pieces: Arc<Mutex<Option<mpsc::Receiver<Piece>>>>,
    completed: Arc<AtomicUsize>,
    /// One for each stream that is held.
    held: Arc<()>,
}

fn fed() -> (Fed, mpsc::Sender<Piece>) {
    let (sender, receiver) = mpsc::channel(1);
    let fed = Fed {
        profile: ModelProfile::default().with_streaming(true),
        pieces: Arc::new(Mutex::new(Some(receiver))),
        completed: Arc::default(),
        held: Arc::default(),
    };
    (fed, sender)
}

#[async_trait]
impl ChatModel for Fed {
    async fn complete(&self, _: ModelRequest) -> Result<ModelResponse, ModelError> {
        self.completed.fetch_add(1, Ordering::SeqCst);
        Ok(ModelResponse::new(AssistantMessage::new("whole")))
    }

    async fn stream(&self, _: ModelRequest) -> Result<ModelStream, ModelError> {
        let pieces = self.pieces.lock().await.take().unwrap();
        let state = (pieces, Arc::clone(&self.held));
        Ok(ModelStream::new(stream::unfold(
            state,
            async |(mut pieces, held)| {
                let piece = pieces.recv().await?;
                Some((piece, (pieces, held)))
            },
        )))
    }

    fn profile(&self) -> ModelProfile {
        self.profile.clone()
    }
}

fn text(text: &str) -> Piece {
    Ok(ModelDelta::Text(text.to_owned()))
}

fn done(text: &str) -> Piece {
    let response = ModelResponse::new(AssistantMessage::new(text));
    Ok(ModelDelta::Done(response.with_usage(Usage::new(3, 4))))
}

fn harness(model: impl ChatModel + 'static) -> AgentHarness<()> {
    let mut harness = AgentHarness::new();
    harness.with_model(model);
    harness
}

async fn invoke(harness: &AgentHarness<()>, ctx: RunContext) -> Result<AgentRun, TinyAgentsError> {
    harness
        .invoke_in_context(&(), ctx, vec![Message::user("go")])
        .await
}

/// The next piece of an answer that is told.
async fn heard(events: &mut mpsc::UnboundedReceiver<RunEvent>) -> (u32, String, String, bool) {
    loop {
        let event = events.recv().await.unwrap().event;
        if let AgentEvent::ModelDelta {
            request,
            text,
            reasoning,
            restarted,
        } = event
        {
            return (request, text, reasoning, restarted);
        }
    }
}

fn piece(request: u32, text: &str) -> (u32, String, String, bool) {
    (request, text.to_owned(), String::new(), false)
}

#[tokio::test]
async fn a_word_is_told_before_the_next_one_is_said_and_the_answer_is_whole() {
    let (model, say) = fed();
    let harness = harness(model.clone());
    let (sink, mut events) = EventChannel::new();
    let run = invoke(&harness, RunContext::new().with_events(sink));
    let speak = async {
        say.send(Ok(ModelDelta::Reasoning("hm".to_owned())))
            .await
            .unwrap();
        assert_eq!(
            heard(&mut events).await,
            (1, String::new(), "hm".to_owned(), false)
        );
        say.send(text("Fo")).await.unwrap();
        assert_eq!(heard(&mut events).await, piece(1, "Fo"));
        say.send(text("ur.")).await.unwrap();
        assert_eq!(heard(&mut events).await, piece(1, "ur."));
        say.send(done("Four.")).await.unwrap();
    };
    let (run, ()) = tokio::join!(run, speak);
    let run = run.unwrap();
    assert_eq!(run.final_text.as_deref(), Some("Four."));
    assert_eq!(run.usage, Usage::new(3, 4));
    assert_eq!(model.completed.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn nothing_is_streamed_where_nobody_listens_or_the_model_cannot_be_heard() {
    let (model, _say) = fed();
    let run = invoke(&harness(model.clone()), RunContext::new())
        .await
        .unwrap();
    assert_eq!(run.final_text.as_deref(), Some("whole"));
    let (mut model, _say) = fed();
    model.profile = ModelProfile::default();
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    invoke(&harness(model.clone()), ctx).await.unwrap();
    assert_eq!(model.completed.load(Ordering::SeqCst), 1);
    let is_delta = |event: &AgentEvent| matches!(event, AgentEvent::ModelDelta { .. });
    assert!(!log.events().iter().any(is_delta));
}

#[tokio::test]
async fn an_error_within_an_answer_is_the_error_of_a_request_that_failed() {
    let (model, say) = fed();
    let ctx = RunContext::new().with_events(EventLog::new());
    let ctx_after = ctx.clone();
    let speak = async {
        say.send(text("Fo")).await.unwrap();
        say.send(Err(ModelError::Refused("enough".to_owned())))
            .await
            .unwrap();
    };
    let harness = harness(model);
    let (run, ()) = tokio::join!(invoke(&harness, ctx), speak);
    let Err(TinyAgentsError::Model(ModelError::Refused(reason))) = run else {
        unreachable!()
    };
    assert_eq!(reason, "enough");
    // Nothing of the broken answer is in the transcript, as when a whole one fails.
    let streamed = ctx_after.failed_run().unwrap();
    let ctx = RunContext::new();
    let failing = AgentHarness::<()>::new()
        .with_model(ScriptedModel::new().failure("enough"))
        .to_owned_run(&ctx)
        .await;
    assert_eq!(streamed.messages, failing.messages);
    assert_eq!(streamed.model_calls, failing.model_calls);
}

/// The run up to its failure.
trait Failing {
    async fn to_owned_run(&mut self, ctx: &RunContext) -> AgentRun;
}

impl Failing for AgentHarness<()> {
    async fn to_owned_run(&mut self, ctx: &RunContext) -> AgentRun {
        invoke(self, ctx.clone()).await.unwrap_err();
        ctx.failed_run().unwrap()
    }
}

#[tokio::test]
async fn an_answer_without_an_end_is_an_error() {
    let (model, say) = fed();
    let ctx = RunContext::new().with_events(EventLog::new());
    let speak = async {
        say.send(text("Fo")).await.unwrap();
        drop(say);
    };
    let harness = harness(model);
    let (run, ()) = tokio::join!(invoke(&harness, ctx), speak);
    assert!(matches!(
        run,
        Err(TinyAgentsError::Model(ModelError::InvalidResponse(_)))
    ));
}

#[tokio::test]
async fn a_cancelled_run_lets_the_stream_go() {
    let (model, say) = fed();
    let ctx = RunContext::new().with_events(EventLog::new());
    let cancel = async {
        say.send(text("Fo")).await.unwrap();
        // The next one waits until this one is taken.
        say.send(text("ur")).await.unwrap();
        assert_eq!(Arc::strong_count(&model.held), 3);
        ctx.cancel();
    };
    let harness = harness(model.clone());
    let (run, ()) = tokio::join!(invoke(&harness, ctx.clone()), cancel);
    assert_eq!(run.unwrap().stop, StopReason::Cancelled);
    assert_eq!(Arc::strong_count(&model.held), 2);
    assert!(say.is_closed());
}

/// Asks a second time.
struct Twice;

#[async_trait]
impl Middleware for Twice {
    async fn wrap_model(
        &self,
        ctx: &mut RunContext,
        request: ModelRequest,
        next: NextModel<'_>,
    ) -> Result<ModelResponse, TinyAgentsError> {
        next.run(ctx, request.clone()).await?;
        next.run(ctx, request).await
    }
}

#[tokio::test]
async fn requests_within_wrap_hooks_are_told_apart() {
    let model = ScriptedModel::new().text("one").text("two");
    let model = model.with_profile(ModelProfile::default().with_streaming(true));
    let mut harness = harness(model);
    harness.with_middleware(Twice);
    let (sink, mut events) = EventChannel::new();
    let run = invoke(&harness, RunContext::new().with_events(sink))
        .await
        .unwrap();
    assert_eq!(run.final_text.as_deref(), Some("two"));
    assert_eq!(heard(&mut events).await, piece(1, "one"));
    assert_eq!(heard(&mut events).await, piece(2, "two"));
}

#[tokio::test]
async fn no_markup_of_a_forced_dialect_is_told_whatever_the_pieces() {
    let whole = "Let me look. <tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>";
    let (model, say) = fed();
    let mut harness = harness(model);
    let schema = ToolSchema::new("now", "The time.", json!({ "type": "object" }));
    harness.register_external_tool(schema).unwrap();
    harness.with_policy(RunPolicy {
        tool_dialect: ToolDialect::Forced(Dialect::Json),
        ..RunPolicy::default()
    });
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let speak = async {
        for letter in whole.chars() {
            say.send(text(&letter.to_string())).await.unwrap();
        }
        say.send(done(whole)).await.unwrap();
    };
    let (run, ()) = tokio::join!(invoke(&harness, ctx), speak);
    let run = run.unwrap();
    assert_eq!(run.deferred.unwrap().calls[0].name, "now");
    let told: Vec<String> = log
        .events()
        .into_iter()
        .filter_map(|event| match event {
            AgentEvent::ModelDelta { text, .. } => Some(text),
            _ => None,
        })
        .collect();
    assert_eq!(told.concat().trim_end(), "Let me look.");
    assert!(told.len() > 5, "not in one piece: {told:?}");
}

#[tokio::test]
async fn what_must_not_be_told_is_masked_while_it_is_told_and_in_the_transcript() {
    let (model, feed) = fed();
    let mut harness = harness(model);
    harness.with_middleware(RedactionMiddleware::new(["s3cret"]));
    let log = EventLog::new();
    let feeding = async {
        let thought = |text: &str| Ok(ModelDelta::Reasoning(text.to_owned()));
        for piece in [
            thought("it is s3"),
            thought("cret."),
            text("The word s"),
            text("3cre"),
            text("t it is; s3"),
        ] {
            feed.send(piece).await.unwrap();
        }
        let mut message = AssistantMessage::new("The word s3cret it is; s3");
        message.reasoning = "it is s3cret.".into();
        let mut extras = ProviderExtras::default();
        extras.reasoning_field = Some("reasoning_content".into());
        let signed = json!({ "signature": "over s3cret" });
        extras.message = signed.as_object().cloned().unwrap();
        message.extras = Some(Box::new(extras));
        let done = ModelDelta::Done(ModelResponse::new(message));
        feed.send(Ok(done)).await.unwrap();
    };
    let (run, ()) = tokio::join!(
        invoke(&harness, RunContext::new().with_events(log.clone())),
        feeding
    );
    let run = run.unwrap();
    let (mut said, mut thought) = (String::new(), String::new());
    for event in log.events() {
        if let AgentEvent::ModelDelta {
            text, reasoning, ..
        } = event
        {
            said.push_str(&text);
            thought.push_str(&reasoning);
        }
    }
    assert_eq!(said, "The word [redacted] it is; s3");
    assert_eq!(thought, "it is [redacted].");
    let shown = format!("{run:?}{:?}", log.events());
    assert!(!shown.contains("s3cret"), "{shown}");
    let Some(Message::Assistant(kept)) = run.messages.last() else {
        unreachable!("the model has answered");
    };
    assert_eq!(kept.reasoning, thought);
    // What the provider may have signed goes back to it byte for byte.
    let extras = &kept.extras.as_ref().unwrap().message;
    assert_eq!(extras["signature"], "over s3cret");
    assert_eq!(extras["reasoning_content"], "it is s3cret.");
}
