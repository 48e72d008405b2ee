//! Runs whose model is shown prepared schemas.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod lifecycle_support;

use std::sync::{Arc, Mutex};

use lifecycle_support::{Made, call, dispatcher, harness, row};
use serde_json::{Value, json};
use tinyagents::model::{
    ChatModel, ModelError, ModelProfile, ModelRequest, ModelResponse, ScriptedModel,
};
use tinyagents::schema::{SchemaCompaction, SchemaPreparation, SchemaTarget};
use tinyagents::tinytools::{Injected, async_trait};
use tinyagents::{
    AgentEvent, AgentHarness, EventLog, Message, RunContext, RunPolicy, TinyAgentsError, ToolCall,
    ToolRegistry, ToolSchema,
};

fn under(target: SchemaTarget) -> RunPolicy {
    RunPolicy {
        tool_schemas: Some(SchemaPreparation {
            target,
            compaction: None,
        }),
        ..RunPolicy::default()
    }
}

/// Keeps the declarations that each request brings.
#[derive(Clone)]
struct Watching {
    inner: Arc<ScriptedModel>,
    seen: Arc<Mutex<Vec<Arc<[ToolSchema]>>>>,
}

#[async_trait]
impl ChatModel for Watching {
    fn profile(&self) -> ModelProfile {
        self.inner.profile()
    }

    async fn complete(&self, request: ModelRequest) -> Result<ModelResponse, ModelError> {
        self.seen.lock().unwrap().push(Arc::clone(&request.tools));
        self.inner.complete(request).await
    }
}

fn optional() -> Value {
    json!({
        "type": "object",
        "properties": {
            "city": { "type": "string" },
            "days": { "type": "integer" },
            "wait": { "oneOf": [
                { "type": "object", "properties": { "kind": { "const": "until" }, "date": { "type": "string" } }, "required": ["kind"] },
                { "type": "object", "properties": { "kind": { "const": "for" }, "minutes": { "type": "number" } }, "required": ["kind"] }
            ] }
        },
        "required": ["city"],
        "additionalProperties": false
    })
}

