//! How much memory many streams at once take, counted by the allocator.

#![cfg(feature = "openai")]
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use futures::future::join_all;
use peak_alloc::PeakAlloc;
use serde_json::json;
use tinyagents::model::OpenAiModel;
use tinyagents::{AgentEvent, AgentHarness, EventSink, Message, RunContext, RunId};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const STREAMS: usize = 100;
/// The HTTP library holds one piece or two of them at the worst moment, whatever the length.
const BUFFERS: usize = 32 << 10;
const BEGINNING: &[u8] =
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const WORD: &str = "smørrebrød, ";

/// Reads a request to its end: who closes before that cuts off the answer.
async fn read_request(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut request = Vec::new();
    loop {
        stream.read_buf(&mut request).await?;
        let text = String::from_utf8_lossy(&request);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let head = head.to_ascii_lowercase();
        let length = head.split("content-length: ").nth(1).unwrap();
        let length: usize = length.lines().next().unwrap().parse().unwrap();
        if body.len() >= length {
            return Ok(());
        }
    }
}

/// How a server speaks.
#[derive(Clone, Copy)]
enum Pace {
    /// As fast as it can write.
    Flood,
    /// A word when everybody has heard the last one, as a model does that thinks meanwhile.
    Spoken,
}

impl Pace {
    /// Bytes of each chunk that nobody needs; some endpoints send such, to hide how long words are.
    fn padding(self) -> usize {
        match self {
            Self::Flood => 11_000,
            Self::Spoken => 4_000,
        }
    }
}

/// Says the word so often.
async fn speak(
    mut stream: TcpStream,
    words: usize,
    pace: Pace,
    mut heard: watch::Receiver<usize>,
) -> std::io::Result<()> {
    read_request(&mut stream).await?;
    stream.write_all(BEGINNING).await?;
    let chunk = |delta, finish_reason: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish_reason });
        let chunk = json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice],
            "obfuscation": "x".repeat(pace.padding()),
        });
        format!("data: {chunk}\n\n")
    };
    let word = chunk(json!({ "content": WORD }), None);
    for said in 0..words {
        if matches!(pace, Pace::Spoken) {
            let all = said * WORD.len() * STREAMS;
            heard.wait_for(|heard| *heard >= all).await.unwrap();
        }
        stream.write_all(word.as_bytes()).await?;
    }
    let end = chunk(json!({}), Some("stop"));
    stream
        .write_all(format!("{end}data: [DONE]\n\n").as_bytes())
        .await?;
    stream.shutdown().await
}

async fn server(words: usize, pace: Pace, heard: &Counts) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let heard = heard.0.subscribe();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(speak(stream, words, pace, heard.clone()));
        }
    });
    base_url
}

/// Counts the bytes that it is told, and keeps nothing of them.
#[derive(Clone, Default)]
struct Counts(Arc<watch::Sender<usize>>);

impl EventSink for Counts {
    fn emit(&self, _: &RunId, event: AgentEvent) {
        if let AgentEvent::ModelDelta { text, .. } = event {
            self.0.send_modify(|heard| *heard += text.len());
        }
    }
}

/// The most that was allocated for each stream while so many words came over it, beyond what there was before.
async fn peak(words: usize, pace: Pace) -> usize {
    let heard = Counts::default();
    let model = OpenAiModel::builder(server(words, pace, &heard).await, "m")
        .build()
        .unwrap();
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(model);
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let runs = join_all((0..STREAMS).map(|_| {
        let ctx = RunContext::new().with_events(heard.clone());
        harness.invoke_in_context(&(), ctx, vec![Message::user("go")])
    }));
    let bytes = WORD.len() * words;
    for run in runs.await {
        assert_eq!(run.unwrap().final_text.unwrap().len(), bytes);
    }
    assert_eq!(*heard.0.borrow(), STREAMS * bytes);
    (ALLOCATOR.peak_usage() - before) / STREAMS
}

/// One test, since what is allocated is counted for the whole process.
#[tokio::test]
async fn a_hundred_streams_take_what_they_say_and_no_more_for_being_longer() {
    // What is made once, such as the certificates that are trusted, is no stream's.
    peak(2, Pace::Flood).await;
    for (pace, words, most) in [
        // The HTTP library reads ahead of a server that is faster than its reader, by 400 KiB at most.
        (Pace::Flood, 100, 700_000),
        // A piece of each stream is there, and what it is made of.
        (Pace::Spoken, 40, 80_000),
    ] {
        let (short, long) = (peak(words, pace).await, peak(3 * words, pace).await);
        let more = 2 * words;
        let (said, sent) = (WORD.len() * more, (WORD.len() + pace.padding()) * more);
        let grown = long.saturating_sub(short);
        println!(
            "{short} bytes per stream at most; {grown} more for {sent} bytes more on the wire, {said} of them text"
        );
        assert!(short < most, "{short}");
        // A text that grows is moved to twice its place, and is in the answer and in the transcript.
        assert!(grown < 4 * said + sent / 20 + BUFFERS, "{grown}");
    }
}
