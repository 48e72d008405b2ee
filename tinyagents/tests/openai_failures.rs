//! What goes wrong at an OpenAI-compatible endpoint, and what nobody is told.
#![cfg(feature = "openai")]

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tinyagents::Message;
use tinyagents::model::openai::InvalidEndpoint;
use tinyagents::model::{
    ChatModel, ModelError, ModelProfile, ModelRequest, OpenAiModel, ToolSchema,
};
use tokio::sync::Notify;
use tokio::time::Instant;

use openai_support::{Server, Step, answer, bytes, failure, shown, text};

mod openai_support;

const KEY: &str = "sk-live-0123456789";

fn ask() -> ModelRequest {
    ModelRequest::new(vec![Message::user("Oslo?")])
}

#[tokio::test]
async fn failures_that_may_pass_are_tried_again_and_others_are_not() {
    for (status, tries) in [
        (400, 1),
        (401, 1),
        (404, 1),
        (422, 1),
        (408, 3),
        (429, 3),
        (500, 3),
        (503, 3),
    ] {
        let server = Server::always(failure(status, "", "no"), 5).await;
        server.model().complete(ask()).await.unwrap_err();
        assert_eq!(server.asked().len(), tries, "{status}");
    }
    let server = Server::start(vec![failure(500, "", "no"), vec![], text("Hi.")]).await;
    assert_eq!(server.model().complete(ask()).await.unwrap().text(), "Hi.");
    assert_eq!(server.asked().len(), 3);
}

