//! What becomes of arguments that aren't as they should be, and what a host sees of it.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;
mod recovery_support;

use std::sync::{Arc, Mutex};

use lifecycle_support::{Made, add, dispatch, dispatcher, go, harness, row};
use recovery_support::{normalizing, raw, sent};
use serde_json::{Value, json};
use tinyagents::middleware::{Middleware, ToolDecision};
use tinyagents::model::ScriptedModel;
use tinyagents::runtime::{
    ArgumentCoercion, InvalidArgsPolicy, LimitKind, RunLimits, RunPolicy, StopReason,
    UnknownToolPolicy,
};
use tinyagents::tinytools::{Injected, ToolError, ToolPolicy, async_trait};
use tinyagents::{RunContext, TinyAgentsError, ToolCall};

#[tokio::test]
async fn text_that_can_be_mended_runs_and_is_told_as_it_was() {
    for invalid_args in [
        InvalidArgsPolicy::ReturnToolError,
        InvalidArgsPolicy::Fail,
        InvalidArgsPolicy::NormalizeThenReturnToolError,
    ] {
        let policy = RunPolicy {
            invalid_args,
            ..RunPolicy::default()
        };
        let text = "{{city: 'Oslo', days: 3,}}";
        let (batch, told) = sent(&Made::echo("echo"), policy, raw(text)).await;
        assert_eq!(batch.messages[0].content, r#"{"city":"Oslo","days":3}"#);
        let [(arguments, error, recovery)] = &told[..] else {
            unreachable!("{told:?}")
        };
        assert_eq!((arguments, recovery.as_str()), (&json!(text), "repaired"));
        assert!(error.contains("key must be a string"), "{error}");
    }
}

#[tokio::test]
async fn text_that_cannot_be_mended_is_answered_under_every_policy() {
    for invalid_args in [
        InvalidArgsPolicy::ReturnToolError,
        InvalidArgsPolicy::Fail,
        InvalidArgsPolicy::NormalizeThenReturnToolError,
    ] {
        let policy = RunPolicy {
            invalid_args,
            ..RunPolicy::default()
        };
        let tool = Made::echo("echo");
        let text = r#"{"path": "notes.txt", "content": "cut of"#;
        let (batch, told) = sent(&tool, policy, raw(text)).await;
        assert!(batch.messages[0].is_error && tool.runs() == 0);
        assert_eq!(
            (&told[0].0, told[0].2.as_str()),
            (&json!(text), "tool_error")
        );
    }
}

#[tokio::test]
async fn what_is_mended_is_still_validated() {
    let tool = add();
    let call = ToolCall::from_text("c1", "add", "{a: 1, b: '2', c: 3}");
    let (batch, told) = sent(&tool, RunPolicy::default(), call).await;
    assert!(batch.messages[0].is_error && tool.runs() == 0);
    assert!(
        batch.messages[0]
            .content
            .contains("b: expected an integer, got the string \"2\"")
    );
    let labels: Vec<&str> = told.iter().map(|(_, _, label)| label.as_str()).collect();
    assert_eq!(labels, ["repaired", "tool_error"]);
}

#[tokio::test]
async fn a_number_beyond_range_and_a_key_given_twice_are_told_in_words() {
    for (text, words) in [
        (r#"{"x": 1e400}"#, "number out of range"),
        ("{x: -1e400}", "key must be a string"),
        (
            r#"{"x": 1, "x": 1}"#,
            "the key `x` is there twice; give it once",
        ),
    ] {
        let tool = Made::echo("echo");
        let (batch, _) = sent(&tool, normalizing(), raw(text)).await;
        assert!(
            batch.messages[0].content.contains(words),
            "{}",
            batch.messages[0].content
        );
        assert_eq!(tool.runs(), 0);
    }
}

/// Keeps the arguments of every call it sees.
#[derive(Clone, Default)]
struct Watch(Arc<Mutex<Vec<Value>>>);

#[async_trait]
impl Middleware for Watch {
    async fn before_tool(
        &self,
        _: &mut RunContext,
        call: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        self.0.lock().unwrap().push(call.arguments.clone());
        Ok(ToolDecision::Proceed)
    }
}

#[tokio::test]
async fn a_middleware_sees_the_mended_arguments_and_no_debris() {
    let watch = Watch::default();
    let mut tool = Made::echo("echo");
    tool.injected = vec![Injected::of::<u64>("tenant")];
    let dispatcher = dispatcher([tool]).with_middleware(watch.clone());
    let ctx = RunContext::new().provide(7_u64);
    let calls = vec![raw("{a: 1, tenant: 2}")];
    dispatch(&dispatcher, &ctx, calls).await;
    dispatch(&dispatcher, &ctx, vec![raw("{a: 1, tenant")]).await;
    assert_eq!(*watch.0.lock().unwrap(), [json!({ "a": 1 })]);
}

#[tokio::test]
async fn the_text_of_an_unknown_tool_is_echoed_and_that_of_a_rewritten_call_mended() {
    let call = || ToolCall::from_text("c1", "missing", "{a: 1}");
    let tool = Made::echo("echo");
    let (batch, told) = sent(&tool, RunPolicy::default(), call()).await;
    assert!(
        batch.messages[0]
            .content
            .contains("called with {a: 1}; available")
    );
    assert_eq!(told, []);
    let policy = RunPolicy {
        unknown_tool: UnknownToolPolicy::Rewrite {
            tool_name: "echo".into(),
        },
        ..RunPolicy::default()
    };
    let (batch, told) = sent(&tool, policy, call()).await;
    assert_eq!(batch.messages[0].content, r#"{"a":1}"#);
    assert_eq!(told[0].2, "repaired");
}

#[tokio::test]
async fn every_recovery_takes_a_place_of_the_run() {
    let tool = Made::echo("echo");
    let policy = RunPolicy {
        limits: RunLimits {
            max_tool_calls: 2,
            ..RunLimits::default()
        },
        ..RunPolicy::default()
    };
    let texts = ["{a: 1}", "{a: ", "{a: 1}"];
    let calls = texts.iter().zip(["a", "b", "c"]);
    let calls = calls
        .map(|(text, id)| ToolCall::from_text(id, "echo", text))
        .collect();
    let dispatcher = dispatcher([tool.clone()]).with_policy(policy);
    let batch = dispatch(&dispatcher, &RunContext::new(), calls).await;
    assert_eq!(batch.messages[2].content, "not run: limit");
    assert_eq!(tool.runs(), 1);
}

#[tokio::test]
async fn the_same_broken_text_over_and_over_stops_the_run() {
    let mut model = ScriptedModel::new();
    for _ in 0..10 {
        model = model.raw_call("echo", r#"{"a": "#);
    }
    let tool = Made::echo("echo");
    let run = go(&harness(model, [tool.clone()])).await;
    let limit = LimitKind::IdenticalFailures(5);
    assert_eq!(run.stop, StopReason::Limit(limit));
    assert_eq!(tool.runs(), 0);
}

#[tokio::test]
async fn blank_arguments_are_none_and_the_schema_decides() {
    for arguments in [json!(""), json!(" \n"), json!("null"), Value::Null] {
        for call in [
            ToolCall::new("c1", "echo", arguments.clone()),
            ToolCall {
                invalid: Some("EOF while parsing".into()),
                ..ToolCall::new("c1", "echo", arguments.clone())
            },
        ] {
            let (batch, told) = sent(&Made::echo("echo"), RunPolicy::default(), call.clone()).await;
            assert_eq!((batch.messages[0].content.as_str(), told.len()), ("{}", 0));

            let mut call = call;
            call.name = "add".into();
            let (batch, _) = sent(&add(), RunPolicy::default(), call).await;
            assert!(
                batch.messages[0]
                    .content
                    .contains("a: expected an integer, got nothing")
            );
        }
    }
}

#[tokio::test]
async fn an_object_written_as_a_string_is_read_only_under_the_policy_for_it() {
    for text in [
        r#"{"a": 1}"#,
        "```json\n{\"a\": 1}\n```",
        "```{\"a\": 1}```",
        "  {\"a\": 1}\n",
    ] {
        let tool = Made::echo("echo").policy(ToolPolicy::default());
        let call = || ToolCall::new("c1", "echo", json!(text));
        let (batch, told) = sent(&tool, normalizing(), call()).await;
        assert_eq!(batch.messages[0].content, r#"{"a":1}"#, "{text}");
        assert_eq!(
            (&told[0].0, told[0].2.as_str()),
            (&json!(text), "normalized")
        );

        let (batch, told) = sent(&tool, RunPolicy::default(), call()).await;
        assert!(batch.messages[0].is_error);
        assert_eq!(
            (&told[0].0, told[0].2.as_str()),
            (&json!(text), "tool_error")
        );
    }
}

#[tokio::test]
async fn what_is_no_object_stands_for_nothing_only_where_that_does_no_harm() {
    let mut idempotent = ToolPolicy::default();
    idempotent.runtime.idempotent = true;
    let required = json!({ "type": "object", "properties": { "a": {} }, "required": ["a"] });
    for (policy, schema, runs) in [
        (ToolPolicy::read_only(), json!({ "type": "object" }), 1),
        (idempotent, json!({ "type": "object" }), 1),
        (ToolPolicy::default(), json!({ "type": "object" }), 0),
        (ToolPolicy::read_only(), required, 0),
    ] {
        for arguments in [json!([]), json!(5), json!("hello"), json!(true)] {
            let tool = Made::echo("echo")
                .policy(policy.clone())
                .schema(schema.clone());
            let call = ToolCall::new("c1", "echo", arguments.clone());
            let (batch, told) = sent(&tool, normalizing(), call.clone()).await;
            assert_eq!(tool.runs(), runs, "{arguments}");
            assert_eq!(batch.messages[0].content == "{}", runs == 1);
            assert_eq!(told[0].0, arguments);

            let (batch, _) = sent(&tool, RunPolicy::default(), call).await;
            assert!(batch.messages[0].is_error);
        }
    }
}

#[tokio::test]
async fn arguments_are_converted_only_where_the_policy_says_so() {
    let call = || ToolCall::new("c1", "add", json!({ "a": "5", "b": 30.0, "note": "7" }));
    let (batch, _) = sent(&add(), RunPolicy::default(), call()).await;
    assert!(
        batch.messages[0]
            .content
            .contains("a: expected an integer, got the string \"5\"")
    );
    let policy = RunPolicy {
        coercion: ArgumentCoercion::Lossless,
        ..RunPolicy::default()
    };
    let (batch, told) = sent(&add(), policy, call()).await;
    assert_eq!((batch.messages[0].content.as_str(), told.len()), ("35", 0));
}

#[tokio::test]
async fn a_tool_asks_for_corrections_up_to_its_budget_and_others_keep_theirs() {
    let picky = |name| {
        Made::new(name, |_| async {
            Err(ToolError::retry("use an ISO date").into())
        })
    };
    let dispatcher = dispatcher([picky("one"), picky("two")]);
    let ctx = RunContext::new();
    for turn in 1..=4 {
        let call = ToolCall::new(format!("c{turn}"), "one", json!({ "turn": turn }));
        let batch = dispatch(&dispatcher, &ctx, vec![call]).await;
        let text = &batch.messages[0].content;
        assert_eq!(
            text.contains("use an ISO date") && !text.contains("do not call"),
            turn <= 3,
            "{turn}: {text}"
        );
    }
    let call = ToolCall::new("d", "two", json!({}));
    let batch = dispatch(&dispatcher, &ctx, vec![call]).await;
    assert_eq!(batch.messages[0].content, "use an ISO date");
}

#[tokio::test]
async fn a_mended_call_of_a_run_is_answered_with_its_id() {
    let model = ScriptedModel::new()
        .raw_call("echo", "{city:\"Oslo\"}")
        .text("end");
    let run = go(&harness(model, [Made::echo("echo")])).await;
    let row = row(&run);
    assert_eq!(
        (row.content.as_str(), row.is_error),
        (r#"{"city":"Oslo"}"#, false)
    );
    assert!(!row.call_id.is_empty());
}
