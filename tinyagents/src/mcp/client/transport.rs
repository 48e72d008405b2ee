//! How a server is reached.

use std::fmt;
use std::future::Future;
use std::io;
use std::sync::{Mutex, PoisonError};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::Command;

use super::McpHttp;
use super::child::Program;

/// How a server is reached: a command that is started, an address, or two streams.
#[derive(Debug)]
pub struct McpTransport(pub(super) Way);

pub(super) type Reader = Box<dyn AsyncRead + Send + Unpin>;
pub(super) type Writer = Box<dyn AsyncWrite + Send + Unpin>;
type Connect = dyn Fn() -> BoxFuture<'static, io::Result<(Reader, Writer)>> + Send + Sync;

pub(super) enum Way {
    Program(Program),
    Http(McpHttp),
    Streams(Box<Connect>),
}

impl McpTransport {
    /// A server that is started, and spoken to over its standard input and output.
    ///
    /// Of the host's environment it gets what programs need (`PATH`, `HOME` and the like) and what the command sets itself;
    /// the host's keys stay with the host. What it writes to its standard error goes where the command says, by default
    /// to the host's. It is the first of a process group of its own, and is stopped with all of that group.
    #[must_use]
    pub fn command(command: Command) -> Self {
        Self(Way::Program(Program::new(command)))
    }

    /// A server behind an address.
    #[must_use]
    pub fn http(server: McpHttp) -> Self {
        Self(Way::Http(server))
    }

    /// A server at the other end of two streams, one message a line. When they end, the server is gone for good.
    pub fn streams(
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let streams: (Reader, Writer) = (Box::new(read), Box::new(write));
        let once = Mutex::new(Some(streams));
        Self(Way::Streams(Box::new(move || {
            let streams = once.lock().unwrap_or_else(PoisonError::into_inner).take();
            let gone = || io::Error::new(io::ErrorKind::NotConnected, "its streams have ended");
            std::future::ready(streams.ok_or_else(gone)).boxed()
        })))
    }

    /// The same with streams that can be had again: `connect` is asked for new ones whenever the server is gone.
    pub fn streams_from<R, W, F>(connect: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
        F: Future<Output = io::Result<(R, W)>> + Send + 'static,
    {
        Self(Way::Streams(Box::new(move || {
            let connected = connect();
            async move {
                let (read, write) = connected.await?;
                let streams: (Reader, Writer) = (Box::new(read), Box::new(write));
                Ok(streams)
            }
            .boxed()
        })))
    }

    /// What the server is called unless the host gives it a name.
    pub(super) fn name(&self) -> String {
        match &self.0 {
            Way::Program(program) => program.name().to_owned(),
            Way::Http(server) => server.shown(),
            Way::Streams(_) => "mcp".to_owned(),
        }
    }
}

impl From<Command> for McpTransport {
    fn from(command: Command) -> Self {
        Self::command(command)
    }
}

impl From<McpHttp> for McpTransport {
    fn from(server: McpHttp) -> Self {
        Self::http(server)
    }
}

impl fmt::Debug for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(program) => program.fmt(f),
            Self::Http(server) => server.fmt(f),
            Self::Streams(_) => f.write_str("Streams"),
        }
    }
}
