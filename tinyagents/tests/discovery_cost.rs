//! What the first request costs with tools that are searched for.

#![allow(missing_docs, clippy::unwrap_used)]

mod toolset_support;

use serde_json::{Map, Value, json};
use tinyagents::schema::{SchemaPreparation, SchemaTarget};
use tinyagents::{
    AgentEvent, Dispatcher, EventLog, RunContext, RunPolicy, ToolDiscoveryPolicy, ToolExposure,
    ToolSchema,
};
use toolset_support::{Echo, registry};

const VERBS: [&str; 8] = [
    "create", "list", "update", "delete", "archive", "search", "merge", "export",
];
const NOUNS: [&str; 6] = [
    "issue", "invoice", "branch", "calendar", "contact", "report",
];

/// A tool of about 600 bytes whose first sentence has 60 characters.
fn typical(number: usize) -> Echo {
    let (verb, noun) = (VERBS[number % 8], NOUNS[number / 8]);
    let sentence = format!("{verb} one {noun} of the workspace that the user has chosen now");
    let sentence: String = sentence.chars().take(59).collect();
    let mut properties = Map::new();
    for property in ["workspace_id", "title", "labels"] {
        let text = format!("The {property} of the {noun}, as the user has given it.");
        properties.insert(
            property.into(),
            json!({ "type": "string", "description": text }),
        );
    }
    let description = format!(
        "{sentence}. Needs write access and a workspace that isn't archived; answers with what has become of the {noun}, or with the reason why nothing has."
    );
    Echo::deferred(format!("{verb}_{noun}"), &description).schema(json!({
        "type": "object",
        "properties": properties,
        "required": ["workspace_id"],
        "additionalProperties": false,
    }))
}

fn fixture(deferred: bool) -> Vec<Echo> {
    let mut tools: Vec<Echo> = (0..41).map(typical).collect();
    for (number, tool) in tools.iter_mut().enumerate() {
        if number == 0 || !deferred {
            tool.exposure = ToolExposure::Direct;
        }
    }
    tools
}

fn bytes(schemas: &[ToolSchema]) -> usize {
    serde_json::to_string(schemas).unwrap().len()
}

#[tokio::test]
async fn forty_one_tools_cost_at_most_fifteen_percent() {
    let ctx = RunContext::new();
    let all = Dispatcher::new(registry(fixture(false)))
        .turn(&ctx)
        .await
        .unwrap();
    let all = bytes(all.schemas());
    assert!((22_000..27_500).contains(&all), "{all}");

    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let turn = Dispatcher::new(registry(fixture(true)))
        .turn(&ctx)
        .await
        .unwrap();
    let sent = bytes(turn.schemas());
    assert!(sent * 100 <= all * 15, "{sent} of {all}");
    let manifest = &turn.schemas()[1].description;
    // Every tool is named, and says the beginning of what it does.
    for tool in fixture(true).iter().skip(1) {
        let line = format!(
            "\n{}: {} one",
            tool.name,
            tool.name.split('_').next().unwrap()
        );
        assert!(manifest.contains(&line), "{line} in {manifest}");
    }
}

#[tokio::test]
async fn the_manifest_degrades_with_its_budget() {
    for (budget, has, has_not) in [
        (4_000, "list_issue: list one", "40 tools"),
        (300, "list_issue, ", "list one"),
        (10, "40 tools", "list_issue"),
    ] {
        let discovery = ToolDiscoveryPolicy {
            manifest_token_budget: budget,
            ..ToolDiscoveryPolicy::default()
        };
        let policy = RunPolicy {
            discovery,
            ..RunPolicy::default()
        };
        let dispatcher = Dispatcher::new(registry(fixture(true))).with_policy(policy);
        let turn = dispatcher.turn(&RunContext::new()).await.unwrap();
        let text = &turn.schemas()[1].description;
        assert!(
            text.contains(has) && !text.contains(has_not),
            "{budget}: {text}"
        );
    }
}

#[tokio::test]
async fn what_is_advertised_is_counted() {
    let mut harness: tinyagents::AgentHarness<()> = tinyagents::AgentHarness::new();
    harness.with_model(tinyagents::ScriptedModel::new().text("done"));
    for tool in fixture(true) {
        harness.register_tool(tool).unwrap();
    }
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    harness.invoke_in_context(&(), ctx, vec![]).await.unwrap();
    let counted = log.events().into_iter().find_map(|event| match event {
        AgentEvent::ToolsAdvertised {
            direct,
            deferred,
            schema_bytes,
        } => Some((direct, deferred, schema_bytes)),
        _ => None,
    });
    let turn = Dispatcher::new(harness.registry().clone())
        .turn(&RunContext::new())
        .await
        .unwrap();
    let sent: usize = turn
        .schemas()
        .iter()
        .map(|one| bytes(std::slice::from_ref(one)) - 2)
        .sum();
    assert_eq!(counted, Some((1, 40, sent)));
}

#[tokio::test]
async fn schemas_are_prepared_for_the_provider_wherever_a_model_reads_them() {
    let preparation = SchemaPreparation {
        target: SchemaTarget::Gemini,
        compaction: None,
    };
    let policy = RunPolicy {
        tool_schemas: Some(preparation),
        ..RunPolicy::default()
    };
    let dispatcher = Dispatcher::new(registry(fixture(true))).with_policy(policy);
    let ctx = RunContext::new();
    let search = tinyagents::ToolCall::new("s", "tool_search", json!({ "query": "list_issue" }));
    let batch = dispatcher.dispatch(&(), &ctx, vec![search]).await.unwrap();
    let answer: Value = serde_json::from_str(&batch.messages[0].content).unwrap();
    assert_eq!(answer["tools"][0]["name"], "list_issue");
    let turn = dispatcher.turn(&ctx).await.unwrap();
    let promoted = turn
        .schemas()
        .iter()
        .find(|schema| schema.name == "list_issue")
        .unwrap();
    for parameters in [&answer["tools"][0]["parameters"], &promoted.parameters] {
        // Gemini doesn't take this keyword.
        assert!(
            parameters.get("additionalProperties").is_none(),
            "{parameters}"
        );
    }
}