#[tokio::test]
async fn an_endpoint_that_asks_for_a_long_wait_is_told_of_at_once() {
    let server = Server::always(failure(429, "retry-after: 3600\r\n", "slow down"), 3).await;
    let error = server.model().complete(ask()).await.unwrap_err();
    let hour = Duration::from_hours(1);
    assert!(
        matches!(error, ModelError::RateLimited { retry_after: Some(wait), .. } if wait == hour)
    );
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn nothing_is_tried_again_beyond_the_deadline() {
    let server = Server::always(failure(503, "retry-after: 7200\r\n", "busy"), 3).await;
    let hours = Duration::from_hours;
    let builder = server.builder().with_retry_delays(hours(1), hours(3));
    let model = builder.build().unwrap();
    let error = model
        .complete(ask().with_deadline(Some(Instant::now() + hours(1))))
        .await
        .unwrap_err();
    assert!(matches!(
        error,
        ModelError::Unavailable {
            retry_after: Some(_),
            ..
        }
    ));
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn an_endpoint_that_does_not_answer_is_given_up_and_its_connection_closed() {
    let (asked, closed) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let steps = vec![
        Step::Tell(Arc::clone(&asked)),
        Step::TellWhenClosed(Arc::clone(&closed)),
    ];
    let server = Server::start(vec![steps]).await;
    let hour = Duration::from_hours(1);
    let model = server.builder().with_timeout(hour).build().unwrap();
    let request = tokio::spawn(async move { model.complete(ask()).await });
    // However long it took to ask: the time passes after that.
    asked.notified().await;
    tokio::time::pause();
    tokio::time::advance(hour).await;
    tokio::time::resume();
    let error = request.await.unwrap().unwrap_err();
    assert!(matches!(error, ModelError::TimedOut(_)));
    closed.notified().await;
}

#[tokio::test]
async fn dropping_a_request_closes_its_connection() {
    let closed = Arc::new(Notify::new());
    let asked = Arc::new(Notify::new());
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
    let steps = vec![
        bytes(head),
        Step::Tell(Arc::clone(&asked)),
        Step::TellWhenClosed(Arc::clone(&closed)),
    ];
    let server = Server::start(vec![steps]).await;
    let model = server.model();
    let request = tokio::spawn(async move { model.complete(ask()).await });
    asked.notified().await;
    request.abort();
    closed.notified().await;
}

#[tokio::test]
async fn an_endpoint_that_is_not_there_is_unavailable() {
    // It has the port, so that nobody else gets it, and doesn't listen.
    let closed = tokio::net::TcpSocket::new_v4().unwrap();
    closed.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = closed.local_addr().unwrap();
    let model = OpenAiModel::builder(format!("http://{address}/v1?key={KEY}"), "m")
        .with_max_retries(0)
        .build()
        .unwrap();
    let error = model.complete(ask()).await.unwrap_err();
    assert!(matches!(error, ModelError::Unavailable { .. }));
    assert!(!shown(error).contains(KEY));
}

#[tokio::test]
async fn answers_that_are_none_are_refused() {
    for body in [json!({}), json!([]), json!({ "choices": [] }), json!("hi")] {
        let server = Server::start(vec![answer(200, "", &body)]).await;
        let error = server.model().complete(ask()).await.unwrap_err();
        assert!(matches!(error, ModelError::InvalidResponse(_)), "{body}");
    }
    let page = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n<html>";
    let server = Server::start(vec![vec![bytes(page)]]).await;
    let error = server.model().complete(ask()).await.unwrap_err();
    assert!(matches!(error, ModelError::InvalidResponse(_)));
}

#[tokio::test]
async fn an_error_with_a_good_status_is_an_error() {
    let body = json!({ "error": { "message": "no such model", "code": 404 } });
    let server = Server::start(vec![answer(200, "", &body)]).await;
    let error = server.model().complete(ask()).await.unwrap_err();
    assert!(matches!(error, ModelError::NotFound(message) if message == "no such model"));
}

#[tokio::test]
async fn a_key_that_the_endpoint_repeats_is_not_told() {
    let echo = format!("Bearer {KEY} is wrong, so is tenant-secret-1, see ?key=query-secret-1");
    for status in [400, 401, 404, 429, 500] {
        let server = Server::always(failure(status, "", &echo), 3).await;
        let model = OpenAiModel::builder(format!("{}?key=query-secret-1", server.base_url), "m")
            .with_max_retries(0)
            .with_api_key(KEY)
            .with_header("x-tenant", "tenant-secret-1")
            .build()
            .unwrap();
        let error = shown(model.complete(ask()).await.unwrap_err());
        assert!(error.contains("is wrong"), "{error}");
        for secret in [KEY, "0123456789", "tenant-secret-1", "query-secret-1"] {
            assert!(!error.contains(secret), "{error}");
        }
        assert!(!format!("{model:?}").contains("secret") && !format!("{model:?}").contains(KEY));
    }
    let builder = OpenAiModel::builder("http://localhost/v1", "m").with_api_key(KEY);
    assert!(!format!("{builder:?}").contains(KEY));
}

#[tokio::test]
async fn a_redirect_is_not_followed_so_that_the_key_stays_here() {
    let other = Server::start(vec![text("Give me the key.")]).await;
    for status in [301, 302, 303, 307, 308] {
        let location = format!(
            "location: {}/chat/completions?key={KEY}\r\n",
            other.base_url
        );
        let server = Server::start(vec![answer(status, &location, &json!({}))]).await;
        let model = server.builder().with_api_key(KEY).build().unwrap();
        let error = model.complete(ask()).await.unwrap_err();
        assert!(matches!(&error, ModelError::Refused(text) if text.contains("127.0.0.1")));
        assert!(!shown(error).contains(KEY));
    }
    assert!(other.asked().is_empty());
}

#[test]
fn settings_that_cannot_be_sent_are_refused_without_being_shown() {
    let builder = || OpenAiModel::builder("http://localhost/v1", "m");
    let fault = builder().with_api_key("sk\nsecret").build().unwrap_err();
    assert_eq!(fault, InvalidEndpoint::ApiKey);
    assert_eq!(
        builder().with_api_key(" ").build().unwrap_err(),
        InvalidEndpoint::ApiKey
    );
    let fault = builder()
        .with_header("x-team", "sk\nsecret")
        .build()
        .unwrap_err();
    assert!(!fault.to_string().contains("secret"));
    let fault = builder()
        .with_parameter("messages", json!([]))
        .build()
        .unwrap_err();
    assert_eq!(fault, InvalidEndpoint::Parameter("messages".into()));
    let fault = builder()
        .with_api_key_from_env("TINYAGENTS_NO_SUCH_KEY")
        .build();
    assert!(matches!(fault, Err(InvalidEndpoint::Environment(_))));
}

#[tokio::test]
async fn more_tools_than_the_profile_allows_are_not_sent() {
    let server = Server::start(Vec::new()).await;
    let profile = ModelProfile::default().with_max_tools(Some(1));
    let builder = OpenAiModel::builder(&server.base_url, "m").with_profile(profile);
    let tools = ["a", "b"].map(|name| ToolSchema::new(name, "", json!({ "type": "object" })));
    let request = ask().with_tools(tools);
    let failed = builder.build().unwrap().complete(request).await;
    assert!(matches!(failed, Err(ModelError::ToolsBeyondProfile(_))));
    assert!(server.asked().is_empty());
    let bound = |url| OpenAiModel::builder(url, "m").build().unwrap().profile();
    assert_eq!(bound("https://api.openai.com/v1").max_tools, Some(128));
    assert_eq!(bound("http://localhost:11434/v1").max_tools, None);
}
