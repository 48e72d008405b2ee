//! Why a server was not greeted, in words for whoever set it up.

use std::io;

use rmcp::service::ClientInitializeError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use tinytools::anyhow::Chain;

use super::transport::Way;

const CREDENTIALS: &str =
    "it wants credentials; give them by `McpHttp::with_bearer_token` or `with_header`";

type HttpError = StreamableHttpError<reqwest::Error>;

/// What happened, and what to do about it, where that is known.
pub(super) fn reason(error: &ClientInitializeError, way: &Way) -> String {
    match error {
        ClientInitializeError::JsonRpcError(refusal) => {
            let (message, code) = (&refusal.message, refusal.code.0);
            format!("it refused the session: {message} (code {code}); its own log may say why")
        }
        ClientInitializeError::ConnectionClosed(_) => ended(way).to_owned(),
        ClientInitializeError::TransportError { error, .. } => {
            failed(Chain::new(error.error.as_ref()), way)
        }
        ClientInitializeError::NoCompatibleProtocolVersion {
            client_supported,
            server_supported,
        } => {
            let named = |versions: &[_]| {
                let versions = versions.iter().map(ToString::to_string);
                versions.collect::<Vec<_>>().join(", ")
            };
            let (ours, theirs) = (named(client_supported), named(server_supported));
            format!("it speaks revision {theirs} of the protocol, and this client {ours}")
        }
        ClientInitializeError::Cancelled => "the host has given up".to_owned(),
        _ => no_server(way).to_owned(),
    }
}

/// It went away.
fn ended(way: &Way) -> &'static str {
    match way {
        Way::Program(_) => {
            "it ended before it answered; run the command by itself to see what it says on its standard error"
        }
        Way::Http(_) => "it closed the connection before it answered",
        Way::Streams(_) => "its streams ended before it answered",
    }
}

/// It said something else.
fn no_server(way: &Way) -> &'static str {
    match way {
        Way::Program(_) => {
            "its first message is no answer to `initialize`; a server writes nothing but the protocol to its standard output"
        }
        Way::Http(_) => {
            "what it answers is not the protocol; is this the address of its endpoint, such as `/mcp`?"
        }
        Way::Streams(_) => "its first message is no answer to `initialize`",
    }
}

fn failed(causes: Chain<'_>, way: &Way) -> String {
    let mut last = None;
    for cause in causes {
        if let Some(error) = cause.downcast_ref::<HttpError>() {
            return http(error, way);
        }
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            return if error.kind() == io::ErrorKind::BrokenPipe {
                ended(way).to_owned()
            } else {
                format!("it can't be written to: {error}")
            };
        }
        last = Some(cause);
    }
    last.map_or_else(|| ended(way).to_owned(), ToString::to_string)
}

fn http(error: &HttpError, way: &Way) -> String {
    match error {
        StreamableHttpError::Client(error) if error.is_connect() => {
            // The last cause is the system's; those before repeat the address.
            let cause = Chain::new(error).last().map(ToString::to_string);
            let cause = cause.unwrap_or_default();
            format!(
                "nothing answers there ({cause}); is the server running, and is the port right?"
            )
        }
        StreamableHttpError::Client(error) if error.is_timeout() => "it took too long".to_owned(),
        StreamableHttpError::AuthRequired(_) => CREDENTIALS.to_owned(),
        StreamableHttpError::InsufficientScope(_) => {
            "the credentials are not enough for it; a token with more scopes is needed".to_owned()
        }
        StreamableHttpError::HttpStatus(error) => format!("it has troubles of its own: {error}"),
        // A status without a challenge has no kind of its own there.
        StreamableHttpError::UnexpectedServerResponse(answer)
            if answer.starts_with("HTTP 401") || answer.starts_with("HTTP 403") =>
        {
            format!("{CREDENTIALS}; it said: {answer}")
        }
        StreamableHttpError::UnexpectedServerResponse(answer) => {
            format!("{}; it said: {answer}", no_server(way))
        }
        StreamableHttpError::UnexpectedContentType(_)
        | StreamableHttpError::Deserialize(_)
        | StreamableHttpError::SessionExpired
        | StreamableHttpError::ServerDoesNotSupportSse => no_server(way).to_owned(),
        other => other.to_string(),
    }
}
