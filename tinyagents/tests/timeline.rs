//! A run, looked at afterwards.

#![allow(missing_docs, clippy::unwrap_used)]

mod deferral_support;
mod lifecycle_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use deferral_support::{pay, resume};
use lifecycle_support::{Made, add, go, harness};
use serde_json::json;
use tinyagents::effects::MemoryLedger;
use tinyagents::middleware::Middleware;
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::runtime::AgentRun;
use tinyagents::tinytools::{Injected, ToolError, ToolPolicy, ToolResult, async_trait};
use tinyagents::{DeferredToolResults, RunContext, TinyAgentsError, ToolCall, ToolDecision};

/// Both forms.
fn shown(run: &AgentRun) -> [String; 2] {
    let timeline = run.timeline();
    [timeline.to_string(), timeline.to_html()]
}

fn flaky() -> Made {
    let left = AtomicUsize::new(1);
    let mut policy = ToolPolicy::read_only();
    policy.runtime.max_retries = 1;
    Made::new("flaky", move |_| {
        let fails = left.swap(0, Ordering::SeqCst) == 1;
        async move {
            tokio::time::sleep(Duration::from_millis(30)).await;
            if fails {
                let source = anyhow::anyhow!("busy");
                return Err(ToolError::transient_after(source, Duration::from_millis(40)).into());
            }
            Ok(ToolResult::success("at last"))
        }
    })
    .policy(policy)
}

#[tokio::test(start_paused = true)]
async fn calls_are_on_the_time_of_the_run_with_all_that_was_done_about_them() {
    let slow = Made::new("slow", |_| async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        Ok(ToolResult::success("slept"))
    });
    let model = ScriptedModel::new()
        .call("slow", json!({ "n": 1 }))
        .calls([
            ("flaky", json!({})),
            ("add", json!({ "a": 1 })),
            ("nowhere", json!({})),
        ])
        .text("done");
    let run = go(&harness(model, [slow, flaky(), add()])).await;
    let [text, html] = shown(&run);
    for line in [
        "      0 ms      50 ms  slow call-1 completed {\"n\":1} -> slept",
        "     50 ms     100 ms  flaky call-2 completed {} -> at last",
        "     80 ms             | retry: attempt 1 failed; another after 40 ms",
        "add call-3 failed {\"a\":1} -> ",
        "| recovery: invalid arguments: tool_error",
        "| recovery: unknown tool: tool_error",
        "finished; 3 model calls, 4 tool calls, 150 ms",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    for part in [
        "bar completed\" style=\"left:0.00%;width:33.33%\"",
        "bar completed\" style=\"left:33.33%;width:66.67%\"",
        "tick retry\" style=\"left:53.33%\"",
        "bar failed",
        "tick recovery",
        "bar model",
        "<details>",
    ] {
        assert!(html.contains(part), "{part}\n{html}");
    }
}

#[tokio::test(start_paused = true)]
async fn deferrals_denials_and_approvals_are_told() {
    let model = ScriptedModel::new()
        .calls([
            ("pay", json!({ "to": "ada" })),
            ("pay", json!({ "to": "bob" })),
        ])
        .text("done");
    let mut harness = harness(model, []);
    harness.register_tool(pay()).unwrap();
    let paused = go(&harness).await;
    let [text, html] = shown(&paused);
    assert!(
        text.contains("pay call-1 deferred {\"to\":\"ada\"}\n"),
        "{text}"
    );
    assert!(
        text.contains("deferral: deferred: approval_required"),
        "{text}"
    );
    assert!(text.contains("paused for deferred calls"), "{text}");
    assert!(html.contains("bar deferred") && html.contains("tick deferral"));
    let results = DeferredToolResults::new()
        .approve_with_args("call-1", json!({ "to": "eve" }))
        .deny("call-2", "no");
    let run = resume(&harness, RunContext::new(), paused.messages, results)
        .await
        .unwrap();
    let [text, html] = shown(&run);
    // What ran, and not what was asked for.
    let ran = "pay call-1 completed {\"to\":\"eve\"} -> paid {\"to\":\"eve\"} true";
    assert!(text.contains(ran), "{text}");
    assert!(
        text.contains("pay call-2 denied {\"to\":\"bob\"} -> no"),
        "{text}"
    );
    assert!(html.contains("bar denied") && html.contains("tick approval"));
}

/// Sends a call elsewhere.
struct Renames(&'static str, &'static str);

#[async_trait]
impl Middleware for Renames {
    async fn before_tool(
        &self,
        _: &mut RunContext,
        call: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        if call.name == self.0 {
            self.1.clone_into(&mut call.name);
            // A host may know the secret better than the model does.
            if call.arguments["user"] == "bob" {
                call.arguments["password"] = json!("hunter9");
            }
        }
        Ok(ToolDecision::Proceed)
    }
}

