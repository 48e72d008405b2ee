//! Streamed answers of an OpenAI-compatible endpoint.
#![cfg(feature = "openai")]

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tinyagents::model::{ChatModel, ModelDelta, ModelError, ModelRequest};
use tinyagents::{Message, ModelProfile, ModelResponse, ToolCall, ToolSchema, Usage};
use tokio::sync::Notify;

use openai_support::{
    DONE, Server, Step, bytes, chunk, failure, shown, stream, stream_head, text, usage_chunk,
};

mod openai_support;

fn ask() -> ModelRequest {
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    ModelRequest::new(vec![Message::user("Oslo?")]).with_tools([ToolSchema::new(
        "weather",
        "Look it up.",
        schema,
    )])
}

fn say(text: &str) -> String {
    chunk(&json!({ "content": text }), None)
}

fn call_piece(index: u64, fields: Value) -> String {
    let mut call = fields;
    call["index"] = json!(index);
    chunk(&json!({ "tool_calls": [call] }), None)
}

fn end(reason: &str) -> String {
    chunk(&json!({}), Some(reason))
}

/// Text, reasoning and the whole answer of a stream, or the error that ended it.
async fn heard(server: &Server) -> Result<(String, String, ModelResponse), ModelError> {
    let mut answer = server.model().stream(ask()).await?;
    let (mut text, mut reasoning) = (String::new(), String::new());
    while let Some(delta) = answer.next().await {
        match delta? {
            ModelDelta::Text(more) => text.push_str(&more),
            ModelDelta::Reasoning(more) => reasoning.push_str(&more),
            ModelDelta::Done(response) => {
                assert!(answer.next().await.is_none());
                return Ok((text, reasoning, response));
            }
            _ => {}
        }
    }
    Err(ModelError::InvalidResponse("no answer".into()))
}

#[tokio::test]
async fn text_comes_in_pieces_and_then_whole_with_the_usage() {
    let chunks = [
        chunk(&json!({ "role": "assistant", "content": "" }), None),
        chunk(&json!({ "reasoning_content": "Hm" }), None),
        chunk(&json!({ "reasoning_content": "." }), None),
        say("Four "),
        say("degrees."),
        end("stop"),
        usage_chunk(),
        DONE.to_owned(),
    ];
    let server = Server::start(vec![stream(&chunks)]).await;
    let (text, reasoning, response) = heard(&server).await.unwrap();
    assert_eq!(
        (text.as_str(), reasoning.as_str()),
        ("Four degrees.", "Hm.")
    );
    assert_eq!(response.text(), "Four degrees.");
    assert_eq!(response.message.reasoning, "Hm.");
    assert_eq!(response.usage, Usage::new(11, 7));
    assert_eq!(response.finish_reason.as_deref(), Some("stop"));
    let body = server.bodies().remove(0);
    assert_eq!(body["stream"], json!(true));
    assert_eq!(body["stream_options"], json!({ "include_usage": true }));
}

#[tokio::test]
async fn a_stream_is_the_same_however_its_bytes_are_cut_and_its_lines_end() {
    let whole: String = [
        ": keep-alive\n\n".to_owned(),
        say("smørrebrød 🥪 "),
        ": OPENROUTER PROCESSING\n\n".to_owned(),
        say("日本"),
        call_piece(
            0,
            json!({ "id": "a", "function": { "name": "weather", "arguments": "{\"city\":" } }),
        ),
        call_piece(0, json!({ "function": { "arguments": "\"Tromsø\"}" } })),
        end("tool_calls"),
        usage_chunk(),
        DONE.to_owned(),
    ]
    .concat();
    for text in [
        whole.clone(),
        whole.replace('\n', "\r\n"),
        whole.replace('\n', "\r"),
    ] {
        for size in [1, 3, 7, 100_000] {
            let mut steps = vec![stream_head()];
            steps.extend(text.as_bytes().chunks(size).map(bytes));
            let server = Server::start(vec![steps]).await;
            let (text, _, response) = heard(&server).await.unwrap();
            assert_eq!(text, "smørrebrød 🥪 日本");
            assert_eq!(
                response.tool_calls(),
                [ToolCall::new("a", "weather", json!({ "city": "Tromsø" }))]
            );
            assert_eq!(response.usage, Usage::new(11, 7));
        }
    }
}

