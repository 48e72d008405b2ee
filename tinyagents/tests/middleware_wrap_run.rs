//! Hooks around the agent and the model, and the order of all.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::sync::{Arc, Mutex};

use lifecycle_support::{Made, go, harness, row};
use serde_json::json;
use tinyagents::middleware::{Middleware, NextAgent, NextModel, NextTool};
use tinyagents::model::{Message, ModelRequest, ModelResponse, ScriptedModel};
use tinyagents::runtime::{AgentRun, LimitKind, RunLimits, RunPolicy, StopReason};
use tinyagents::tinytools::{ToolResult, async_trait};
use tinyagents::{RunContext, TinyAgentsError, ToolCall};

/// Writes down when it goes in and out.
struct Ring(&'static str, Arc<Mutex<Vec<String>>>);

impl Ring {
    fn note(&self, what: &str) {
        self.1.lock().unwrap().push(format!("{what}{}", self.0));
    }
}

#[async_trait]
impl Middleware for Ring {
    async fn wrap_agent(
        &self,
        ctx: &mut RunContext,
        messages: Vec<Message>,
        next: NextAgent<'_>,
    ) -> Result<AgentRun, TinyAgentsError> {
        self.note("agent+");
        let run = next.run(ctx, messages).await;
        self.note("agent-");
        run
    }

    async fn wrap_model(
        &self,
        ctx: &mut RunContext,
        request: ModelRequest,
        next: NextModel<'_>,
    ) -> Result<ModelResponse, TinyAgentsError> {
        self.note("model+");
        let response = next.run(ctx, request).await;
        self.note("model-");
        response
    }

    async fn wrap_tool(
        &self,
        ctx: &mut RunContext,
        call: &ToolCall,
        next: NextTool<'_>,
    ) -> Result<ToolResult, TinyAgentsError> {
        self.note("tool+");
        let result = next.run(ctx, call).await;
        self.note("tool-");
        result
    }
}

#[tokio::test]
async fn the_first_registered_is_the_outermost() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let model = ScriptedModel::new().call("echo", json!({})).text("end");
    let mut harness = harness(model, [Made::echo("echo")]);
    harness.with_middleware(Ring("a", Arc::clone(&seen)));
    harness.with_middleware(Ring("b", Arc::clone(&seen)));
    let run = go(&harness).await;
    assert_eq!(run.stop, StopReason::Finished);
    assert_eq!(run.executed_tools, ["echo"]);
    let of = |kind: &str| -> Vec<String> {
        let seen = seen.lock().unwrap();
        seen.iter()
            .filter(|note| note.starts_with(kind))
            .cloned()
            .collect()
    };
    assert_eq!(of("agent"), ["agent+a", "agent+b", "agent-b", "agent-a"]);
    assert_eq!(
        of("model")[..4],
        ["model+a", "model+b", "model-b", "model-a"]
    );
    assert_eq!(of("tool"), ["tool+a", "tool+b", "tool-b", "tool-a"]);
}

/// Asks until there is an answer.
struct Stubborn;

#[async_trait]
impl Middleware for Stubborn {
    async fn wrap_model(
        &self,
        ctx: &mut RunContext,
        request: ModelRequest,
        next: NextModel<'_>,
    ) -> Result<ModelResponse, TinyAgentsError> {
        loop {
            match next.run(ctx, request.clone()).await {
                Err(TinyAgentsError::Model(_)) => {}
                done => return done,
            }
        }
    }
}

#[tokio::test]
async fn a_model_that_fails_may_be_asked_again_within_the_limit() {
    let model = ScriptedModel::new()
        .failure("busy")
        .failure("busy")
        .text("there");
    let mut willing = harness(model, []);
    willing.with_middleware(Stubborn);
    let run = go(&willing).await;
    assert_eq!(
        (run.final_text.as_deref(), run.model_calls),
        (Some("there"), 3)
    );

    let model = ScriptedModel::new()
        .failure("busy")
        .failure("busy")
        .text("there");
    let mut limited = harness(model, []);
    limited.with_middleware(Stubborn);
    let limits = RunLimits {
        max_model_calls: 2,
        ..RunLimits::default()
    };
    limited.with_policy(RunPolicy {
        limits,
        ..RunPolicy::default()
    });
    let run = go(&limited).await;
    assert_eq!(run.stop, StopReason::Limit(LimitKind::ModelCalls(2)));
    assert_eq!(run.model_calls, 2);
}

