//! What an approval is good for: for which call, which arguments and which definition.

#![allow(missing_docs, clippy::unwrap_used)]

mod deferral_support;
mod lifecycle_support;

use std::sync::Mutex;

use deferral_support::{Pay, Seen, approve, ids, pay, paying, resume, rows};
use lifecycle_support::{add, go, harness};
use serde_json::{Value, json};
use tinyagents::middleware::Middleware;
use tinyagents::model::ScriptedModel;
use tinyagents::runtime::StopReason;
use tinyagents::tinytools::{ToolPolicy, async_trait};
use tinyagents::{DeferredToolResults, RunContext, TinyAgentsError, ToolCall, ToolDecision};

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
