//! A paused run that another process reads back.

#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

mod deferral_support;
mod lifecycle_support;

use deferral_support::{paused, pay, resume, rows};
use lifecycle_support::{Made, go, harness};
use serde_json::{Value, json};
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::runtime::HostCapabilities;
use tinyagents::tinytools::{ToolPolicy, WorkspaceDescriptor};
use tinyagents::{
    AgentDefinition, DeferredToolResults, MemoryLedger, Middleware, PausedRun, RunContext,
    RunLimits, TinyAgentsError, ToolEffectLedger, async_trait,
};

#[tokio::test]
async fn a_later_process_resumes_under_the_same_ids() {
    let text = serde_json::to_string(&paused().await).unwrap();
    let read: PausedRun = serde_json::from_str(&text).unwrap();
    assert_eq!(read, paused().await);
    let tool = pay();
    let mut harness = harness(ScriptedModel::new().text("done"), []);
    harness.register_tool(tool.clone()).unwrap();
    let ctx = read.context();
    assert_eq!(ctx.run_id(), "r1");
    assert_eq!(ctx.thread_id().unwrap(), "t1");
    let results = read.requests().approve_all();
    let run = resume(&harness, ctx, read.messages, results).await.unwrap();
    assert_eq!(rows(&run)[0].1, "paid {\"to\":\"ada\"} true");
    assert!(PausedRun::of(&run).is_none());
}

#[tokio::test]
async fn the_form_says_its_version_and_a_newer_one_is_refused_by_name() {
    let mut wire = serde_json::to_value(paused().await).unwrap();
    assert_eq!(wire["version"], 2);
    assert_eq!(wire["run_id"], "r1");
    for (version, messages) in [
        (3, wire["messages"].clone()),
        (7, json!({ "form": "new" })),
        (0, json!([])),
    ] {
        wire["version"] = json!(version);
        wire["messages"] = messages;
        let error = serde_json::from_value::<PausedRun>(wire.clone()).unwrap_err();
        let expected =
            format!("a paused run of version {version}; this version of tinyagents reads 1 to 2");
        assert_eq!(error.to_string(), expected);
    }
    wire.as_object_mut().unwrap().remove("version");
    let error = serde_json::from_value::<PausedRun>(wire).unwrap_err();
    assert!(error.to_string().contains("version"), "{error}");
}

/// What an older version wrote, without what has been added since.
const FORM_1: &str = include_str!("deferral_support/paused_run_1.json");

#[tokio::test]
async fn a_run_of_the_first_form_is_read_and_resumed() {
    let read: PausedRun = serde_json::from_str(FORM_1).unwrap();
    assert_eq!(read.requests().approvals[0].shown_name, "");
    for is_approved in [true, false] {
        let mut harness = harness(ScriptedModel::new().text("done"), []);
        harness.register_tool(pay()).unwrap();
        let requests = read.requests();
        let results = if is_approved {
            requests.approve_all()
        } else {
            DeferredToolResults::new().deny("call-1", "")
        };
        let run = resume(&harness, read.context(), read.messages.clone(), results);
        let run = run.await.unwrap();
        let expected = if is_approved {
            "paid {\"to\":\"ada\"} true"
        } else {
            "the call of `pay` was denied"
        };
        assert_eq!(rows(&run)[0].1, expected);
    }
    let bounds = (
        read.context().definition().cloned(),
        read.context().tags().len(),
    );
    assert_eq!(bounds, (None, 0));
}