#[tokio::test]
async fn calls_are_put_together_by_index_with_gaps_and_arguments_before_names() {
    let chunks = [
        call_piece(0, json!({ "function": { "arguments": "{\"city\":\"Os" } })),
        call_piece(
            4,
            json!({ "id": "b", "type": "function", "function": { "name": "weather", "arguments": "" } }),
        ),
        call_piece(
            0,
            json!({ "id": "a", "function": { "name": "weather", "arguments": "lo\"}" } }),
        ),
        call_piece(
            4,
            json!({ "function": { "arguments": "{\"city\":\"Rome\"" } }),
        ),
        call_piece(4, json!({ "function": { "arguments": "}" } })),
        call_piece(
            7,
            json!({ "id": "c", "function": { "name": "weather", "arguments": "{city" } }),
        ),
        end("tool_calls"),
        DONE.to_owned(),
    ];
    let server = Server::start(vec![stream(&chunks)]).await;
    let (_, _, response) = heard(&server).await.unwrap();
    let calls = response.tool_calls();
    assert_eq!(
        calls[0],
        ToolCall::new("a", "weather", json!({ "city": "Oslo" }))
    );
    assert_eq!(
        calls[1],
        ToolCall::new("b", "weather", json!({ "city": "Rome" }))
    );
    assert_eq!(calls[2].arguments, json!("{city"));
    assert!(calls[2].invalid.is_some());
}

#[tokio::test]
async fn a_call_that_was_cut_off_is_invalid_even_without_arguments() {
    for pieces in ["", "{\"city\":\"Os"] {
        let chunks = [
            call_piece(
                0,
                json!({ "id": "a", "function": { "name": "weather", "arguments": pieces } }),
            ),
            end("length"),
            DONE.to_owned(),
        ];
        let server = Server::start(vec![stream(&chunks)]).await;
        let (_, _, response) = heard(&server).await.unwrap();
        assert!(response.tool_calls()[0].invalid.is_some());
    }
}

#[tokio::test]
async fn the_first_word_is_handed_out_before_the_second_is_sent() {
    let heard = Arc::new(Notify::new());
    let mut steps = vec![
        stream_head(),
        bytes(say("One").trim_end_matches('\n')),
        bytes("\n"),
    ];
    steps.push(Step::Until(Arc::clone(&heard)));
    steps.extend([
        bytes("\n"),
        bytes(say(" two")),
        bytes(end("stop")),
        bytes(DONE),
    ]);
    let server = Server::start(vec![steps]).await;
    let mut answer = server.model().stream(ask()).await.unwrap();
    let first = answer.next().await.unwrap().unwrap();
    assert_eq!(first, ModelDelta::Text("One".into()));
    heard.notify_one();
    assert_eq!(answer.into_response().await.unwrap().text(), "One two");
}

