//! What mended text must not tell: hidden values, and what a tool wants unsaid.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;
mod recovery_support;

use lifecycle_support::{Made, dispatch, dispatcher};
use recovery_support::{normalizing, raw, sent, told};
use serde_json::json;
use tinyagents::runtime::RunPolicy;
use tinyagents::tinytools::{Injected, ToolPolicy};
use tinyagents::{AgentEvent, EventLog, RunContext, ToolCall};

#[tokio::test]
async fn a_hidden_value_in_mended_text_is_stripped_and_never_told() {
    let log = EventLog::new();
    let ctx = RunContext::new().provide(7_u64).with_events(log.clone());
    let mut tool = Made::echo("echo");
    tool.injected = vec![Injected::of::<u64>("tenant")];
    for text in [
        "{q: 1, tenant: 'forged-value'}",
        "{{q: 1, 'tenant': 'forged-value'}}",
        r#"{q: 1, "\u0074enant": "forged-value"}"#,
        r#"{q: 1, <|"|>tenant<|"|>: <|"|>forged-value<|"|>}"#,
    ] {
        let batch = dispatch(&dispatcher([tool.clone()]), &ctx, vec![raw(text)]).await;
        assert_eq!(batch.messages[0].content, r#"{"q":1}"#, "{text}");
    }
    let events = log.events();
    let forged = |event: &&AgentEvent| matches!(event, AgentEvent::ForgedHiddenArgument { .. });
    assert_eq!(events.iter().filter(forged).count(), 4);
    assert!(
        told(&log)
            .iter()
            .all(|(arguments, _, _)| arguments == "[redacted]")
    );
    assert!(!format!("{events:?}").contains("forged-value"));
}

#[tokio::test]
async fn a_hidden_name_inside_of_an_argument_is_an_argument_of_its_own() {
    let log = EventLog::new();
    let ctx = RunContext::new().provide(7_u64).with_events(log.clone());
    let mut tool = Made::echo("echo");
    tool.injected = vec![Injected::of::<u64>("tenant")];
    let arguments = json!({ "filter": { "tenant": 1 }, "tenant": 2, "list": [{ "tenant": 3 }] });
    let calls = vec![ToolCall::new("c1", "echo", arguments)];
    let batch = dispatch(&dispatcher([tool]), &ctx, calls).await;
    assert_eq!(
        batch.messages[0].content,
        r#"{"filter":{"tenant":1},"list":[{"tenant":3}]}"#
    );
}

#[tokio::test]
async fn text_without_an_unsaid_name_is_told_as_it_was() {
    let mut policy = ToolPolicy::read_only();
    policy.access.redact = vec!["password".into()];
    let tool = Made::echo("echo").policy(policy);
    for text in ["{city: 'Oslo'}", "{city: 'Oslo"] {
        let (_, told) = sent(&tool, RunPolicy::default(), raw(text)).await;
        assert_eq!(told[0].0, json!(text));
    }
    for text in ["Oslo", r"{p\u0061ssword: 'Oslo'", "{PASSWORD: 'Oslo'"] {
        let (_, told) = sent(&tool, RunPolicy::default(), raw(text)).await;
        assert_eq!(told[0].0, "[redacted]", "{text}");
    }
}

#[tokio::test]
async fn a_secret_in_text_is_not_told() {
    let mut policy = ToolPolicy::read_only();
    policy.access.redact = vec!["password".into()];
    let tool = Made::echo("echo").policy(policy).schema(json!({
        "type": "object", "properties": { "password": { "type": "string" } }
    }));
    for (text, call_policy) in [
        ("{password: 'hunter2'}", RunPolicy::default()),
        ("{password: ['hunter2']}", RunPolicy::default()),
        ("{password: 'hunter2", RunPolicy::default()),
        (r#""{\"password\": \"hunter2\"}""#, normalizing()),
        (r#""{\"password\": [\"hunter2\"]}""#, normalizing()),
    ] {
        let (batch, told) = sent(&tool, call_policy, raw(text)).await;
        assert!(
            !told.is_empty() && !format!("{told:?}").contains("hunter2"),
            "{told:?}"
        );
        assert!(!batch.messages[0].is_error || !batch.messages[0].content.contains("hunter2"));
    }
}
