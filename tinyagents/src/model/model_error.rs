//! Why a model gave no answer.

use std::time::Duration;

/// Why a model gave no usable answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A [`ScriptedModel`](super::ScriptedModel) was asked more often than its script is long.
    #[error("the scripted model has no turn {turn}; its script ends after {length}")]
    ScriptEnded {
        /// The turn that was asked for, counted from 1.
        turn: usize,
        /// How many turns the script has.
        length: usize,
    },
    /// The endpoint could not be reached, or failed in a way that another try may mend.
    #[error("the model is not available")]
    Unavailable {
        /// What went wrong.
        source: anyhow::Error,
        /// How long the endpoint asked to wait.
        retry_after: Option<Duration>,
    },
    /// The endpoint has had too many requests.
    #[error("the model takes no more requests for now: {message}")]
    RateLimited {
        /// What it says.
        message: String,
        /// How long it asked to wait.
        retry_after: Option<Duration>,
    },
    /// There was no answer, or no further piece of it, in time.
    #[error("the model did not answer in time; {0:?} have passed")]
    TimedOut(Duration),
    /// The key is missing, wrong, or not good for this model.
    #[error("the model's endpoint refused the credentials: {0}")]
    Unauthorized(String),
    /// There is no such model, or nothing at this address.
    #[error("the model was not found: {0}")]
    NotFound(String),
    /// The transcript is longer than the model can read.
    #[error("the request is too long for the model: {0}")]
    ContextLength(String),
    /// The endpoint refused the request.
    #[error("the model refused the request: {0}")]
    Refused(String),
    /// The request's tools are more than the model's profile allows, or are described at greater length; nothing was sent.
    #[error("the tools don't fit the model: {0}")]
    ToolsBeyondProfile(String),
    /// The endpoint can't be given tools.
    #[error("the model does not support tools")]
    ToolsUnsupported,
    /// The endpoint's answer could not be understood.
    #[error("the model's answer could not be read: {0}")]
    InvalidResponse(String),
    /// Anything else.
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

impl ModelError {
    /// A stream ended without a word of its end.
    pub(crate) fn broken_off() -> Self {
        Self::InvalidResponse("it ended before it was complete".to_owned())
    }
}
