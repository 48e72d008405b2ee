//! Messages as lines of two streams.

use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use futures::FutureExt as _;
use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncBufRead as _, AsyncRead, AsyncWrite, BufReader, ReadBuf};

use super::called;
use super::unanswered::Unanswered;
use crate::mcp::unsent::Unsent;

/// What is read at once; a line that is longer is none of those that are read here.
const BUFFER_BYTES: usize = 64 * 1024;

/// Messages that wait for the client to take them; with more than that it is not read any further, or one that asks and
/// never reads would have the server keep all its answers.
const MOST_UNSENT: usize = 256;

/// The transport of the protocol's crate, with the lines of plain calls read by ourselves: that crate tries one form of
/// message after the other, which takes longer than the rest of a small call. It reads all other lines, so that what they
/// mean and how they are refused is its to say.
pub(super) struct LineTransport<R, W: AsyncWrite> {
    input: BufReader<R>,
    /// The beginning of a line has been handed over, and so must be what is left of it.
    is_within_line: bool,
    others: Handover,
    unanswered: Unanswered,
    unsent: Unsent,
    inner: AsyncRwTransport<RoleServer, Handover, W>,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(reader: R, writer: W) -> Self {
        let others = Handover::default();
        Self {
            input: BufReader::with_capacity(BUFFER_BYTES, reader),
            is_within_line: false,
            unanswered: Unanswered::default(),
            unsent: Unsent::default(),
            inner: AsyncRwTransport::new_server(others.clone(), writer),
            others,
        }
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.unanswered.note_sent(&item);
        let place = self.unsent.begin();
        // As a block of its own it would hold the message twice.
        self.inner.send(item).map(move |sent| {
            drop(place);
            sent
        })
    }

    /// Nothing is lost when it is dropped: what is read is handed over or given back before it waits.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let Self {
            input,
            is_within_line,
            others,
            unanswered,
            unsent,
            inner,
        } = self;
        // Answers go by this transport, too, and it is asked again after each.
        if unanswered.is_full() {
            return std::future::pending().await;
        }
        let mut inner = pin!(inner.receive());
        let received = std::future::poll_fn(|cx| {
            loop {
                // What was handed over came first.
                if let Poll::Ready(message) = inner.as_mut().poll(cx) {
                    return Poll::Ready(message);
                }
                // It has something to send before it reads on, or nothing more to read.
                if others.is_left() {
                    return Poll::Pending;
                }
                ready!(unsent.poll_fewer(MOST_UNSENT, cx));
                let mut input = Pin::new(&mut *input);
                let available = match ready!(input.as_mut().poll_fill_buf(cx)) {
                    Ok([]) => {
                        others.end(None);
                        continue;
                    }
                    Ok(available) => available,
                    Err(error) => {
                        others.end(Some(error));
                        continue;
                    }
                };
                let end = available.iter().position(|byte| *byte == b'\n');
                let taken = end.map_or(available.len(), |end| end + 1);
                let line = &available[..taken];
                let message = match end {
                    Some(end) if !*is_within_line => called::read(&line[..end]),
                    _ => None,
                };
                if message.is_none() {
                    others.hand_over(line);
                    *is_within_line = end.is_none();
                }
                input.consume(taken);
                if message.is_some() {
                    return Poll::Ready(message);
                }
            }
        })
        .await;
        if let Some(message) = &received {
            unanswered.note_read(message);
        }
        received
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

/// What one reader hands to another.
#[derive(Clone, Default)]
struct Handover(Arc<Mutex<Handed>>);

#[derive(Default)]
struct Handed {
    bytes: Vec<u8>,
    /// How many of them were taken.
    taken: usize,
    is_ended: bool,
    error: Option<io::Error>,
}

impl Handover {
    fn hand_over(&self, bytes: &[u8]) {
        self.locked().bytes.extend_from_slice(bytes);
    }

    fn end(&self, error: Option<io::Error>) {
        let mut handed = self.locked();
        handed.is_ended = true;
        handed.error = error;
    }

    /// Whether something is still to be taken, be it the end.
    fn is_left(&self) -> bool {
        let handed = self.locked();
        handed.is_ended || handed.taken < handed.bytes.len()
    }

