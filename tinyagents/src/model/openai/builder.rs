//! The settings of an [`OpenAiModel`](super::OpenAiModel).

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, redirect};
use serde_json::{Map, Value};

use super::endpoint::{Endpoint, InvalidEndpoint};
use super::open_ai_model::{OpenAiModel, Shared};
use super::request_body::OWN_FIELDS;
use super::retry::Retry;
use super::secrets::Secrets;
use super::transport::Transport;
use crate::model::ModelProfile;
use crate::registry::ToolAliases;

/// The settings of an [`OpenAiModel`]. What is wrong with one is told by [`build`](Self::build).
#[must_use]
pub struct OpenAiBuilder {
    base_url: String,
    model: String,
    headers: HeaderMap,
    secrets: Secrets,
    parameters: Map<String, Value>,
    profile: Option<ModelProfile>,
    aliases: Option<ToolAliases>,
    connect_timeout: Duration,
    timeout: Duration,
    idle_timeout: Duration,
    retry: Retry,
    replays_extras: bool,
    fault: Option<InvalidEndpoint>,
}

impl OpenAiBuilder {
    pub(super) fn new(base_url: String, model: String) -> Self {
        Self {
            base_url,
            model,
            headers: HeaderMap::new(),
            secrets: Secrets::default(),
            parameters: Map::new(),
            profile: None,
            aliases: None,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_mins(10),
            idle_timeout: Duration::from_mins(2),
            retry: Retry {
                max_retries: 2,
                base_delay: Duration::from_millis(500),
                max_delay: Duration::from_mins(1),
            },
            replays_extras: true,
            fault: None,
        }
    }

    /// Sends this key with each request, as a bearer token. Default: none, which local servers are content with.
    pub fn with_api_key(mut self, key: impl AsRef<str>) -> Self {
        let key = key.as_ref().trim();
        match HeaderValue::from_str(&format!("Bearer {key}")) {
            Ok(value) if !key.is_empty() => self.insert(AUTHORIZATION, value, key),
            _ => self.fail(InvalidEndpoint::ApiKey),
        }
        self
    }

    /// Sends the key that a variable of the environment holds, read now.
    pub fn with_api_key_from_env(mut self, variable: &str) -> Self {
        match std::env::var(variable) {
            Ok(key) if !key.trim().is_empty() => self.with_api_key(key),
            // Not the error itself: it shows a value that is no text.
            _ => {
                self.fail(InvalidEndpoint::Environment(variable.to_owned()));
                self
            }
        }
    }

    /// Sends a further header with each request; its value is shown as little as a key.
    pub fn with_header(mut self, name: &str, value: impl AsRef<str>) -> Self {
        let value = value.as_ref();
        match (name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
            (Ok(name), Ok(header)) => self.insert(name, header, value),
            _ => self.fail(InvalidEndpoint::Header(name.to_owned())),
        }
        self
    }

    /// Adds a field to each request, for example `temperature` or `reasoning_effort`. `null` takes one away that is there
    /// otherwise, such as `stream_options`. What a request says itself (messages, tools, …) can't be given.
    pub fn with_parameter(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let name = name.into();
        if OWN_FIELDS.contains(&name.as_str()) {
            self.fail(InvalidEndpoint::Parameter(name));
        } else {
            self.parameters.insert(name, value.into());
        }
        self
    }

    /// Says what the model can do. Default: [`ModelProfile::default`], and that it can be heard while it speaks; an endpoint
    /// that isn't OpenAI's own takes any number of tools then. A profile
    /// without [`streaming`](ModelProfile::streaming) is for an endpoint that streams badly. A profile that doesn't name its
    /// provider and its model has `openai` and the model's name here.
    pub fn with_profile(mut self, profile: ModelProfile) -> Self {
        self.profile = Some(profile);
        self
    }

    /// Sets what tools are called here. Default: by their names, where the profile's rules take them.
    pub fn with_aliases(mut self, aliases: ToolAliases) -> Self {
        self.aliases = Some(aliases);
        self
    }

    /// Bounds the time to connect. Default: 10 s.
    pub fn with_connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Bounds the time to a whole answer, or to the beginning of a streamed one; repetitions and their waits included. A
    /// request's own deadline holds besides. Default: 10 min.
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Bounds the time between two pieces of an answer that has begun. Default: 2 min.
    pub fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    /// How often a request is made again that failed for a reason that may pass; a stream only as long as it has not begun.
    /// Default: 2.
    pub fn with_max_retries(mut self, retries: u32) -> Self {
        self.retry.max_retries = retries;
        self
    }

    /// Sets the wait before the first repetition, doubled for each further one, and the longest. An endpoint that asks for a
    /// longer one is not asked again. Default: 500 ms and 60 s.
    pub fn with_retry_delays(mut self, base: Duration, longest: Duration) -> Self {
        self.retry.base_delay = base;
        self.retry.max_delay = longest;
        self
    }

    /// Says whether reasoning and [extras](crate::model::ProviderExtras) of this endpoint's earlier messages are sent back
    /// to it. Most that send some want them back. Default: `true`.
    pub fn with_extras_replayed(mut self, replayed: bool) -> Self {
        self.replays_extras = replayed;
        self
    }

    /// The model.
    ///
    /// # Errors
    /// The first setting that is wrong.
    pub fn build(mut self) -> Result<OpenAiModel, InvalidEndpoint> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let endpoint = Endpoint::parse(&self.base_url)?;
        for value in endpoint.query_values() {
            self.secrets.add(&value);
        }
        let mut client = Client::builder()
            .user_agent(concat!("tinyagents/", env!("CARGO_PKG_VERSION")))
            .default_headers(self.headers)
            .connect_timeout(self.connect_timeout)
            .redirect(redirect::Policy::none());
        if endpoint.is_local() {
            client = client.no_proxy();
        }
        let client = client
            .build()
            .map_err(|error| InvalidEndpoint::Client(error.to_string()))?;
        let mut profile = self.profile.unwrap_or_else(|| {
            let profile = ModelProfile::default().with_streaming(true);
            if endpoint.is_openai {
                profile
            } else {
                profile.with_max_tools(None)
            }
        });
        let aliases = self
            .aliases
            .unwrap_or_else(|| ToolAliases::new(profile.name_rules));
        profile.provider.get_or_insert_with(|| "openai".to_owned());
        profile.model.get_or_insert_with(|| self.model.clone());
        Ok(OpenAiModel(Arc::new(Shared {
            transport: Transport {
                client,
                endpoint,
                secrets: self.secrets,
                idle_timeout: self.idle_timeout,
            },
            model: self.model,
            profile,
            aliases,
            parameters: self.parameters,
            timeout: self.timeout,
            retry: self.retry,
            replays_extras: self.replays_extras,
            refused_tools: AtomicBool::new(false),
        })))
    }

    fn insert(&mut self, name: HeaderName, mut value: HeaderValue, secret: &str) {
        // Shown as `Sensitive` by whoever prints the request.
        value.set_sensitive(true);
        self.headers.insert(name, value);
        self.secrets.add(secret);
    }

    /// The settings with a fault that was there from the beginning.
    pub(super) fn failed(mut self, fault: InvalidEndpoint) -> Self {
        self.fail(fault);
        self
    }

    fn fail(&mut self, fault: InvalidEndpoint) {
        self.fault.get_or_insert(fault);
    }
}

impl fmt::Debug for OpenAiBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiBuilder")
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}
