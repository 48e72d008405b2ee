//! Whole answers of an OpenAI-compatible endpoint.
#![cfg(feature = "openai")]

use serde_json::json;
use tinyagents::model::{ChatModel, ModelRequest, NameRules};
use tinyagents::{
    AgentHarness, Message, ModelProfile, RunContext, ToolAliases, ToolCall, ToolChoice, ToolFormat,
    ToolName, ToolSchema, Usage, tool,
};

use openai_support::{Server, message, text};

mod openai_support;

/// Look up the weather.
#[tool(read_only)]
fn weather(city: &str) -> String {
    format!("4 °C in {city}")
}

fn ask() -> ModelRequest {
    ModelRequest::new(vec![Message::user("Oslo?")])
}

fn declared(name: &str) -> ToolSchema {
    ToolSchema::new(name, "Look it up.", json!({ "type": "object" }))
}

#[tokio::test]
async fn a_text_is_answered_with_its_usage() {
    let server = Server::start(vec![text("Four degrees.")]).await;
    let response = server.model().complete(ask()).await.unwrap();
    assert_eq!(response.text(), "Four degrees.");
    assert_eq!(response.usage, Usage::new(11, 7));
    assert_eq!(response.finish_reason.as_deref(), Some("stop"));
    let asked = server.asked().remove(0);
    assert!(asked.head.starts_with("POST /v1/chat/completions "));
    assert_eq!(asked.header("authorization"), None);
    assert_eq!(
        asked.body,
        json!({ "model": "test-model", "messages": [{ "role": "user", "content": "Oslo?" }] })
    );
}

#[tokio::test]
async fn the_key_and_further_headers_and_parameters_are_sent() {
    let server = Server::start(vec![text("Hi.")]).await;
    let model = server
        .builder()
        .with_api_key("sk-key\n")
        .with_header("x-team", "blue");
    let model = model.with_parameter("temperature", 0).build().unwrap();
    model.complete(ask()).await.unwrap();
    let asked = server.asked().remove(0);
    assert_eq!(asked.header("authorization"), Some("Bearer sk-key"));
    assert_eq!(asked.header("x-team"), Some("blue"));
    assert_eq!(asked.body["temperature"], json!(0));
}

#[tokio::test]
async fn parallel_calls_keep_their_ids_and_bad_arguments_are_surfaced() {
    let calls = json!([
        { "id": "call_a", "type": "function", "function": { "name": "weather", "arguments": "{\"city\":\"Oslo\"}" } },
        { "id": "call_b", "type": "function", "function": { "name": "weather", "arguments": "{city:" } }
    ]);
    let server = Server::start(vec![message(
        &json!({ "role": "assistant", "content": null, "tool_calls": calls }),
        "tool_calls",
    )])
    .await;
    let request = ask()
        .with_tools([declared("weather")])
        .with_tool_choice(ToolChoice::Required);
    let response = server.model().complete(request).await.unwrap();
    assert_eq!(
        response.tool_calls()[0],
        ToolCall::new("call_a", "weather", json!({ "city": "Oslo" }))
    );
    let bad = &response.tool_calls()[1];
    assert_eq!(
        (bad.id.as_str(), &bad.arguments),
        ("call_b", &json!("{city:"))
    );
    assert!(bad.invalid.is_some());
    assert_eq!(server.bodies()[0]["tool_choice"], json!("required"));
}

#[tokio::test]
async fn a_run_calls_its_tools_and_sends_their_answers_and_the_extras_back() {
    let call = json!({
        "id": "call_a", "type": "function", "extra_content": { "signature": "c2ln" },
        "function": { "name": "weather", "arguments": "{\"city\":\"Oslo\"}" }
    });
    let first = json!({
        "role": "assistant", "content": null, "reasoning_content": "Hm.", "tool_calls": [call]
    });
    let server = Server::start(vec![message(&first, "tool_calls"), text("Four degrees.")]).await;
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(server.model());
    harness.register_tool(WeatherTool).unwrap();
    let run = harness
        .invoke(&(), vec![Message::user("Oslo?")])
        .await
        .unwrap();
    assert_eq!(run.final_text.as_deref(), Some("Four degrees."));
    assert_eq!(run.usage, Usage::new(22, 14));
    assert_eq!(
        server.bodies()[1]["messages"],
        json!([
            { "role": "user", "content": "Oslo?" },
            { "role": "assistant", "content": null, "reasoning_content": "Hm.", "tool_calls": [call] },
            { "role": "tool", "tool_call_id": "call_a", "content": "4 °C in Oslo" }
        ])
    );
}

#[tokio::test]
async fn a_call_that_was_cut_off_never_runs() {
    for arguments in ["", "{\"city\":\"Os", "{{\"city\":\"Oslo\"}"] {
        let call = json!({ "id": "a", "function": { "name": "weather", "arguments": arguments } });
        let cut = json!({ "content": null, "tool_calls": [call] });
        let server = Server::start(vec![message(&cut, "length"), text("Sorry.")]).await;
        let mut harness: AgentHarness<()> = AgentHarness::new();
        harness.with_model(server.model());
        harness.register_tool(WeatherTool).unwrap();
        let run = harness
            .invoke(&(), vec![Message::user("Oslo?")])
            .await
            .unwrap();
        assert!(run.executed_tools.is_empty(), "{arguments}");
        let row = run.messages.iter().find_map(Message::as_tool).unwrap();
        assert!(
            row.is_error && row.content.contains("limit of tokens"),
            "{}",
            row.content
        );
    }
}

