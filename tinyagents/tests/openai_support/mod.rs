//! A server on this machine that says what it is told to say, byte by byte, and remembers what it was asked.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "test code, of which each file uses a part"
)]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tinyagents::model::OpenAiModel;
use tinyagents::model::openai::OpenAiBuilder;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// One step of an answer.
#[derive(Clone)]
pub(crate) enum Step {
    Bytes(Vec<u8>),
    /// Waits until the test says so.
    Until(Arc<Notify>),
    /// Tells the test that it has come here.
    Tell(Arc<Notify>),
    /// Waits until the client closes the connection, and tells the test.
    TellWhenClosed(Arc<Notify>),
}

/// What was asked.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) base_url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// Answers each request with the next of these, one connection each.
    pub(crate) async fn start(answers: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let server = Self {
            base_url,
            asked: Arc::clone(&asked),
        };
        let answers = Arc::new(Mutex::new(VecDeque::from(answers)));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (asked, answers) = (Arc::clone(&asked), Arc::clone(&answers));
                tokio::spawn(async move {
                    let mut stream = BufReader::new(stream);
                    let Some(request) = read_request(&mut stream).await else {
                        return;
                    };
                    asked.lock().unwrap().push(request);
                    let steps = answers.lock().unwrap().pop_front();
                    play(stream, steps.unwrap_or_default()).await;
                });
            }
        });
        server
    }

    /// A server that always says the same.
    pub(crate) async fn always(answer: Vec<Step>, times: usize) -> Self {
        Self::start(vec![answer; times]).await
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn bodies(&self) -> Vec<Value> {
        self.asked().into_iter().map(|asked| asked.body).collect()
    }

    pub(crate) fn builder(&self) -> OpenAiBuilder {
        let short = std::time::Duration::from_millis(1);
        OpenAiModel::builder(&self.base_url, "test-model").with_retry_delays(short, short * 1000)
    }

    pub(crate) fn model(&self) -> OpenAiModel {
        self.builder().build().unwrap()
    }
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        head.push_str(&line);
    }
    let mut asked = Asked {
        head,
        body: Value::Null,
    };
    let length = asked.header("content-length")?.parse().ok()?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    asked.body = serde_json::from_slice(&body).ok()?;
    Some(asked)
}

async fn play(mut stream: BufReader<TcpStream>, steps: Vec<Step>) {
    for step in steps {
        match step {
            Step::Bytes(bytes) => {
                if stream.write_all(&bytes).await.is_err() || stream.flush().await.is_err() {
                    return;
                }
                tokio::task::yield_now().await;
            }
            Step::Tell(signal) => signal.notify_one(),
            Step::Until(signal) => signal.notified().await,
            Step::TellWhenClosed(signal) => {
                let mut rest = Vec::new();
                let _ = stream.read_to_end(&mut rest).await;
                signal.notify_one();
            }
        }
    }
    let _ = stream.shutdown().await;
}

pub(crate) fn bytes(text: impl AsRef<[u8]>) -> Step {
    Step::Bytes(text.as_ref().to_vec())
}

/// An answer of a status, with further header lines, closed at its end.
pub(crate) fn answer(status: u16, headers: &str, body: &Value) -> Vec<Step> {
    let body = body.to_string();
    let length = body.len();
    vec![bytes(format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    ))]
}

/// A whole answer of one message.
pub(crate) fn message(message: &Value, finish_reason: &str) -> Vec<Step> {
    let choice = json!({ "index": 0, "message": message, "finish_reason": finish_reason });
    let body = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "test-model",
        "choices": [choice],
        "usage": { "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18 }
    });
    answer(200, "", &body)
}

pub(crate) fn text(content: &str) -> Vec<Step> {
    message(&json!({ "role": "assistant", "content": content }), "stop")
}

pub(crate) fn failure(status: u16, headers: &str, text: &str) -> Vec<Step> {
    answer(
        status,
        headers,
        &json!({ "error": { "message": text, "type": "x" } }),
    )
}

/// The head of a stream, whose body ends when the connection does.
pub(crate) fn stream_head() -> Step {
    bytes(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n",
    )
}

/// A chunk of a stream.
pub(crate) fn chunk(delta: &Value, finish_reason: Option<&str>) -> String {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish_reason });
    let chunk = json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "test-model",
        "choices": [choice]
    });
    format!("data: {chunk}\n\n")
}

pub(crate) fn usage_chunk() -> String {
    let chunk = json!({
        "choices": [],
        "usage": { "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18 }
    });
    format!("data: {chunk}\n\n")
}

pub(crate) const DONE: &str = "data: [DONE]\n\n";

/// A stream of these chunks, one after the other, closed at its end.
pub(crate) fn stream(chunks: &[String]) -> Vec<Step> {
    let mut steps = vec![stream_head()];
    steps.extend(chunks.iter().map(bytes));
    steps
}

/// The whole error, as somebody may log it.
pub(crate) fn shown(error: impl std::error::Error + Send + Sync + 'static) -> String {
    let error = anyhow::Error::new(error);
    format!("{error} {error:#} {error:?}")
}
