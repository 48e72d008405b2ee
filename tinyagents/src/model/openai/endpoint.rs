//! Where requests go.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

/// Why there is no model behind what was given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidEndpoint {
    /// The base URL can't be read, or is none of HTTP.
    #[error(
        "the base URL must be an absolute one of http or https, for example `http://localhost:11434/v1`"
    )]
    BaseUrl,
    /// The base URL holds a user name or a password, which would be shown with it.
    #[error("the base URL must not hold credentials; give a key or a header instead")]
    CredentialsInUrl,
    /// The key is blank or has characters that no header can hold.
    #[error("the key is blank or holds characters that can't be sent, such as line breaks")]
    ApiKey,
    /// A variable of the environment is missing, blank, or no text.
    #[error("the environment has no usable `{0}`")]
    Environment(String),
    /// A header has a name or value that can't be sent.
    #[error("the header `{0}` can't be sent as it is")]
    Header(String),
    /// A parameter of the request is the adapter's own.
    #[error("the parameter `{0}` is set by what is asked and can't be given")]
    Parameter(String),
    /// The HTTP client can't be made.
    #[error("the HTTP client can't be made: {0}")]
    Client(String),
}

/// The address of the requests; shown without its query, which may hold a key.
#[derive(Clone)]
pub(super) struct Endpoint {
    pub(super) url: Url,
    /// The base URL, as it may be shown.
    pub(super) origin: String,
    /// Whether it is OpenAI's own.
    pub(super) is_openai: bool,
}

impl Endpoint {
    pub(super) fn parse(base_url: &str) -> Result<Self, InvalidEndpoint> {
        let mut url = Url::parse(base_url.trim()).map_err(|_| InvalidEndpoint::BaseUrl)?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(InvalidEndpoint::BaseUrl);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(InvalidEndpoint::CredentialsInUrl);
        }
        url.set_fragment(None);
        let mut origin = url.clone();
        origin.set_query(None);
        let origin = origin.as_str().trim_end_matches('/');
        let origin = origin.trim_end_matches("/chat/completions").to_owned();
        let path = url.path().trim_end_matches('/');
        let path = path.trim_end_matches("/chat/completions");
        let path = format!("{path}/chat/completions");
        url.set_path(&path);
        Ok(Self {
            is_openai: url.host_str() == Some("api.openai.com"),
            url,
            origin,
        })
    }

    /// Whether it is on this machine, where no proxy leads.
    pub(super) fn is_local(&self) -> bool {
        let host = self.url.host_str().unwrap_or_default();
        let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }

    /// The values of the query.
    pub(super) fn query_values(&self) -> Vec<String> {
        let pairs = self.url.query_pairs();
        pairs.map(|(_, value)| value.into_owned()).collect()
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_requests_follows_the_base_url() {
        for (base, url) in [
            (
                "http://localhost:11434/v1",
                "http://localhost:11434/v1/chat/completions",
            ),
            (
                "http://localhost:1234/v1/",
                "http://localhost:1234/v1/chat/completions",
            ),
            ("https://x.test", "https://x.test/chat/completions"),
            (
                "https://x.test/v1/chat/completions",
                "https://x.test/v1/chat/completions",
            ),
            (
                "https://x.test/o/d?api-version=1",
                "https://x.test/o/d/chat/completions?api-version=1",
            ),
        ] {
            assert_eq!(Endpoint::parse(base).unwrap().url.as_str(), url);
        }
    }

    #[test]
    fn what_is_shown_has_neither_query_nor_credentials() {
        let endpoint = Endpoint::parse("https://x.test/v1?key=sk-secret#part").unwrap();
        assert_eq!(format!("{endpoint:?}"), "https://x.test/v1");
        let error = Endpoint::parse("https://me:sk-secret@x.test/v1").unwrap_err();
        assert_eq!(error, InvalidEndpoint::CredentialsInUrl);
        assert!(!error.to_string().contains("secret"));
    }

    #[test]
    fn other_schemes_and_relative_urls_are_refused() {
        for base in ["", "localhost:11434/v1", "ftp://x.test", "/v1", "data:,x"] {
            assert_eq!(
                Endpoint::parse(base).unwrap_err(),
                InvalidEndpoint::BaseUrl,
                "{base}"
            );
        }
    }
}