#[tokio::test]
async fn a_tool_has_its_alias_on_the_wire_and_its_own_name_here() {
    let call = json!({ "id": "a", "function": { "name": "Bash", "arguments": "{}" } });
    let server = Server::start(vec![message(
        &json!({ "tool_calls": [call] }),
        "tool_calls",
    )])
    .await;
    let name = ToolName::parse("run_command").unwrap();
    let aliases = ToolAliases::new(NameRules::OpenAi)
        .with_alias(&name, "Bash")
        .unwrap();
    let model = server.builder().with_aliases(aliases).build().unwrap();
    let history = Message::assistant_calls("", vec![ToolCall::new("z", "run_command", json!({}))]);
    let request = ModelRequest::new(vec![history, Message::tool("z", "run_command", "ok")])
        .with_tools([declared("run_command")])
        .with_tool_choice(ToolChoice::Tool("run_command".into()));
    let response = model.complete(request).await.unwrap();
    assert_eq!(response.tool_calls()[0].name, "run_command");
    let body = server.bodies().remove(0);
    assert_eq!(body["tools"][0]["function"]["name"], json!("Bash"));
    assert_eq!(
        body["messages"][0]["tool_calls"][0]["function"]["name"],
        json!("Bash")
    );
    assert_eq!(body["tool_choice"]["function"]["name"], json!("Bash"));
}

#[tokio::test]
async fn a_tool_of_another_format_is_declared_in_json_and_its_format_sent_where_completions_are_stored()
 {
    let server = Server::start(vec![text("Hi."), text("Hi.")]).await;
    let request = ask().with_tools([declared("weather").with_format(ToolFormat::Xml)]);
    server.model().complete(request.clone()).await.unwrap();
    let storing = server.builder().with_parameter("store", true);
    storing.build().unwrap().complete(request).await.unwrap();
    let bodies = server.bodies();
    let function = json!({ "name": "weather", "description": "Look it up.", "parameters": { "type": "object" } });
    for body in &bodies {
        assert_eq!(
            body["tools"],
            json!([{ "type": "function", "function": function }])
        );
    }
    assert!(bodies[0].get("metadata").is_none());
    let formats = json!({ "weather": { "type": "xml" } }).to_string();
    assert_eq!(bodies[1]["metadata"], json!({ "tool_formats": formats }));
}

#[tokio::test]
async fn a_model_without_tools_is_spoken_to_in_text() {
    let spoken = "One moment. <tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\"}}</tool_call>";
    let server = Server::start(vec![text(spoken)]).await;
    let profile = ModelProfile::default().with_tool_calling(false);
    let model = server.builder().with_profile(profile).build().unwrap();
    let response = model
        .complete(ask().with_tools([declared("weather")]))
        .await
        .unwrap();
    assert_eq!(response.text(), "One moment.");
    assert_eq!(
        response.tool_calls()[0].arguments,
        json!({ "city": "Oslo" })
    );
    let body = server.bodies().remove(0);
    assert!(body.get("tools").is_none());
    assert!(
        body["messages"][0]["content"]
            .as_str()
            .unwrap()
            .contains("weather")
    );
}

#[tokio::test]
async fn a_call_in_text_that_was_cut_off_is_never_another_call() {
    let whole = [
        "<tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\",\"day\":\"12\"}}</tool_call>",
        "<weather><city>Oslo</city><day>12</day></weather>",
        "weather(\"Oslo\", \"12\")",
        "```json\n{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\",\"day\":\"12\"}}\n```",
        "<invoke name=\"weather\"><parameter name=\"city\">Oslo</parameter><parameter name=\"day\">12</parameter></invoke>",
    ];
    let schema = json!({
        "type": "object",
        "properties": { "city": { "type": "string" }, "day": { "type": "string" } }
    });
    let request = ask().with_tools([ToolSchema::new("weather", "Look it up.", schema)]);
    let profile = ModelProfile::default().with_tool_calling(false);
    let prefixes: Vec<&str> = whole
        .iter()
        .flat_map(|text| (1..text.len()).map(|end| &text[..end]))
        .collect();
    let answers = prefixes
        .iter()
        .map(|text| message(&json!({ "content": text }), "length"));
    let server = Server::start(answers.collect()).await;
    let model = server.builder().with_profile(profile).build().unwrap();
    for text in prefixes {
        let response = model.complete(request.clone()).await.unwrap();
        for call in response.tool_calls() {
            assert!(
                call.invalid.is_some() || call.arguments == json!({ "city": "Oslo", "day": "12" }),
                "{text}: {call:?}"
            );
        }
    }
}

#[tokio::test]
async fn an_endpoint_that_refuses_tools_switches_the_run_to_text() {
    let refusal = openai_support::failure(400, "", "library/tiny:1b does not support tools");
    let spoken = "<tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\"}}</tool_call>";
    let server = Server::start(vec![refusal, text(spoken), text("Four degrees.")]).await;
    let model = server.model();
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(model.clone());
    harness.register_tool(WeatherTool).unwrap();
    let ctx = RunContext::new();
    let run = harness
        .invoke_in_context(&(), ctx, vec![Message::user("Oslo?")])
        .await
        .unwrap();
    assert_eq!(run.final_text.as_deref(), Some("Four degrees."));
    assert_eq!(run.executed_tools, ["weather"]);
    assert!(!model.profile().tool_calling);
    let bodies = server.bodies();
    assert_eq!(bodies.len(), 3);
    assert!(bodies[0].get("tools").is_some());
    for body in &bodies[1..] {
        assert!(body.get("tools").is_none());
        let roles: Vec<&str> = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|message| message["role"].as_str().unwrap())
            .collect();
        assert!(!roles.contains(&"tool"), "{roles:?}");
    }
}
