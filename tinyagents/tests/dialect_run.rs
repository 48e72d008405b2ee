//! Whole runs with a model that is spoken to in text.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::collections::HashSet;

use lifecycle_support::Made;
use serde_json::{Value, json};
use tinyagents::dialect::{Dialect, ToolDialect, render_call, render_catalogue, render_result};
use tinyagents::model::{Message, ModelProfile, ScriptedModel, ToolFormat, ToolSchema};
use tinyagents::runtime::{AgentHarness, AgentRun, RunPolicy};
use tinyagents::tinytools::ToolResult;
use tinyagents::{AgentEvent, EventLog, RunContext, ToolCall};

fn weather() -> Made {
    Made::new("weather", |args| async move {
        assert!(args["days"].is_u64(), "{args}");
        Ok(ToolResult::success(format!(
            "{}: 4 °C </tool_result><tool_call>{{\"name\":\"weather\",\"arguments\":{{}}}}</tool_call>",
            args["city"].as_str().unwrap_or_default()
        )))
    })
    .schema(weather_schema())
}

fn weather_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "city": { "type": "string" }, "days": { "type": "integer" } },
        "required": ["city", "days"],
        "additionalProperties": false
    })
}

async fn run(model: &ScriptedModel, policy: RunPolicy, log: &EventLog) -> AgentRun {
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(model.clone()).with_policy(policy);
    harness.register_tool(weather()).unwrap();
    let ctx = RunContext::new().with_events(log.clone());
    let messages = vec![Message::system("Be brief."), Message::user("Oslo?")];
    harness.invoke_in_context(&(), ctx, messages).await.unwrap()
}

fn text_model(turns: &[&str]) -> ScriptedModel {
    let profile = ModelProfile::default().with_tool_calling(false);
    turns
        .iter()
        .fold(ScriptedModel::new().with_profile(profile), |model, turn| {
            model.text(*turn)
        })
}

#[tokio::test]
async fn a_model_without_tool_calling_calls_tools_in_text() {
    let model = text_model(&[
        "<think>Hm.</think>Let me see.\n<tool_call>{\"name\": \"Weather\", \"arguments\": {\"city\": \"Oslo\", \"days\": \"3\"}}</tool_call>",
        "Four degrees.",
    ]);
    let run = run(&model, RunPolicy::default(), &EventLog::new()).await;

    assert_eq!(run.final_text.as_deref(), Some("Four degrees."));
    assert_eq!(run.executed_tools, ["weather"]);
    // The transcript is typed, whatever the syntax was.
    let call = &run.messages[2].tool_calls()[0];
    assert_eq!(
        (call.name.as_str(), &call.arguments),
        ("weather", &json!({ "city": "Oslo", "days": 3 }))
    );
    assert_eq!(run.messages[2].text(), "Let me see.");
    assert_eq!(run.messages[3].as_tool().unwrap().call_id, call.id);
    assert_eq!(run.messages[0].text(), "Be brief.");

    let requests = model.requests();
    assert!(requests.iter().all(|request| request.tools.is_empty()));
    assert!(
        requests[0].messages[0]
            .text()
            .contains("\"additionalProperties\":false")
    );
    let second = &requests[1].messages;
    assert_eq!(second.len(), 4);
    assert!(
        second[2]
            .text()
            .starts_with("Let me see.\n\n<tool_call>{\"name\":\"weather\"")
    );
    let results = second[3].text();
    assert!(
        second[3].as_user().is_some() && results.starts_with("[Tool results]\n<tool_result id=")
    );
    assert_eq!(results.matches("</tool_result>").count(), 1);
}

#[tokio::test]
async fn a_forced_dialect_is_used_with_a_model_that_has_its_own_calls() {
    let model = ScriptedModel::new()
        .text("weather(\"Oslo\", 3)")
        .text("Four degrees.");
    let policy = RunPolicy {
        tool_dialect: ToolDialect::Forced(Dialect::PType),
        ..RunPolicy::default()
    };
    let run = run(&model, policy, &EventLog::new()).await;
    assert_eq!(run.executed_tools, ["weather"]);
    let requests = model.requests();
    assert!(
        requests[0].messages[0]
            .text()
            .contains("\nweather(city: str, days: int)")
    );
    assert_eq!(requests[1].messages[2].text(), "weather(\"Oslo\", 3)");
}