#[tokio::test]
async fn neither_hidden_nor_redacted_values_are_shown() {
    let mut policy = ToolPolicy::read_only();
    policy.access.redact = vec!["password".into()];
    let mut login = Made::new("login", |args| async move {
        Ok(ToolResult::success(format!(
            "logged in with {}",
            args["password"]
        )))
    })
    .policy(policy.clone());
    login.injected = vec![Injected::of::<u64>("tenant").optional()];
    let mut waits = Made::echo("waits").policy({
        let mut policy = policy.clone();
        policy.access.approval_required = true;
        policy
    });
    waits.injected = login.injected.clone();
    let arguments = json!({ "password": "hunter2", "tenant": "forged3", "user": "ada" });
    let model = ScriptedModel::new()
        .raw_call("login", r#"{"password":"hunter2","#)
        .raw_call("login", r#"{password:"hunter2",user:"ada",}"#)
        .call("alias", json!({ "user": "bob" }))
        .calls([
            ("login", arguments.clone()),
            ("alias", arguments.clone()),
            ("waits", arguments.clone()),
            ("wait_alias", arguments),
        ]);
    let mut harness = harness(model, [login, waits]);
    harness.with_middleware(Renames("alias", "login"));
    harness.with_middleware(Renames("wait_alias", "waits"));
    let paused = go(&harness).await;
    let results = paused.deferred.as_ref().unwrap().approve_all();
    let before = shown(&paused);
    let failed = resume(&harness, RunContext::new(), paused.messages, results).await;
    assert!(failed.is_err(), "the script has ended");
    for shown in before {
        assert!(
            !shown.contains("hunter") && !shown.contains("forged3"),
            "{shown}"
        );
        assert!(
            shown.contains("ada") && shown.contains("[redacted]"),
            "{shown}"
        );
    }
}

#[tokio::test]
async fn the_page_holds_nothing_that_a_browser_would_run_or_fetch() {
    let hostile = "<script src=\"https://evil.test/x.js\"></script><img src=x onerror='alert(1)'>\u{202e}\u{1b}[2J";
    let model = ScriptedModel::new()
        .calls([
            ("echo", json!({ "a": hostile, hostile: 1 })),
            (hostile, json!({})),
        ])
        .text(hostile);
    let harness = harness(model, [Made::echo("echo")]);
    let ctx = RunContext::new().with_run_id(hostile);
    let run = harness.invoke_in_context(&(), ctx, vec![]).await.unwrap();
    let [text, html] = shown(&run);
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
    assert!(!html.contains('\u{1b}') && !html.contains('\u{202e}'));
    assert!(
        !html.contains("<script") && !html.contains("<img"),
        "{html}"
    );
    assert!(html.contains("&lt;script"));
    assert!(html.contains("default-src 'none'"));
    // Every tag that is there is one of the page's own.
    let own = [
        "!DOCTYPE", "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "span",
        "div", "details", "summary", "pre", "ul", "li",
    ];
    for tag in html.split('<').skip(1) {
        let tag = tag.trim_start_matches('/');
        let name: String = tag
            .chars()
            .take_while(|it| it.is_alphanumeric() || *it == '!')
            .collect();
        assert!(own.contains(&name.as_str()), "<{tag}");
    }
}

#[tokio::test]
async fn long_arguments_and_results_are_cut() {
    let long = "x".repeat(100_000);
    let model = ScriptedModel::new()
        .call("echo", json!({ "a": long }))
        .text("done");
    let run = go(&harness(model, [Made::echo("echo")])).await;
    let [text, html] = shown(&run);
    assert!(text.len() < 1000, "{}", text.len());
    assert!(html.len() < 50_000 && html.contains('…'), "{}", html.len());
}

#[tokio::test]
async fn a_failed_run_can_be_looked_at_as_well() {
    let harness = harness(
        ScriptedModel::new().call("add", json!({ "a": 1, "b": 2 })),
        [add()],
    );
    let ctx = RunContext::new();
    let failed = harness.invoke_in_context(&(), ctx.clone(), vec![]).await;
    assert!(failed.is_err());
    let text = ctx.failed_run().unwrap().timeline().to_string();
    assert!(text.contains("add call-1 completed"), "{text}");
}

#[tokio::test]
async fn ids_that_a_provider_repeats_are_calls_of_their_own() {
    let turn = |n: u32| {
        tinyagents::AssistantMessage::default().with_tool_calls(vec![ToolCall::new(
            "same",
            "echo",
            json!({ "n": n }),
        )])
    };
    let model = ScriptedModel::new()
        .message(turn(1))
        .message(turn(2))
        .text("done");
    let text = go(&harness(model, [Made::echo("echo")]))
        .await
        .timeline()
        .to_string();
    for line in [
        "echo same completed {\"n\":1} -> {\"n\":1}",
        "echo same completed {\"n\":2} -> {\"n\":2}",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

#[tokio::test]
async fn a_call_that_the_ledger_answers_is_told() {
    let ledger = Arc::new(MemoryLedger::new());
    let ctx = || {
        let ledger = Arc::clone(&ledger);
        RunContext::new()
            .with_run_id("r1")
            .with_tool_effect_ledger(ledger)
    };
    let save = || Made::echo("save").policy(ToolPolicy::classified());
    for note in [None, Some("recovery: effect ledger: recorded")] {
        let model = ScriptedModel::new().call("save", json!({})).text("done");
        let messages = vec![Message::user("go")];
        let harness = harness(model, [save()]);
        let run = harness.invoke_in_context(&(), ctx(), messages).await;
        let [text, html] = shown(&run.unwrap());
        assert!(text.contains("save call-1 completed {} -> {}"), "{text}");
        assert_eq!(text.contains("effect ledger"), note.is_some(), "{text}");
        assert!(text.contains(note.unwrap_or_default()), "{text}");
        assert_eq!(html.contains("tick recovery"), note.is_some());
    }
}
