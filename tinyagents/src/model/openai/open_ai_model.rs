//! The model behind an endpoint.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::assembly::Assembly;
use super::builder::OpenAiBuilder;
use super::endpoint::InvalidEndpoint;
use super::event_stream::has_error;
use super::failure::Failure;
use super::live_answer::LiveAnswer;
use super::request_body::Form;
use super::retry::Retry;
use super::spoken::Spoken;
use super::transport::{Answer, Transport};
use crate::model::{ChatModel, ModelError, ModelProfile, ModelRequest, ModelResponse, ModelStream};
use crate::registry::ToolAliases;

/// Where OpenAI's own models are.
const OPENAI: &str = "https://api.openai.com/v1";
/// A time-out beyond what the clock can tell is this one.
const NEVER: Duration = Duration::from_hours(365 * 24);

/// A model behind the Chat Completions interface. Clones are cheap and share connections.
///
/// See the [module](super) for what it does and where servers listen.
#[derive(Clone)]
pub struct OpenAiModel(pub(super) Arc<Shared>);

/// What clones and their answers share.
pub(super) struct Shared {
    pub(super) transport: Transport,
    pub(super) model: String,
    pub(super) profile: ModelProfile,
    pub(super) aliases: ToolAliases,
    pub(super) parameters: Map<String, Value>,
    pub(super) timeout: Duration,
    pub(super) retry: Retry,
    pub(super) replays_extras: bool,
    /// The endpoint has said that it can't be given tools.
    pub(super) refused_tools: AtomicBool,
}

impl OpenAiModel {
    /// A model of an endpoint that wants no key, with every setting at its default.
    ///
    /// # Errors
    /// Where the base URL can't be used.
    pub fn new(
        base_url: impl Into<String>,
        model: impl Into<String>,
    ) -> Result<Self, InvalidEndpoint> {
        Self::builder(base_url, model).build()
    }

    /// The settings of a model of this name behind a base URL.
    pub fn builder(base_url: impl Into<String>, model: impl Into<String>) -> OpenAiBuilder {
        OpenAiBuilder::new(base_url.into(), model.into())
    }

    /// The settings that the environment holds, read now: the key in `OPENAI_API_KEY`, and the base URL in `OPENAI_BASE_URL`.
    /// Without the latter it is OpenAI's own, which takes no request without a key.
    pub fn from_env(model: impl Into<String>) -> OpenAiBuilder {
        Self::from_variables(model.into(), |name| std::env::var(name).ok())
    }

    fn from_variables(model: String, read: impl Fn(&str) -> Option<String>) -> OpenAiBuilder {
        let filled = |name| read(name).filter(|value| !value.trim().is_empty());
        let base_url = filled("OPENAI_BASE_URL");
        match (filled("OPENAI_API_KEY"), base_url) {
            (Some(key), base_url) => {
                let base_url = base_url.unwrap_or_else(|| OPENAI.to_owned());
                Self::builder(base_url, model).with_api_key(key)
            }
            (None, Some(base_url)) => Self::builder(base_url, model),
            (None, None) => Self::builder(OPENAI, model)
                .failed(InvalidEndpoint::Environment("OPENAI_API_KEY".to_owned())),
        }
    }
}

impl Shared {
    /// What the model can do, as far as is known by now.
    fn profile(&self) -> ModelProfile {
        let can_call = self.profile.tool_calling && !self.refused_tools.load(Ordering::Relaxed);
        self.profile.clone().with_tool_calling(can_call)
    }

    /// Makes a request; in text, if the endpoint turns out to take no tools.
    async fn ask<T, F: Future<Output = Result<T, ModelError>>>(
        &self,
        request: ModelRequest,
        ask: impl Fn(Spoken, ModelRequest) -> F,
    ) -> Result<T, ModelError> {
        let (spoken, sent) = Spoken::open(&self.profile(), &self.aliases, request.clone());
        self.profile.check_tools(&sent.tools)?;
        let has_tools = !sent.tools.is_empty();
        match ask(spoken, sent).await {
            Err(ModelError::ToolsUnsupported) if has_tools => {
                self.refused_tools.store(true, Ordering::Relaxed);
                let (spoken, sent) = Spoken::open(&self.profile(), &self.aliases, request);
                ask(spoken, sent).await
            }
            outcome => outcome,
        }
    }

