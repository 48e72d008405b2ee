//! What a server is reached over.

use std::fmt;

use rmcp::transport::io::stdio;
use tokio::io::{AsyncRead, AsyncWrite};

use super::HttpTransport;

/// What a server is reached over: standard input and output, a pair of streams, or HTTP.
#[derive(Debug)]
pub struct ServerTransport(pub(super) Kind);

/// A stream that is read, whatever it is.
pub(super) type Reader = Box<dyn AsyncRead + Send + Unpin>;
/// A stream that is written, whatever it is.
pub(super) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

pub(super) enum Kind {
    /// One session.
    Streams(Reader, Writer),
    /// As many sessions as there are clients.
    Http(HttpTransport),
}

impl ServerTransport {
    /// Standard input and output, for a client that starts the program; one session.
    #[must_use]
    pub fn stdio() -> Self {
        let (reader, writer) = stdio();
        Self::streams(reader, writer)
    }

    /// Any two streams, such as the halves of a socket; one session. Messages are lines of JSON, of at most 16 MiB.
    /// A client that doesn't take its answers is not read any further.
    pub fn streams(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self(Kind::Streams(Box::new(reader), Box::new(writer)))
    }
}

impl From<HttpTransport> for ServerTransport {
    fn from(transport: HttpTransport) -> Self {
        Self(Kind::Http(transport))
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Streams(..) => f.write_str("Streams"),
            Self::Http(http) => http.fmt(f),
        }
    }
}