#[tokio::test]
async fn a_stream_without_its_last_line_is_complete_once_the_model_has_finished() {
    let server = Server::start(vec![stream(&[say("Hi."), end("stop")])]).await;
    assert_eq!(heard(&server).await.unwrap().2.text(), "Hi.");
    let cut = "data: [DON".to_owned();
    let server = Server::start(vec![stream(&[say("Hi."), end("stop"), cut])]).await;
    assert_eq!(heard(&server).await.unwrap().2.text(), "Hi.");
    let server = Server::start(vec![stream(&[say("Hi."), DONE.to_owned()])]).await;
    assert_eq!(heard(&server).await.unwrap().2.text(), "Hi.");
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_an_error_and_its_calls_are_lost() {
    let call = call_piece(
        0,
        json!({ "id": "a", "function": { "name": "weather", "arguments": "{}" } }),
    );
    for rest in ["", "data: {\"choices\":[{\"delta\""] {
        let server = Server::start(vec![stream(&[say("Hi"), call.clone(), rest.to_owned()])]).await;
        let error = heard(&server).await.unwrap_err();
        assert!(matches!(error, ModelError::Unavailable { .. }), "{error:?}");
        assert!(shown(error).contains("broke off"));
        assert_eq!(server.asked().len(), 1);
    }
}

#[tokio::test]
async fn an_error_within_a_stream_is_told() {
    let overloaded = json!({ "error": { "message": "slow down", "code": 429 } });
    for line in [
        format!("data: {overloaded}\n\n"),
        format!("event: error\ndata: {overloaded}\n\n"),
        format!("{overloaded}\n"),
    ] {
        let server = Server::start(vec![stream(&[say("Hi"), line])]).await;
        let error = heard(&server).await.unwrap_err();
        assert!(matches!(error, ModelError::RateLimited { message, .. } if message == "slow down"));
    }
    let server = Server::start(vec![stream(&["data: <html>\n\n".to_owned(), say("Hi")])]).await;
    let error = heard(&server).await.unwrap_err();
    assert!(matches!(error, ModelError::InvalidResponse(_)));
}

#[tokio::test]
async fn an_endpoint_that_does_not_stream_is_understood() {
    let server = Server::start(vec![text("Four degrees.")]).await;
    let (text, _, response) = heard(&server).await.unwrap();
    assert_eq!(
        (text.as_str(), response.text()),
        ("Four degrees.", "Four degrees.")
    );
}

#[tokio::test]
async fn a_stream_whose_kind_is_not_said_or_wrong_is_understood() {
    for kind in [
        "",
        "content-type: text/plain\r\n",
        "content-type: application/octet-stream\r\n",
    ] {
        let head = format!("HTTP/1.1 200 OK\r\n{kind}connection: close\r\n\r\n");
        let steps = vec![
            bytes(head),
            bytes(say("Hi.")),
            bytes(end("stop")),
            bytes(DONE),
        ];
        let server = Server::start(vec![steps]).await;
        assert_eq!(heard(&server).await.unwrap().0, "Hi.", "{kind}");
    }
}

#[tokio::test]
async fn a_request_is_made_again_until_its_stream_begins() {
    let busy = failure(503, "retry-after: 0\r\n", "busy");
    let server = Server::start(vec![
        busy,
        stream(&[say("Hi."), end("stop"), DONE.to_owned()]),
    ])
    .await;
    assert_eq!(heard(&server).await.unwrap().0, "Hi.");
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn dropping_a_stream_closes_its_connection() {
    let closed = Arc::new(Notify::new());
    let steps = vec![
        stream_head(),
        bytes(say("Hi")),
        Step::TellWhenClosed(Arc::clone(&closed)),
    ];
    let server = Server::start(vec![steps]).await;
    let mut answer = server.model().stream(ask()).await.unwrap();
    answer.next().await.unwrap().unwrap();
    drop(answer);
    closed.notified().await;
}

#[tokio::test]
async fn a_stream_that_falls_silent_is_an_error() {
    let closed = Arc::new(Notify::new());
    let steps = vec![
        stream_head(),
        bytes(say("Hi")),
        Step::TellWhenClosed(Arc::clone(&closed)),
    ];
    let server = Server::start(vec![steps]).await;
    let model = server
        .builder()
        .with_idle_timeout(Duration::from_millis(50));
    let answer = model.build().unwrap().stream(ask()).await.unwrap();
    let error = answer.into_response().await.unwrap_err();
    assert!(matches!(error, ModelError::TimedOut(_)));
    closed.notified().await;
}

#[tokio::test]
async fn no_markup_of_a_text_dialect_reaches_the_reader() {
    let spoken = "Let me see. <tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\"}}</tool_call>";
    let mut chunks: Vec<String> = spoken
        .chars()
        .map(|letter| say(&letter.to_string()))
        .collect();
    chunks.extend([end("stop"), DONE.to_owned()]);
    let server = Server::start(vec![stream(&chunks)]).await;
    let profile = ModelProfile::default().with_tool_calling(false);
    let model = server.builder().with_profile(profile).build().unwrap();
    let mut answer = model.stream(ask()).await.unwrap();
    let mut seen = String::new();
    while let Some(delta) = answer.next().await {
        match delta.unwrap() {
            ModelDelta::Text(text) => seen.push_str(&text),
            ModelDelta::Done(response) => {
                assert_eq!(
                    response.tool_calls()[0].arguments,
                    json!({ "city": "Oslo" })
                );
            }
            _ => {}
        }
    }
    assert_eq!(seen.trim(), "Let me see.");
}

#[tokio::test]
async fn a_hundred_streams_at_once_do_not_mix() {
    let go = Arc::new(tokio::sync::Barrier::new(100));
    let answers = (0..100).map(|number| {
        stream(&[
            say("n"),
            say(&number.to_string()),
            end("stop"),
            DONE.to_owned(),
        ])
    });
    let server = Server::start(answers.collect()).await;
    let model = server.model();
    let mut streams = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let (model, go) = (model.clone(), Arc::clone(&go));
        streams.spawn(async move {
            let mut answer = model.stream(ask()).await.unwrap();
            answer.next().await.unwrap().unwrap();
            go.wait().await;
            answer.into_response().await.unwrap().text().to_owned()
        });
    }
    let mut texts = streams.join_all().await;
    texts.sort();
    let mut expected: Vec<String> = (0..100).map(|number| format!("n{number}")).collect();
    expected.sort();
    assert_eq!(texts, expected);
}