/// Fails once the model has answered.
struct BrokenModel;

#[async_trait]
impl Middleware for BrokenModel {
    async fn wrap_model(
        &self,
        ctx: &mut RunContext,
        request: ModelRequest,
        next: NextModel<'_>,
    ) -> Result<ModelResponse, TinyAgentsError> {
        next.run(ctx, request).await?;
        Err(TinyAgentsError::Validation("broken".into()))
    }
}

#[tokio::test]
async fn the_failure_of_a_model_is_the_runs_and_that_of_a_hook_stops_it() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut failing = harness(ScriptedModel::new().failure("quota"), []);
    failing.with_middleware(Ring("a", Arc::clone(&seen)));
    let ctx = RunContext::new();
    let error = failing
        .invoke_in_context(&(), ctx.clone(), vec![Message::user("go")])
        .await
        .unwrap_err();
    assert!(matches!(error, TinyAgentsError::Model(_)));
    assert_eq!(ctx.failed_run().unwrap().messages.len(), 1);

    let mut broken = harness(ScriptedModel::new().text("unseen"), []);
    broken.with_middleware(Ring("a", seen));
    broken.with_middleware(BrokenModel);
    let run = go(&broken).await;
    assert!(
        matches!(&run.stop, StopReason::Middleware(text) if text.contains("BrokenModel") && text.contains("broken")),
        "{:?}",
        run.stop
    );
}

#[tokio::test]
async fn a_tool_that_a_hook_takes_out_of_a_request_cannot_be_called_and_an_added_one_neither() {
    struct Swap;
    #[async_trait]
    impl Middleware for Swap {
        async fn wrap_model(
            &self,
            ctx: &mut RunContext,
            mut request: ModelRequest,
            next: NextModel<'_>,
        ) -> Result<ModelResponse, TinyAgentsError> {
            let added = tinyagents::ToolSchema::new("hidden", "", json!({}));
            request.tools = [added].into();
            next.run(ctx, request).await
        }
    }
    let mut hidden = Made::echo("hidden");
    hidden.exposure = tinyagents::ToolExposure::Hidden;
    let tools = [Made::echo("echo"), hidden];
    let model = ScriptedModel::new()
        .calls([("echo", json!({})), ("hidden", json!({}))])
        .text("end");
    let mut harness = harness(model, tools.clone());
    harness.with_middleware(Swap);
    let run = go(&harness).await;
    let rows: Vec<_> = run.messages.iter().filter_map(Message::as_tool).collect();
    assert!(
        rows.iter().all(|row| row.content.contains("unknown tool")),
        "{rows:?}"
    );
    assert_eq!(tools[0].runs() + tools[1].runs(), 0);
}

/// Runs the agent again while it ends otherwise than finished.
struct Again;

#[async_trait]
impl Middleware for Again {
    async fn wrap_agent(
        &self,
        ctx: &mut RunContext,
        messages: Vec<Message>,
        next: NextAgent<'_>,
    ) -> Result<AgentRun, TinyAgentsError> {
        match next.run(ctx, messages.clone()).await {
            Err(_) => next.run(ctx, messages).await,
            done => done,
        }
    }
}

#[tokio::test]
async fn an_agent_that_fails_may_be_run_again() {
    let mut harness = harness(ScriptedModel::new().failure("busy").text("there"), []);
    harness.with_middleware(Again);
    let run = go(&harness).await;
    assert_eq!(run.final_text.as_deref(), Some("there"));
    assert_eq!(run.stop, StopReason::Finished);
}

#[tokio::test]
async fn a_hook_that_fails_after_the_agent_leaves_the_transcript() {
    struct Broken;
    #[async_trait]
    impl Middleware for Broken {
        async fn wrap_agent(
            &self,
            ctx: &mut RunContext,
            messages: Vec<Message>,
            next: NextAgent<'_>,
        ) -> Result<AgentRun, TinyAgentsError> {
            next.run(ctx, messages).await?;
            Err(TinyAgentsError::Validation("broken".into()))
        }
    }
    let model = ScriptedModel::new().call("echo", json!({})).text("end");
    let mut harness = harness(model, [Made::echo("echo")]);
    harness.with_middleware(Broken);
    let run = go(&harness).await;
    assert!(matches!(run.stop, StopReason::Middleware(_)));
    assert_eq!(row(&run).content, "{}");
}
