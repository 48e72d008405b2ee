//! Against a mock server that others wrote, where one is running: `.ci/run openai_mock` starts it and says where it is in
//! `TINYAGENTS_OPENAI_MOCK`. What it answers is in `openai_mock/fixtures.json`.
#![cfg(feature = "openai")]
#![allow(clippy::unwrap_used, reason = "test code")]

use serde_json::json;
use tinyagents::model::{ChatModel, ModelDelta, ModelError, ModelRequest, OpenAiModel};
use tinyagents::{AgentHarness, Message, ModelResponse, ToolCall, Usage, tool};

/// Look up the weather.
#[tool(read_only)]
fn weather(city: &str) -> String {
    format!("4 °C in {city}")
}

fn model_with_key(key: &str) -> Option<OpenAiModel> {
    let Ok(base_url) = std::env::var("TINYAGENTS_OPENAI_MOCK") else {
        println!("skipped: TINYAGENTS_OPENAI_MOCK is not set");
        return None;
    };
    let builder = OpenAiModel::builder(base_url, "gpt-5-mini").with_api_key(key);
    Some(builder.with_max_retries(1).build().unwrap())
}

fn model() -> Option<OpenAiModel> {
    model_with_key("test-key")
}

fn ask(text: &str) -> ModelRequest {
    ModelRequest::new(vec![Message::user(text)])
}

/// The same answer, whole and streamed.
async fn both_ways(model: &OpenAiModel, text: &str) -> [Result<ModelResponse, ModelError>; 2] {
    let streamed = async { model.stream(ask(text)).await?.into_response().await };
    [model.complete(ask(text)).await, streamed.await]
}

#[tokio::test]
async fn a_text_comes_whole_and_in_pieces() {
    let Some(model) = model() else { return };
    for response in both_ways(&model, "hello").await {
        let response = response.unwrap();
        assert_eq!(response.text(), "Hello, smørrebrød 🥪 and 日本!");
        assert_eq!(response.usage, Usage::new(10, 5));
        assert_eq!(response.finish_reason.as_deref(), Some("stop"));
    }
    let mut pieces = 0;
    let mut answer = model.stream(ask("hello")).await.unwrap();
    while let Some(delta) = answer.next().await {
        pieces += u32::from(matches!(delta.unwrap(), ModelDelta::Text(_)));
    }
    assert!(pieces > 1);
}

#[tokio::test]
async fn parallel_calls_come_with_their_ids() {
    let Some(model) = model() else { return };
    for response in both_ways(&model, "weather").await {
        let response = response.unwrap();
        assert_eq!(response.text(), "Let me look.");
        assert_eq!(
            response.tool_calls(),
            [
                ToolCall::new("call_far", "weather", json!({ "city": "Tromsø" })),
                ToolCall::new("call_near", "weather", json!({ "city": "Rome" })),
            ]
        );
    }
}

#[tokio::test]
async fn a_run_goes_through() {
    let Some(model) = model() else { return };
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(model);
    harness.register_tool(WeatherTool).unwrap();
    let run = harness
        .invoke(&(), vec![Message::user("weather")])
        .await
        .unwrap();
    assert_eq!(run.final_text.as_deref(), Some("Cold there, warm here."));
    assert_eq!(run.executed_tools, ["weather", "weather"]);
}

#[tokio::test]
async fn arguments_that_are_malformed_or_cut_off_are_invalid() {
    let Some(model) = model() else { return };
    for (text, raw) in [("malformed", "{city: "), ("cut", "{\"city\":\"Os")] {
        for response in both_ways(&model, text).await {
            let call = response.unwrap().message.tool_calls.remove(0);
            assert!(call.invalid.is_some(), "{text}");
            assert_eq!(call.arguments, json!(raw));
        }
    }
}

#[tokio::test]
async fn reasoning_is_passed_through() {
    let Some(model) = model() else { return };
    for response in both_ways(&model, "think").await {
        let response = response.unwrap();
        assert_eq!(response.message.reasoning, "Two and two.");
        assert_eq!(response.text(), "Four.");
    }
}

#[tokio::test]
async fn failures_are_told_apart() {
    let Some(model) = model() else { return };
    for outcome in both_ways(&model, "busy").await {
        let error = outcome.unwrap_err();
        assert!(
            matches!(
                error,
                ModelError::RateLimited {
                    retry_after: Some(_),
                    ..
                }
            ),
            "{error:?}"
        );
    }
    for outcome in both_ways(&model, "nobody has an answer to this").await {
        outcome.unwrap_err();
    }
    let Some(stranger) = model_with_key("wrong-key") else {
        return;
    };
    for outcome in both_ways(&stranger, "hello").await {
        assert!(matches!(outcome, Err(ModelError::Unauthorized(_))));
    }
    let broken = model.stream(ask("breaks")).await;
    let outcome = match broken {
        Ok(answer) => answer.into_response().await,
        Err(error) => Err(error),
    };
    assert!(
        matches!(outcome, Err(ModelError::Unavailable { .. })),
        "{outcome:?}"
    );
}
