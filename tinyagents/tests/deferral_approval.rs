//! What an approval is good for, and every way to get more out of it than was given.

#![allow(missing_docs, clippy::unwrap_used)]

mod deferral_support;
mod lifecycle_support;

use std::sync::Mutex;

use deferral_support::{Pay, Seen, ids, pay, resume, rows};
use lifecycle_support::{add, go, harness};
use serde_json::{Value, json};
use tinyagents::middleware::Middleware;
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::runtime::{AgentHarness, AgentRun, StopReason};
use tinyagents::tinytools::{
    Injected, Tool, ToolCallOptions, ToolPolicy, ToolResult, ToolRunContext, async_trait,
};
use tinyagents::{
    DeferredToolResults, Dispatcher, RunContext, TinyAgentsError, ToolCall, ToolDecision,
    ToolRegistry,
};

fn paying(pay: Pay) -> AgentHarness<()> {
    let model = ScriptedModel::new()
        .call("pay", json!({ "to": "ada" }))
        .text("done");
    let mut harness = harness(model, []);
    harness.register_tool(pay).unwrap();
    harness
}

async fn approve(harness: &AgentHarness<()>, paused: AgentRun) -> AgentRun {
    let results = DeferredToolResults::new().approve("call-1");
    resume(harness, RunContext::new(), paused.messages, results)
        .await
        .unwrap()
}

/// Makes other arguments of each call, the next of the list every time.
struct Rewrites(Mutex<Vec<Value>>);

#[async_trait]
impl Middleware for Rewrites {
    async fn before_tool(
        &self,
        _: &mut RunContext,
        call: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        if let Some(next) = self.0.lock().unwrap().pop() {
            call.arguments = next;
        }
        Ok(ToolDecision::Proceed)
    }
}

/// Forbids every call, once it is told to.
struct Forbids;

#[async_trait]
impl Middleware for Forbids {
    async fn before_tool(
        &self,
        _: &mut RunContext,
        call: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        call.arguments = json!({ "to": "the forbidder" });
        Ok(ToolDecision::Reject("closed".to_owned()))
    }
}

/// Wants approval for every call that has none.
struct Asks;

#[async_trait]
impl Middleware for Asks {
    async fn before_tool(
        &self,
        _: &mut RunContext,
        _: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        Err(TinyAgentsError::ApprovalRequired {
            metadata: json!({ "by": "middleware" }),
        })
    }
}

#[tokio::test]
async fn a_tool_that_asks_itself_sees_the_approval_and_does_not_ask_again() {
    let mut own = pay();
    own.policy = ToolPolicy::classified();
    own.asks = true;
    let harness = paying(own.clone());
    let paused = go(&harness).await;
    let pending = paused.deferred.clone().unwrap();
    assert_eq!(pending.metadata["call-1"], json!({ "why": "own" }));
    let run = approve(&harness, paused).await;
    assert_eq!(
        rows(&run),
        [("call-1", "paid {\"to\":\"ada\"} true", false)]
    );
    assert_eq!(own.runs(), 1);
}

#[tokio::test]
async fn a_middleware_that_asks_has_its_answer_in_the_approval() {
    let mut open = pay();
    open.policy = ToolPolicy::classified();
    let mut harness = paying(open.clone());
    harness.with_middleware(Asks);
    let paused = go(&harness).await;
    assert_eq!(
        paused.deferred.as_ref().unwrap().metadata["call-1"],
        json!({ "by": "middleware" })
    );
    approve(&harness, paused).await;
    assert_eq!(open.runs(), 1);
}

#[tokio::test]
async fn an_approval_is_seen_before_the_call_and_in_it_and_in_no_other_call() {
    let mut open = pay();
    open.policy = ToolPolicy::classified();
    let model = ScriptedModel::new()
        .call("pay", json!({ "to": "ada" }))
        .call("pay", json!({ "to": "ada" }))
        .text("done");
    let mut harness = harness(model, []);
    let own = Pay { asks: true, ..open };
    harness.register_tool(own.clone()).unwrap();
    let seen = Seen::default();
    harness.with_middleware(seen.clone());
    let paused = go(&harness).await;
    let run = approve(&harness, paused).await;
    // The model asks for the same again, and this is another call.
    assert_eq!(run.stop, StopReason::Deferred);
    assert_eq!(ids(&run.deferred.unwrap().approvals), ["call-2"]);
    assert_eq!(seen.approved(), [false, true, false]);
    assert_eq!(own.runs(), 1);
}