#[tokio::test]
async fn the_model_is_shown_the_prepared_schema_made_once() {
    let script = ScriptedModel::new()
        .call("t", json!({ "city": "Oslo", "days": null, "wait": null }))
        .text("done");
    let model = Watching {
        inner: Arc::new(script),
        seen: Arc::default(),
    };
    let seen = Arc::clone(&model.seen);
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness
        .with_model(model)
        .with_policy(under(SchemaTarget::OpenAiStrict));
    harness
        .register_tool(Made::echo("t").schema(optional()))
        .unwrap();
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let run = harness
        .invoke_in_context(&(), ctx, vec![Message::user("go")])
        .await
        .unwrap();

    let seen = seen.lock().unwrap();
    assert_eq!(
        seen[0][0].parameters["required"],
        json!(["city", "days", "wait"])
    );
    assert!(Arc::ptr_eq(&seen[0], &seen[1]));
    assert_eq!(
        harness.registry().get("t").unwrap().schema().parameters,
        optional()
    );
    // What strict mode makes of an optional argument is dropped again: the tool sees what it declared.
    assert_eq!(row(&run).content, r#"{"city":"Oslo"}"#);
    let bytes = serde_json::to_string(&seen[0][0]).unwrap().len();
    assert!(log.events().iter().any(
        |event| matches!(event, AgentEvent::ToolsAdvertised { schema_bytes, .. } if *schema_bytes == bytes)
    ));
}

#[tokio::test]
async fn nulls_of_strict_mode_go_inside_a_union_too() {
    let dispatcher = dispatcher([Made::echo("t").schema(optional())])
        .with_policy(under(SchemaTarget::OpenAiStrict));
    let sent = json!({ "city": "Oslo", "days": 2, "wait": { "kind": "until", "date": null } });
    let calls = vec![ToolCall::new("c1", "t", sent)];
    let batch = dispatcher
        .dispatch(&(), &RunContext::new(), calls)
        .await
        .unwrap();
    assert_eq!(
        batch.messages[0].content,
        r#"{"city":"Oslo","days":2,"wait":{"kind":"until"}}"#
    );
}

#[tokio::test]
async fn a_call_is_checked_against_the_declared_schema() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer", "exclusiveMinimum": 0 } } });
    let dispatcher =
        dispatcher([Made::echo("t").schema(schema)]).with_policy(under(SchemaTarget::Gemini));
    let ctx = RunContext::new();
    let turn = dispatcher.turn(&ctx).await.unwrap();
    assert_eq!(
        turn.schemas()[0].parameters["properties"]["n"],
        json!({ "type": "integer", "description": "Above 0." })
    );
    let calls = vec![
        ToolCall::new("c1", "t", json!({ "n": 0 })),
        ToolCall::new("c2", "t", json!({ "n": 1 })),
    ];
    let batch = turn.dispatch(&(), &ctx, calls).await.unwrap();
    assert!(
        batch.messages[0].is_error && batch.messages[0].content.contains("above 0"),
        "{}",
        batch.messages[0].content
    );
    assert_eq!(batch.messages[1].content, r#"{"n":1}"#);
}

#[tokio::test]
async fn a_renamed_argument_reaches_the_tool_under_its_own_name() {
    let schema = json!({ "type": "object", "properties": { "$top": { "type": "integer" } }, "additionalProperties": false });
    let dispatcher =
        dispatcher([Made::echo("t").schema(schema)]).with_policy(under(SchemaTarget::Anthropic));
    let ctx = RunContext::new();
    let turn = dispatcher.turn(&ctx).await.unwrap();
    assert_eq!(
        turn.schemas()[0].parameters["properties"],
        json!({ "_top": { "type": "integer" } })
    );
    let calls = vec![
        ToolCall::new("c1", "t", json!({ "_top": 5 })),
        // A model may have seen the declared name elsewhere.
        ToolCall::new("c2", "t", json!({ "$top": 5 })),
    ];
    let batch = turn.dispatch(&(), &ctx, calls).await.unwrap();
    for row in &batch.messages {
        assert_eq!(row.content, r#"{"$top":5}"#);
    }
    // The transcript keeps what the model wrote.
    assert_eq!(batch.calls[0].arguments, json!({ "_top": 5 }));
}

#[tokio::test]
async fn no_hidden_value_comes_in_by_another_name_of_an_argument() {
    let schema = json!({ "type": "object", "properties": { "@user": { "type": "string" } } });
    let mut tool = Made::echo("t").schema(schema);
    tool.injected = vec![Injected::of::<u32>("_user")];
    let dispatcher = dispatcher([tool]).with_policy(under(SchemaTarget::Anthropic));
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone()).provide(7_u32);
    let calls = vec![ToolCall::new(
        "c1",
        "t",
        json!({ "_user": 1, "@user": "a" }),
    )];
    let batch = dispatcher.dispatch(&(), &ctx, calls).await.unwrap();
    assert_eq!(batch.messages[0].content, r#"{"@user":"a"}"#);
    assert!(
        log.events()
            .iter()
            .any(|event| matches!(event, AgentEvent::ForgedHiddenArgument { .. }))
    );
}

#[tokio::test]
async fn without_a_preparation_schemas_are_sent_as_they_are() {
    let dispatcher = dispatcher([Made::echo("t").schema(optional())]);
    let ctx = RunContext::new();
    let turn = dispatcher.turn(&ctx).await.unwrap();
    assert_eq!(turn.schemas()[0].parameters, optional());
    let batch = turn
        .dispatch(&(), &ctx, vec![call("c1", "t")])
        .await
        .unwrap();
    assert!(batch.messages[0].is_error);
}

#[tokio::test]
async fn two_policies_on_one_registry_each_get_their_own() {
    let mut registry = ToolRegistry::new();
    registry
        .register(Made::echo("t").schema(optional()))
        .unwrap();
    let ctx = RunContext::new();
    let mut shown = Vec::new();
    for target in [
        SchemaTarget::Gemini,
        SchemaTarget::OpenAiStrict,
        SchemaTarget::Gemini,
    ] {
        let dispatcher = tinyagents::Dispatcher::new(registry.clone()).with_policy(under(target));
        shown.push(dispatcher.turn(&ctx).await.unwrap().schemas().to_vec());
    }
    assert_ne!(shown[0], shown[1]);
    assert_eq!(shown[0], shown[2]);
}

#[test]
fn one_offending_tool_is_found_alone() {
    let mut registry = ToolRegistry::new();
    registry
        .register(Made::echo("good").schema(optional()))
        .unwrap();
    let values: Vec<String> = (0..1_001).map(|number| format!("v{number}")).collect();
    let schema =
        json!({ "type": "object", "properties": { "a": { "type": "string", "enum": values } } });
    registry.register(Made::echo("bad").schema(schema)).unwrap();
    let found = registry.lint();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].tool.as_str(), found[0].target),
        ("bad", SchemaTarget::OpenAiStrict)
    );
    assert!(found[0].findings[0].message.contains("values of `enum`"));
}