    fn body(&self, request: &ModelRequest, is_streamed: bool) -> Vec<u8> {
        let endpoint = &self.transport.endpoint;
        let form = Form {
            model: &self.model,
            profile: &self.profile,
            origin: self.replays_extras.then_some(endpoint.origin.as_str()),
            tokens_field: if endpoint.is_openai {
                // The older name is refused by its newer models; others know that name alone.
                "max_completion_tokens"
            } else {
                "max_tokens"
            },
            parameters: &self.parameters,
        };
        form.body(request, is_streamed).to_string().into_bytes()
    }

    /// When a request has to be answered.
    fn deadline(&self, request: &ModelRequest) -> Instant {
        let now = Instant::now();
        let end = now.checked_add(self.timeout).unwrap_or_else(|| now + NEVER);
        request.deadline.map_or(end, |deadline| deadline.min(end))
    }

    /// An answer that comes in one piece.
    async fn whole(
        &self,
        answer: Answer,
        spoken: &Spoken,
        has_tools: bool,
        until: Instant,
    ) -> Result<ModelResponse, ModelError> {
        let body = self.transport.json(answer, until).await?;
        if has_error(&body) {
            let failure = Failure {
                status: None,
                body: &body,
                retry_after: None,
                has_tools,
            };
            return Err(failure.into_error(&self.transport.secrets));
        }
        let mut assembly = Assembly::new(&self.transport.endpoint.origin);
        assembly.add(&body)?;
        Ok(spoken.read(assembly.finish()?))
    }
}

#[async_trait]
impl ChatModel for OpenAiModel {
    async fn complete(&self, request: ModelRequest) -> Result<ModelResponse, ModelError> {
        let shared = &self.0;
        let deadline = shared.deadline(&request);
        let ask = async |spoken: Spoken, request: ModelRequest| {
            let body = shared.body(&request, false);
            let has_tools = !request.tools.is_empty();
            let attempt = async || {
                let answer = shared.transport.send(&body, has_tools).await?;
                shared.whole(answer, &spoken, has_tools, deadline).await
            };
            shared.retry.run(deadline, attempt).await
        };
        shared.ask(request, ask).await
    }

    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, ModelError> {
        let shared = &self.0;
        let deadline = shared.deadline(&request);
        let end = request.deadline.unwrap_or_else(|| Instant::now() + NEVER);
        let ask = async |spoken: Spoken, request: ModelRequest| {
            let body = shared.body(&request, true);
            let has_tools = !request.tools.is_empty();
            let send = async || shared.transport.send(&body, has_tools).await;
            let answer = shared.retry.run(deadline, send).await?;
            if !answer.is_whole {
                return Ok(LiveAnswer::new(Arc::clone(shared), answer, spoken, end).into_stream());
            }
            // The endpoint doesn't stream, or failed after all.
            let response = shared.whole(answer, &spoken, has_tools, deadline).await?;
            Ok(ModelStream::from_response(response))
        };
        shared.ask(request, ask).await
    }

    fn profile(&self) -> ModelProfile {
        self.0.profile()
    }
}

impl fmt::Debug for OpenAiModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiModel")
            .field("model", &self.0.model)
            .field("base_url", &self.0.transport.endpoint)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(variables: &[(&str, &str)]) -> Result<String, InvalidEndpoint> {
        let read = |name: &str| {
            let variable = variables.iter().find(|(known, _)| *known == name);
            variable.map(|(_, value)| (*value).to_owned())
        };
        let model = OpenAiModel::from_variables("m".to_owned(), read).build()?;
        Ok(format!("{model:?}"))
    }

    #[test]
    fn the_environment_says_where_the_model_is_and_the_key_is_never_shown() {
        let shown = built(&[("OPENAI_API_KEY", "sk-secret")]).unwrap();
        assert_eq!(
            shown,
            r#"OpenAiModel { model: "m", base_url: https://api.openai.com/v1, .. }"#
        );
        let local = [
            ("OPENAI_BASE_URL", "http://localhost:11434/v1"),
            ("OPENAI_API_KEY", " "),
        ];
        assert!(built(&local).unwrap().contains("http://localhost:11434/v1"));
        assert_eq!(
            built(&[]),
            Err(InvalidEndpoint::Environment("OPENAI_API_KEY".into()))
        );
    }
}
