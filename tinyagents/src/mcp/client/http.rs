//! A server behind an address.

use std::fmt;
use std::sync::Arc;

use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::McpLimits;

/// A server behind an address, spoken to by streamable HTTP. Neither the address's query nor a header is ever shown.
///
/// ```
/// use tinyagents::mcp::McpHttp;
///
/// let server = McpHttp::new("https://mcp.example.com/mcp?key=s3cret").with_bearer_token("t0ken");
/// assert_eq!(format!("{server:?}"), r#"McpHttp("https://mcp.example.com/mcp")"#);
/// ```
#[derive(Clone)]
pub struct McpHttp {
    address: String,
    bearer_token: Option<String>,
    headers: Vec<(String, String)>,
}

impl McpHttp {
    /// The server at this `http` or `https` address. Redirects to another origin are not followed.
    pub fn new(address: impl Into<String>) -> Self {
        Self {
            address: address.into(),
            bearer_token: None,
            headers: Vec::new(),
        }
    }

    /// Sends `Authorization: Bearer …` with every request.
    #[must_use]
    pub fn with_bearer_token(mut self, token: impl Into<String>) -> Self {
        self.bearer_token = Some(token.into());
        self
    }

    /// Sends this header with every request.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The address without what may be secret.
    pub(super) fn shown(&self) -> String {
        let Ok(url) = Url::parse(&self.address) else {
            return "an address that can't be read".to_owned();
        };
        let origin = url.origin().ascii_serialization();
        format!("{origin}{}", url.path())
    }

    pub(super) fn open(
        &self,
        limits: &McpLimits,
    ) -> Result<StreamableHttpClientTransport<reqwest::Client>, String> {
        let url = Url::parse(&self.address).map_err(|error| error.to_string())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("`{}` is neither http nor https", url.scheme()));
        }
        let mut config = StreamableHttpClientTransportConfig::with_uri(Arc::from(url.as_str()))
            .max_sse_event_size(limits.max_message_bytes)
            .max_json_response_size(limits.max_message_bytes)
            // A new session is a new connection, whose tools have to be looked at before a call.
            .reinit_on_expired_session(false);
        if let Some(token) = &self.bearer_token {
            config = config.auth_header(token);
        }
        for (name, value) in &self.headers {
            let header = HeaderName::try_from(name.as_str())
                .map_err(|_| format!("`{name}` is no name of a header"))?;
            let mut value = HeaderValue::try_from(value.as_str())
                .map_err(|_| format!("the value for the header `{name}` can't be sent"))?;
            value.set_sensitive(true);
            config.custom_headers.insert(header, value);
        }
        Ok(StreamableHttpClientTransport::from_config(config))
    }

    /// A text without what may be secret.
    pub(super) fn without_secrets(&self, mut text: String) -> String {
        if let Ok(url) = Url::parse(&self.address) {
            text = text.replace(url.as_str(), &self.shown());
        }
        text = text.replace(&self.address, &self.shown());
        let values = self.headers.iter().map(|(_, value)| value);
        for secret in self.bearer_token.iter().chain(values) {
            if !secret.is_empty() {
                text = text.replace(secret, "***");
            }
        }
        text
    }
}

impl fmt::Debug for McpHttp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("McpHttp").field(&self.shown()).finish()
    }
}