#[test]
fn a_catalogue_of_more_tools_than_a_provider_takes_is_found() {
    let mut registry = ToolRegistry::new();
    let mut lint = |to: usize| {
        for number in registry.len()..to {
            let schema = ToolSchema::new(format!("t{number}"), "Do it.", optional());
            registry.register_external(schema).unwrap();
        }
        let found = registry.lint();
        assert!(found.iter().all(|found| found.tool.is_empty()));
        found.iter().map(|found| found.target).collect::<Vec<_>>()
    };
    assert_eq!(lint(128), []);
    let few = [
        SchemaTarget::Portable,
        SchemaTarget::OpenAi,
        SchemaTarget::OpenAiStrict,
    ];
    assert_eq!(lint(129), few);
    assert_eq!(lint(512), few);
    assert!(lint(513).contains(&SchemaTarget::Gemini));
    let findings = &registry.lint()[0].findings;
    assert!(
        findings[0].to_string().contains("513 tools"),
        "{findings:?}"
    );
}

#[tokio::test]
async fn tools_that_the_models_profile_does_not_allow_are_not_sent() {
    let profile = |tools, bytes| {
        let mut profile = ModelProfile::default().with_max_tools(tools);
        profile.max_description_bytes = bytes;
        profile
    };
    for (profile, fault) in [
        (profile(Some(1), None), "2 of them, where 1 are allowed"),
        (profile(None, Some(3)), "the description of `a` has"),
    ] {
        let model = ScriptedModel::new().text("end").with_profile(profile);
        let harness = harness(model.clone(), ["a", "b"].map(Made::echo));
        let failed = harness.invoke(&(), vec![Message::user("go")]).await;
        let Err(TinyAgentsError::Model(ModelError::ToolsBeyondProfile(text))) = failed else {
            unreachable!("{failed:?}")
        };
        assert!(text.contains(fault), "{text}");
        assert!(model.requests().is_empty());
    }
    let model = ScriptedModel::new()
        .text("end")
        .with_profile(profile(Some(2), Some(100)));
    let harness = harness(model, ["a", "b"].map(Made::echo));
    assert!(harness.invoke(&(), vec![Message::user("go")]).await.is_ok());
}

#[tokio::test]
async fn a_compacted_catalogue_keeps_within_its_bound() {
    let mut properties = json!({});
    for name in ["a", "b", "c"] {
        properties[name] = json!({ "type": "string", "description": "Words. ".repeat(200) });
    }
    let schema = json!({ "type": "object", "properties": properties });
    let dispatcher = dispatcher([Made::echo("t").schema(schema)]).with_policy(RunPolicy {
        tool_schemas: Some(SchemaPreparation {
            target: SchemaTarget::Mcp,
            compaction: Some(SchemaCompaction::THIRD_PARTY),
        }),
        ..RunPolicy::default()
    });
    let turn = dispatcher.turn(&RunContext::new()).await.unwrap();
    let text = turn.schemas()[0].parameters.to_string();
    assert!(text.len() <= 1_000 && text.contains("Words."), "{text}");
}