#[tokio::test]
async fn arguments_that_a_middleware_makes_anew_need_a_new_approval() {
    for policy in [
        ToolPolicy::classified(),
        ToolPolicy::classified().requiring_approval(),
    ] {
        let mut tool = pay();
        tool.asks = !policy.access.approval_required;
        tool.policy = policy;
        let mut harness = paying(tool.clone());
        // Taken from the end: nothing is changed before the pause, then the receiver, then nothing any more.
        harness.with_middleware(Rewrites(Mutex::new(vec![
            json!({ "to": "eve" }),
            json!({ "to": "ada" }),
        ])));
        let paused = go(&harness).await;
        let again = approve(&harness, paused).await;
        assert_eq!((tool.runs(), &again.stop), (0, &StopReason::Deferred));
        let pending = &again.deferred.as_ref().unwrap().approvals[0];
        assert_eq!(pending.arguments, json!({ "to": "eve" }));
        let run = approve(&harness, again).await;
        assert_eq!(
            rows(&run),
            [("call-1", "paid {\"to\":\"eve\"} true", false)]
        );
    }
}

#[tokio::test]
async fn a_changed_definition_needs_a_new_approval() {
    let narrower = json!({
        "type": "object",
        "properties": { "to": { "type": "string", "maxLength": 9 } }
    });
    let mut described = pay();
    described.description = "Pays twice.";
    let mut bounded = pay();
    bounded.schema = narrower;
    for changed in [described, bounded] {
        let paused = go(&paying(pay())).await;
        let old = paused.deferred.clone().unwrap().approvals[0]
            .definition_hash
            .clone();
        let harness = paying(changed.clone());
        let again = approve(&harness, paused).await;
        assert_eq!((changed.runs(), &again.stop), (0, &StopReason::Deferred));
        let pending = again.deferred.clone().unwrap();
        assert_ne!(pending.approvals[0].definition_hash, old);
        approve(&harness, again).await;
        assert_eq!(changed.runs(), 1);
    }
}

#[tokio::test]
async fn a_changed_definition_needs_a_new_approval_of_a_tool_that_asks_itself() {
    let own = |description| Pay {
        policy: ToolPolicy::classified(),
        asks: true,
        description,
        ..pay()
    };
    let paused = go(&paying(own("Pays."))).await;
    let changed = own("Pays twice.");
    let again = approve(&paying(changed.clone()), paused).await;
    assert_eq!((again.stop, changed.runs()), (StopReason::Deferred, 0));
}

#[tokio::test]
async fn the_arguments_of_an_edited_call_are_those_that_run() {
    let tool = pay();
    let harness = paying(tool.clone());
    let paused = go(&harness).await;
    let results = DeferredToolResults::new().approve_with_args("call-1", json!({ "to": "bob" }));
    let run = resume(&harness, RunContext::new(), paused.messages, results)
        .await
        .unwrap();
    assert_eq!(
        rows(&run),
        [("call-1", "paid {\"to\":\"bob\"} true", false)]
    );
}

#[tokio::test]
async fn edited_arguments_are_validated_like_any_others() {
    let tool = pay();
    for edited in [json!({ "to": 7 }), json!("bob"), json!([1])] {
        let harness = paying(tool.clone());
        let paused = go(&harness).await;
        let results = DeferredToolResults::new().approve_with_args("call-1", edited);
        let run = resume(&harness, RunContext::new(), paused.messages, results)
            .await
            .unwrap();
        let row = &rows(&run)[0];
        assert!(row.2, "{}", row.1);
    }
    assert_eq!(tool.runs(), 0);
}

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
async fn an_approved_call_that_a_policy_forbids_meanwhile_does_not_run() {
    let tool = pay();
    let mut harness = paying(tool.clone());
    let paused = go(&harness).await;
    harness.with_middleware(Forbids);
    let run = approve(&harness, paused).await;
    assert_eq!(
        rows(&run),
        [("call-1", "`pay` is not allowed: closed", true)]
    );
    assert_eq!(tool.runs(), 0);
}

#[tokio::test]
async fn an_approved_call_of_a_tool_that_is_gone_is_told_to_the_model() {
    let paused = go(&paying(pay())).await;
    let harness = harness(ScriptedModel::new().text("x").text("done"), [add()]);
    let run = approve(&harness, paused).await;
    assert!(rows(&run)[0].1.contains("unknown tool `pay`"), "{run:?}");
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

#[tokio::test]
async fn a_tool_that_insists_waits_again() {
    let tool = Pay {
        insists: true,
        ..pay()
    };
    let harness = paying(tool);
    let paused = go(&harness).await;
    let again = approve(&harness, paused).await;
    assert_eq!(again.stop, StopReason::Deferred);
    assert_eq!(
        again.deferred.unwrap().metadata["call-1"],
        json!({ "why": "own" })
    );
}
