//! Ways to get more out of an approval than was given, and why they lead nowhere.

#![allow(missing_docs, clippy::unwrap_used)]

mod deferral_support;
mod lifecycle_support;

use deferral_support::{Pay, approve, ids, pay, paying, resume, rows};
use lifecycle_support::{go, harness};
use serde_json::{Value, json};
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::runtime::StopReason;
use tinyagents::tinytools::{
    Injected, Tool, ToolCallOptions, ToolPolicy, ToolResult, ToolRunContext, async_trait,
};
use tinyagents::{
    DeferredToolResults, Dispatcher, RunContext, TinyAgentsError, ToolCall, ToolRegistry,
};

/// Asks for a hidden value by name.
struct Tenanted(Pay);

#[async_trait]
impl Tool for Tenanted {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn description(&self) -> &str {
        self.0.description()
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn policy(&self) -> ToolPolicy {
        self.0.policy()
    }

    fn injected(&self) -> Vec<Injected> {
        vec![Injected::of::<u64>("tenant").optional()]
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        self.0.execute(args).await
    }

    async fn execute_with_context(
        &self,
        args: Value,
        options: ToolCallOptions,
        ctx: Option<&dyn ToolRunContext>,
    ) -> anyhow::Result<ToolResult> {
        self.0.execute_with_context(args, options, ctx).await
    }
}

#[tokio::test]
async fn an_edit_can_not_bring_a_hidden_value_in() {
    let tool = pay();
    let model = ScriptedModel::new()
        .call("pay", json!({ "to": "ada" }))
        .text("done");
    let mut harness = harness(model, []);
    harness.register_tool(Tenanted(tool.clone())).unwrap();
    let paused = go(&harness).await;
    let edited = json!({ "to": "bob", "tenant": 7 });
    let results = DeferredToolResults::new().approve_with_args("call-1", edited);
    let again = resume(&harness, RunContext::new(), paused.messages, results)
        .await
        .unwrap();
    // What would run is not what was approved.
    assert_eq!((again.stop, tool.runs()), (StopReason::Deferred, 0));
    let pending = again.deferred.unwrap();
    assert_eq!(pending.approvals[0].arguments, json!({ "to": "bob" }));
}

#[tokio::test]
async fn a_malformed_call_never_reaches_an_approver() {
    let model = ScriptedModel::new()
        .calls([("pay", json!({ "to": 7 })), ("pay", json!({ "to": "ada" }))])
        .text("done");
    let mut harness = harness(model, []);
    harness.register_tool(pay()).unwrap();
    let paused = go(&harness).await;
    assert_eq!(ids(&paused.deferred.clone().unwrap().approvals), ["call-2"]);
    assert_eq!(rows(&paused)[0].0, "call-1");
}

#[tokio::test]
async fn a_transcript_that_was_changed_is_refused() {
    let paused = go(&paying(pay())).await.messages;
    let wire = serde_json::to_value(&paused).unwrap();
    let call = "/1/tool_calls/0";
    let pending = "/1/deferred/approvals/0";
    for (pointer, value) in [
        (format!("{call}/arguments"), json!({ "to": "eve" })),
        (format!("{call}/name"), json!("wire")),
        (format!("{call}/id"), json!("call-9")),
        (format!("{pending}/arguments"), json!({ "to": "eve" })),
        (format!("{pending}/arguments_hash"), json!("0")),
        (format!("{pending}/requested_hash"), json!("0")),
        (format!("{pending}/id"), json!("call-9")),
        ("/1/deferred".to_owned(), Value::Null),
        ("/1/deferred/approvals".to_owned(), json!([])),
    ] {
        let mut changed = wire.clone();
        *changed.pointer_mut(&pointer).unwrap() = value;
        let changed: Vec<Message> = serde_json::from_value(changed).unwrap();
        let tool = pay();
        let results = DeferredToolResults::new().approve("call-1");
        let refused = resume(&paying(tool.clone()), RunContext::new(), changed, results).await;
        let error = refused.unwrap_err();
        assert!(
            matches!(error, TinyAgentsError::Validation(_)),
            "{pointer}: {error}"
        );
        assert_eq!(tool.runs(), 0);
    }
    let unchanged: Vec<Message> = serde_json::from_value(wire).unwrap();
    let results = DeferredToolResults::new().approve("call-1");
    resume(&paying(pay()), RunContext::new(), unchanged, results)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_request_can_not_be_asked_twice_to_run_twice() {
    let mut paused = serde_json::to_value(go(&paying(pay())).await.messages).unwrap();
    let list = paused.pointer_mut("/1/deferred/approvals").unwrap();
    let twin = list[0].clone();
    list.as_array_mut().unwrap().push(twin);
    let paused: Vec<Message> = serde_json::from_value(paused).unwrap();
    let results = DeferredToolResults::new().approve("call-1");
    let error = resume(&paying(pay()), RunContext::new(), paused, results)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("`call-1` twice"), "{error}");
}

#[tokio::test]
async fn a_transcript_that_goes_on_after_the_pause_can_not_be_resumed() {
    let mut messages = go(&paying(pay())).await.messages;
    messages.push(Message::assistant("never mind"));
    let results = DeferredToolResults::new().approve("call-1");
    let refused = resume(&paying(pay()), RunContext::new(), messages, results).await;
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("no deferred requests")
    );
}