/// Pauses a run in this context, and reads it back from text.
async fn paused_in(ctx: RunContext, capabilities: HostCapabilities) -> PausedRun {
    let mut harness = harness(ScriptedModel::new().call("pay", json!({ "to": "ada" })), []);
    harness.register_tool(pay()).unwrap();
    harness.with_host_capabilities(capabilities);
    let messages = vec![Message::user("go")];
    let run = harness.invoke_in_context(&(), ctx, messages).await.unwrap();
    let text = serde_json::to_string(&PausedRun::of(&run).unwrap()).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Approves, and lets the model call another tool; its row.
async fn refunded(paused: PausedRun) -> (String, usize) {
    let refund = Made::echo("refund").policy(ToolPolicy::classified());
    let model = ScriptedModel::new().call("refund", json!({})).text("done");
    let mut harness = harness(model, [refund.clone()]);
    harness.register_tool(pay()).unwrap();
    let results = paused.requests().approve_all();
    let ctx = paused.context();
    let run = resume(&harness, ctx, paused.messages, results)
        .await
        .unwrap();
    assert_eq!(rows(&run)[0].1, "paid {\"to\":\"ada\"} true");
    (rows(&run)[1].1.to_owned(), refund.runs())
}

#[tokio::test]
async fn a_tool_that_the_definition_does_not_list_stays_denied_after_a_pause() {
    let payer = AgentDefinition::new("payer").with_tools(["pay"]);
    let both = AgentDefinition::new("clerk").with_tools(["pay", "refund"]);
    let capabilities = HostCapabilities::default();
    for ctx in [
        RunContext::new().with_definition(payer.clone()),
        // The list of each definition counts, not that of the last one alone.
        RunContext::new()
            .with_definition(payer.clone())
            .child()
            .with_definition(both),
    ] {
        let paused = paused_in(ctx, capabilities).await;
        let (row, runs) = refunded(paused).await;
        assert!(row.contains("`refund` is not allowed"), "{row}");
        assert_eq!(runs, 0);
    }
    assert_eq!(
        refunded(paused_in(RunContext::new(), capabilities).await)
            .await
            .1,
        1
    );
}

#[tokio::test]
async fn what_a_host_said_of_a_definition_without_tools_holds_after_a_pause() {
    let ctx = RunContext::new().with_definition(AgentDefinition::new("any"));
    let open = HostCapabilities::default().with_legacy_unrestricted_tool_allowlist();
    assert_eq!(refunded(paused_in(ctx, open).await).await.1, 1);
}

#[tokio::test]
async fn workspace_tags_and_limits_are_kept_and_a_workspace_still_only_narrows() {
    let limits = RunLimits {
        max_tool_calls: 7,
        ..RunLimits::default()
    };
    let ctx = RunContext::new()
        .with_workspace(WorkspaceDescriptor::new("/srv/job"))
        .with_tag("night")
        .with_limits(&limits)
        .with_max_turn_output_tokens(900)
        .child();
    let ctx = paused_in(ctx, HostCapabilities::default()).await.context();
    let workspace = WorkspaceDescriptor::new("/srv/job");
    assert_eq!(ctx.workspace(), Some(&workspace));
    assert_eq!(ctx.tags(), ["night"]);
    assert_eq!(ctx.narrowed_limits(&RunLimits::default()), limits);
    assert_eq!(ctx.budget().max_turn_output_tokens(), Some(900));
    let wider = ctx.with_workspace(WorkspaceDescriptor::new("/srv"));
    assert_ne!(
        wider.workspace().unwrap().root,
        std::path::Path::new("/srv")
    );
}

/// Binds the run once it has begun.
struct Binds;

#[async_trait]
impl Middleware for Binds {
    async fn before_agent(
        &self,
        ctx: &mut RunContext,
        _: &mut Vec<Message>,
    ) -> Result<(), TinyAgentsError> {
        let payer = AgentDefinition::new("payer").with_tools(["pay"]);
        *ctx = ctx.clone().with_definition(payer).with_tag("bound");
        Ok(())
    }
}

#[tokio::test]
async fn what_a_hook_bound_the_run_by_is_kept_too() {
    let mut harness = harness(ScriptedModel::new().call("pay", json!({ "to": "ada" })), []);
    harness.register_tool(pay()).unwrap();
    harness.with_middleware(Binds);
    let paused = PausedRun::of(&go(&harness).await).unwrap();
    // It adds its tag again by itself.
    assert!(paused.context().tags().is_empty());
    assert_eq!(refunded(paused).await.1, 0);
}

#[tokio::test]
async fn a_form_that_has_lost_its_bounds_is_refused() {
    let mut wire = serde_json::to_value(paused().await).unwrap();
    wire.as_object_mut().unwrap().remove("scope").unwrap();
    let error = serde_json::from_value::<PausedRun>(wire).unwrap_err();
    assert!(
        error.to_string().contains("missing field `scope`"),
        "{error}"
    );
}

#[tokio::test]
async fn fields_of_a_later_minor_form_are_ignored() {
    let mut wire = serde_json::to_value(paused().await).unwrap();
    wire["mood"] = Value::from("good");
    let read: PausedRun = serde_json::from_value(wire).unwrap();
    assert_eq!(read, paused().await);
}

#[tokio::test]
async fn a_run_that_had_a_ledger_is_not_resumed_without_one() {
    let ledger: Arc<dyn ToolEffectLedger> = Arc::new(MemoryLedger::new());
    let ctx = RunContext::new().with_run_id("r1");
    let ctx = ctx.with_tool_effect_ledger(Arc::clone(&ledger));
    let text = serde_json::to_string(&paused_in(ctx, HostCapabilities::default()).await).unwrap();
    let tool = pay();
    let mut harness = harness(ScriptedModel::new().text("done"), []);
    harness.register_tool(tool.clone()).unwrap();
    for _ in 0..2 {
        let read: PausedRun = serde_json::from_str(&text).unwrap();
        let results = read.requests().approve_all();
        let bare = resume(&harness, read.context(), read.messages, results).await;
        let Err(TinyAgentsError::Validation(reason)) = bare else {
            panic!("it was resumed");
        };
        assert!(reason.contains("with_tool_effect_ledger"), "{reason}");
    }
    assert_eq!(tool.runs(), 0);
    let read: PausedRun = serde_json::from_str(&text).unwrap();
    let results = read.requests().approve_all();
    let ctx = read.context().with_tool_effect_ledger(ledger);
    resume(&harness, ctx, read.messages, results).await.unwrap();
    assert_eq!(tool.runs(), 1);
}

#[tokio::test]
async fn a_run_that_has_finished_is_not_paused() {
    let run = go(&harness(ScriptedModel::new().text("done"), [])).await;
    assert!(PausedRun::of(&run).is_none());
}