    fn locked(&self) -> MutexGuard<'_, Handed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsyncRead for Handover {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let handed = &mut *self.locked();
        let rest = &handed.bytes[handed.taken..];
        if rest.is_empty() {
            handed.bytes.clear();
            handed.taken = 0;
            return match handed.error.take() {
                Some(error) => Poll::Ready(Err(error)),
                None if handed.is_ended => Poll::Ready(Ok(())),
                // Both ends are polled by one task, so nobody has to be woken.
                None => Poll::Pending,
            };
        }
        let read = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..read]);
        handed.taken += read;
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    const CALL: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"add"}}"#;
    const TOLD: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    const DEBRIS: [&[u8]; 11] = [
        b"",
        b"not JSON",
        br#"{"tools/call":"#,
        br#"{"jsonrpc":"2.0","method":"notifications/other","params":{"a":"tools/call"}}"#,
        "\u{feff}".as_bytes(),
        "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"bom\"}}".as_bytes(),
        b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"crlf\"}}\r",
        b"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/call\",\"params\":{\"name\":\"\xff\"}}",
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"\0\"}}",
        b"\0{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":\"nul\"}}",
        b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"two\"}}{}",
    ];

    /// A call whose line is that long.
    fn call_of(bytes: usize) -> Vec<u8> {
        let mut line = CALL.as_bytes().to_vec();
        line.resize(bytes.max(line.len()), b' ');
        line
    }

    /// All that a transport reads, until its input ends.
    async fn read_by(mut transport: impl Transport<RoleServer>) -> Vec<String> {
        let mut messages = Vec::new();
        while let Some(message) = transport.receive().await {
            messages.push(format!("{message:?}"));
        }
        messages
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn whatever_comes_and_however_it_is_cut_is_read_as_by_the_protocols_crate(
            lines in prop::collection::vec(0_usize..17, 0..12),
            cut in 1_usize..200,
            is_whole: bool,
        ) {
            // The last ones fill what is read at once to the last byte, and are longer.
            let long = [BUFFER_BYTES - 1, BUFFER_BYTES, 3 * BUFFER_BYTES + 7].map(call_of);
            let plain = [PING, CALL, TOLD].map(str::as_bytes);
            let long = long.each_ref().map(Vec::as_slice);
            let all = [plain.as_slice(), DEBRIS.as_slice(), long.as_slice()].concat();
            let mut text = Vec::new();
            for line in &lines {
                text.extend_from_slice(all[*line]);
                text.push(b'\n');
            }
            if !is_whole {
                text.pop();
            }
            // Each piece takes a while, and long lines are many pieces.
            let cut = cut.max(text.len() / 1000);
            runtime().block_on(async {
                let plain = AsyncRwTransport::new_server(text.as_slice(), tokio::io::sink());
                let expected = read_by(plain).await;
                let (mut client, server) = tokio::io::duplex(64.max(cut));
                let (reader, writer) = tokio::io::split(server);
                let sending = async {
                    for piece in text.chunks(cut) {
                        client.write_all(piece).await.unwrap();
                        tokio::task::yield_now().await;
                    }
                    client.shutdown().await.unwrap();
                    let mut answers = String::new();
                    client.read_to_string(&mut answers).await.unwrap();
                };
                let reading = read_by(LineTransport::new(reader, writer));
                let (read, ()) = tokio::join!(reading, sending);
                prop_assert_eq!(read, expected);
                Ok(())
            })?;
        }
    }

    #[tokio::test]
    async fn a_reading_that_is_given_up_loses_nothing() {
        let (mut client, server) = tokio::io::duplex(16);
        let (reader, writer) = tokio::io::split(server);
        let mut transport = LineTransport::new(reader, writer);
        let text = format!("{CALL}\n{PING}\n{CALL}\n");
        let mut sending = text.as_bytes();
        let mut messages = 0;
        while messages < 3 {
            if let Some((first, rest)) = sending.split_first() {
                client.write_all(&[*first]).await.unwrap();
                sending = rest;
            }
            // Polled once, and dropped.
            if futures::poll!(pin!(transport.receive())).is_ready() {
                messages += 1;
            }
        }
        assert!(sending.is_empty());
    }

    #[tokio::test]
    async fn who_asks_and_never_reads_the_answers_is_not_read_without_bound() {
        let (mut client, server) = tokio::io::duplex(64);
        let (reader, writer) = tokio::io::split(server);
        let calls = format!("{CALL}\n").repeat(MOST_UNSENT + 1);
        let mut transport = LineTransport::new(io::Cursor::new(calls).chain(reader), writer);
        let mut sending = futures::stream::FuturesUnordered::new();
        for id in 0..MOST_UNSENT {
            let answer = rmcp::model::ServerResult::empty(());
            let id = rmcp::model::NumberOrString::Number(id.try_into().unwrap());
            assert!(futures::poll!(pin!(transport.receive())).is_ready());
            sending.push(transport.send(TxJsonRpcMessage::<RoleServer>::response(answer, id)));
        }
        assert!(futures::poll!(pin!(transport.receive())).is_pending());
        let mut received = pin!(transport.receive());
        let mut answers = [0; 16 * 1024];
        tokio::select! {
            biased;
            message = &mut received => assert!(message.is_some()),
            () = async {
                use futures::StreamExt as _;
                while sending.next().await.is_some() {}
                std::future::pending::<()>().await;
            } => unreachable!("it waits for ever"),
            () = async { while client.read(&mut answers).await.is_ok() {} } => unreachable!("there is no end"),
        }
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_left_out_and_the_next_one_read() {
        let longest = rmcp::transport::async_rw::DEFAULT_MAX_LINE_LENGTH;
        let text = [
            call_of(longest - 1),
            call_of(longest),
            call_of(longest + BUFFER_BYTES),
            PING.into(),
            call_of(0),
            Vec::new(),
        ];
        let text = text.join(&b'\n');
        let read = read_by(LineTransport::new(text.as_slice(), tokio::io::sink())).await;
        let kinds = read.iter().map(|read| read.contains("CallTool"));
        assert_eq!(kinds.collect::<Vec<_>>(), [true, false, true]);
    }

    #[tokio::test]
    async fn who_sends_and_never_reads_is_not_read_without_bound() {
        let (client, server) = tokio::io::duplex(64);
        let (reader, writer) = tokio::io::split(server);
        // Each of these is answered with an error, and nobody takes the answers.
        let bad = "{\"jsonrpc\":\"2.0\",\"id\":{}}\n".repeat(100_000);
        let input = io::Cursor::new(bad).chain(reader);
        let mut transport = LineTransport::new(input, writer);
        assert!(futures::poll!(pin!(transport.receive())).is_pending());
        assert!(transport.others.locked().bytes.capacity() <= 2 * BUFFER_BYTES);
        drop(client);
    }
}
