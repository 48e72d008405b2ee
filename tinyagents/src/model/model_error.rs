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
    #[error("the model could not be reached")]
    Unavailable {
        /// What went wrong.
        source: anyhow::Error,
        /// How long the endpoint asked to wait.
        retry_after: Option<Duration>,
    },
    /// The endpoint refused the request.
    #[error("the model refused the request: {0}")]
    Refused(String),
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