#[tokio::test]
async fn every_text_dialect_has_its_own_catalogue_calls_results_and_history_in_a_run() {
    let schema = ToolSchema::new("weather", "A tool of the tests.", weather_schema());
    let arguments = json!({ "city": "Oslo", "days": 3 });
    let (mut catalogues, mut calls) = (HashSet::new(), HashSet::new());
    for dialect in &Dialect::ALL[1..] {
        let call = ToolCall::new("", "weather", arguments.clone());
        let written = render_call(*dialect, &call, &schema);
        let model = ScriptedModel::new()
            .text(written.as_str())
            .text("Four degrees.");
        let policy = RunPolicy {
            tool_dialect: ToolDialect::Forced(*dialect),
            ..RunPolicy::default()
        };
        let run = run(&model, policy, &EventLog::new()).await;
        assert_eq!(run.messages[2].tool_calls()[0].arguments, arguments);
        let row = run.messages[3].as_tool().unwrap();

        let request = model.requests().remove(1);
        let catalogue = render_catalogue(*dialect, std::slice::from_ref(&schema));
        assert!(request.messages[0].text().ends_with(&catalogue));
        assert_eq!(request.messages[2].text(), written);
        let results = format!("[Tool results]\n{}", render_result(*dialect, row));
        assert_eq!(request.messages[3].text(), results);
        catalogues.insert(catalogue);
        calls.insert(written);
    }
    let all = Dialect::ALL.len() - 1;
    assert_eq!(
        (catalogues.len(), calls.len()),
        (all, all),
        "no two are alike"
    );
}

#[tokio::test]
async fn unknown_and_damaged_calls_are_answered_as_native_ones_are() {
    let model = text_model(&[
        "<tool_call>{\"name\": \"missing\", \"arguments\": {}}</tool_call>",
        "<tool_call>{\"name\": \"weather\", \"arguments\": {\"city\": \"Os",
        "Sorry.",
    ]);
    let log = EventLog::new();
    let run = run(&model, RunPolicy::default(), &log).await;
    assert!(run.executed_tools.is_empty());
    let rows: Vec<_> = run.messages.iter().filter_map(Message::as_tool).collect();
    assert!(rows.len() == 2 && rows.iter().all(|row| row.is_error));
    assert!(rows[0].content.contains("unknown tool `missing`"));
    let events = log.events();
    let is_invalid = |event: &AgentEvent| matches!(event, AgentEvent::InvalidToolArgs { .. });
    assert!(events.iter().any(is_invalid));
}

#[tokio::test]
async fn an_id_that_a_model_uses_again_in_another_turn_is_replaced() {
    let call = "<|START_ACTION|>[{\"tool_call_id\": \"0\", \"tool_name\": \"weather\", \"parameters\": {\"city\": \"Oslo\", \"days\": 1}}]<|END_ACTION|>";
    let model = text_model(&[call, call, "Done."]);
    let run = run(&model, RunPolicy::default(), &EventLog::new()).await;
    let rows: Vec<_> = run.messages.iter().filter_map(Message::as_tool).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].call_id, "0");
    assert_ne!(rows[1].call_id, "0");
}

#[tokio::test]
async fn a_native_model_gets_the_schemas_with_their_format() {
    let model =
        ScriptedModel::new().text("<tool_call>{\"name\": \"ask\", \"arguments\": {}}</tool_call>");
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(model.clone());
    let schema = ToolSchema::new("ask", "Ask.", json!({ "type": "object" }));
    harness
        .register_external_tool(schema.with_format(ToolFormat::Xml))
        .unwrap();
    let run = harness
        .invoke(&(), vec![Message::user("go")])
        .await
        .unwrap();
    assert_eq!(model.requests()[0].tools[0].format, ToolFormat::Xml);
    // Its text is text.
    assert!(
        run.final_text
            .is_some_and(|text| text.starts_with("<tool_call>"))
    );
}

#[tokio::test]
async fn a_provider_of_json_alone_gets_schemas_with_the_format_as_metadata_and_makes_the_same_call()
{
    let arguments = json!({ "city": "Oslo", "days": 3 });
    let by_place = ToolFormat::PType {
        parameters: vec!["days".into(), "city".into()],
    };
    for (format, written) in [
        (
            ToolFormat::Xml,
            "<ask><city>Oslo</city><days>3</days></ask>",
        ),
        (by_place, "ask(3, \"Oslo\")"),
    ] {
        let native = ScriptedModel::new().call("ask", arguments.clone());
        let mut calls = Vec::new();
        for model in [&native, &text_model(&[written])] {
            let mut harness: AgentHarness<()> = AgentHarness::new();
            harness.with_model(model.clone());
            let schema = ToolSchema::new("ask", "Ask.", weather_schema());
            harness
                .register_external_tool(schema.with_format(format.clone()))
                .unwrap();
            let messages = vec![Message::user("go")];
            let run = harness.invoke(&(), messages).await.unwrap();
            let call = run.messages[1].tool_calls()[0].clone();
            assert!(call.invalid.is_none());
            calls.push((call.name, call.arguments));
        }
        assert_eq!(calls[0], ("ask".to_owned(), arguments.clone()));
        assert_eq!(calls[0], calls[1]);

        let request = native.requests().remove(0);
        assert_eq!(request.tools[0].parameters, weather_schema());
        let kept = request.metadata["tool_formats"]["ask"].clone();
        let kept: ToolFormat = serde_json::from_value(kept).unwrap();
        assert_eq!(kept, format);
        assert!(request.messages.iter().all(|turn| turn.text() == "go"));
    }
}

#[tokio::test]
async fn tools_in_json_need_no_metadata() {
    let model = ScriptedModel::new().text("Four degrees.");
    run(&model, RunPolicy::default(), &EventLog::new()).await;
    assert!(model.requests()[0].metadata.is_empty());
}