#[tokio::test]
async fn a_call_whose_row_is_there_is_answered_and_does_not_run() {
    let mut messages = go(&paying(pay())).await.messages;
    messages.push(Message::tool("call-1", "pay", "paid by hand"));
    let tool = pay();
    let results = DeferredToolResults::new().approve("call-1");
    let refused = resume(&paying(tool.clone()), RunContext::new(), messages, results).await;
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("already answered: `call-1`")
    );
    assert_eq!(tool.runs(), 0);
}

/// Runs another call in its own, approved context.
struct Nests(Dispatcher);

#[async_trait]
impl Tool for Nests {
    fn name(&self) -> &'static str {
        "nests"
    }

    fn description(&self) -> &'static str {
        "Runs another call."
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::classified().requiring_approval()
    }

    fn injected(&self) -> Vec<Injected> {
        vec![Injected::of::<RunContext>("ctx")]
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        anyhow::bail!("needs a context")
    }

    async fn execute_with_context(
        &self,
        _: Value,
        _: ToolCallOptions,
        ctx: Option<&dyn ToolRunContext>,
    ) -> anyhow::Result<ToolResult> {
        let ctx: &RunContext = ctx.unwrap().get_ref().unwrap();
        assert!(ctx.is_call_approved("call-1") && !ctx.is_call_approved("call-2"));
        let mut waiting = 0;
        for ctx in [ctx.clone(), ctx.child()] {
            // The same id, in the hope of the same approval.
            let calls = vec![ToolCall::new("call-1", "pay", json!({ "to": "eve" }))];
            let batch = self.0.dispatch(&(), &ctx, calls).await?;
            waiting += batch
                .deferred
                .map_or(0, |requests| requests.approvals.len());
        }
        Ok(ToolResult::success(waiting.to_string()))
    }
}

#[tokio::test]
async fn an_approval_does_not_reach_into_calls_made_inside_the_call() {
    let inner = pay();
    let mut registry = ToolRegistry::new();
    registry.register(inner.clone()).unwrap();
    let model = ScriptedModel::new().call("nests", json!({})).text("done");
    let mut harness = harness(model, []);
    harness
        .register_tool(Nests(Dispatcher::new(registry)))
        .unwrap();
    let paused = go(&harness).await;
    let run = approve(&harness, paused).await;
    assert_eq!(rows(&run), [("call-1", "2", false)]);
    assert_eq!(inner.runs(), 0);
}
