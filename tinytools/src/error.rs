//! How a tool says in which way it failed.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a call failed, for a tool body that wants to say it.
///
/// Any other error type is a plain failure: it is reported to the model and the run goes on. A host finds the kind
/// again with [`ToolError::find`], through any number of `context` layers and sources.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The model should correct its call. The message is shown to it.
    #[error("{0}")]
    Retry(String),
    /// Worth another try by the host, where the policy allows it.
    #[error("temporary failure")]
    Transient {
        /// What went wrong.
        source: anyhow::Error,
        /// How long the other side asked to wait. Default: the host's backoff.
        retry_after: Option<Duration>,
    },
    /// Reported to the model; the run goes on.
    #[error("{0}")]
    Failed(String),
    /// The run stops.
    #[error("fatal failure")]
    Fatal(#[source] anyhow::Error),
    /// A person must approve the call before it runs.
    #[error("the call needs approval")]
    ApprovalRequired {
        /// What the approver should know; host only.
        metadata: Value,
    },
    /// The answer comes from elsewhere, later.
    #[error("the call is deferred")]
    CallDeferred {
        /// What the host should know; host only.
        metadata: Value,
    },
}

impl ToolError {
    /// The model should correct its call.
    pub fn retry(message: impl Into<String>) -> Self {
        Self::Retry(message.into())
    }

    /// Worth another try by the host.
    pub fn transient(source: impl Into<anyhow::Error>) -> Self {
        Self::Transient {
            source: source.into(),
            retry_after: None,
        }
    }

    /// Worth another try by the host, after the given time.
    pub fn transient_after(source: impl Into<anyhow::Error>, retry_after: Duration) -> Self {
        Self::Transient {
            source: source.into(),
            retry_after: Some(retry_after),
        }
    }

    /// Reported to the model; the run goes on.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    /// The run stops.
    pub fn fatal(source: impl Into<anyhow::Error>) -> Self {
        Self::Fatal(source.into())
    }

    /// A person must approve the call before it runs.
    #[must_use]
    pub fn approval_required(metadata: Value) -> Self {
        Self::ApprovalRequired { metadata }
    }

    /// The answer comes from elsewhere, later.
    #[must_use]
    pub fn deferred(metadata: Value) -> Self {
        Self::CallDeferred { metadata }
    }

    /// The first `ToolError` in the error's chain, if there is one.
    ///
    /// ```
    /// use tinytools::ToolError;
    ///
    /// let error = anyhow::Error::new(ToolError::retry("use an ISO date")).context("while reading");
    /// assert!(matches!(ToolError::find(&error), Some(ToolError::Retry(_))));
    /// ```
    #[must_use]
    pub fn find(error: &anyhow::Error) -> Option<&Self> {
        // A `ToolError` that was given as the context of another error is no link of the chain.
        error
            .downcast_ref()
            .or_else(|| error.chain().find_map(|cause| cause.downcast_ref()))
    }

    /// How a host treats this failure; `None` for a call that has not failed but left the loop.
    #[must_use]
    pub fn class(&self) -> Option<ToolErrorClass> {
        match self {
            Self::Transient { .. } => Some(ToolErrorClass::Retryable),
            Self::Retry(_) | Self::Failed(_) => Some(ToolErrorClass::Repairable),
            Self::Fatal(_) => Some(ToolErrorClass::Hard),
            Self::ApprovalRequired { .. } | Self::CallDeferred { .. } => None,
        }
    }
}

/// How a host treats a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolErrorClass {
    /// The host may try again by itself.
    Retryable,
    /// The model is told and may act on it.
    Repairable,
    /// Neither another try nor another call mends it.
    Hard,
}
