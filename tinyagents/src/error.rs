//! What a host can be told of a failure.

use std::time::Duration;

use serde_json::Value;
use tinytools::InjectionError;

use crate::deferred::DeferredResultsError;
use crate::effects::LedgerError;
use crate::model::ModelError;
use crate::registry::InvalidToolName;
use crate::schema::SchemaError;
use crate::toolset::ToolSetError;

/// The result of the runtime's operations.
pub type Result<T, E = TinyAgentsError> = std::result::Result<T, E>;

/// Why a registration, a dispatch or a run failed.
///
/// It speaks to the host: names of hidden parameters and types may be in it. What a model reads is written separately.
///
/// Where a run had begun, [`RunContext::failed_run`](crate::context::RunContext::failed_run) of any clone of its context
/// gives the run up to the failure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TinyAgentsError {
    /// A call of a tool that was not advertised, where the policy says `Fail`.
    #[error("unknown tool `{0}`")]
    ToolNotFound(String),
    /// A tool of that name is there already.
    #[error("a tool named `{0}` is already registered; rename one of them")]
    DuplicateTool(String),
    /// The name is not canonical.
    #[error(transparent)]
    InvalidToolName(#[from] InvalidToolName),
    /// The tool's schema can't be compiled.
    #[error("the schema of tool `{tool}` can't be used")]
    InvalidSchema {
        /// The tool's name.
        tool: String,
        /// What is wrong with it.
        source: SchemaError,
    },
    /// What was handed over contradicts itself or a rule.
    #[error("{0}")]
    Validation(String),
    /// Toolsets don't fit together.
    #[error(transparent)]
    ToolSet(#[from] ToolSetError),
    /// A call whose arguments the tool's schema refuses, where the policy says `Fail`.
    #[error("invalid arguments for tool `{tool}`: {error}")]
    InvalidArguments {
        /// The tool's canonical name.
        tool: String,
        /// Every fault, without the values of redacted arguments.
        error: String,
    },
    /// A call that an allow-list or a policy forbids, where the policy says `Fail`.
    #[error("tool `{tool}` is not allowed: {reason}")]
    ToolNotAllowed {
        /// The tool's canonical name.
        tool: String,
        /// Which rule forbids it.
        reason: String,
    },
    /// A person must approve the call before it runs; returned by a tool or a middleware to say so.
    #[error("the call needs approval")]
    ApprovalRequired {
        /// What the approver should know; host only.
        metadata: Value,
    },
    /// The answer comes from elsewhere, later; returned by a tool or a middleware to say so.
    #[error("the call is deferred")]
    CallDeferred {
        /// What the host should know; host only.
        metadata: Value,
    },
    /// What a host brought for deferred calls doesn't fit them; nothing has run.
    #[error(transparent)]
    DeferredResults(#[from] DeferredResultsError),
    /// A registered tool needs a hidden value that the context doesn't offer.
    #[error(
        "tool `{tool}` needs a `{type_name}` for its hidden parameter `{parameter}`; call `provide(value)` or `provide_arc(arc)` on the `RunContext`"
    )]
    MissingInjection {
        /// The tool's name.
        tool: String,
        /// The parameter's name.
        parameter: String,
        /// The type's name.
        type_name: String,
    },
    /// A registered tool needs a credential that the run is said not to have.
    #[error(
        "tool `{tool}` needs the credential `{credential}`, which the run doesn't have; name it in `with_credentials` or leave the tool out"
    )]
    MissingCredential {
        /// The tool's name.
        tool: String,
        /// The credential's name.
        credential: String,
    },
    /// A bound of the run was met.
    #[error("the run's limit is reached: {0}")]
    LimitExceeded(String),
    /// The run was cancelled. For tools and hosts to say; the runtime itself ends such a run with
    /// [`StopReason::Cancelled`](crate::StopReason::Cancelled).
    #[error("the run was cancelled")]
    Cancelled,
    /// Something took longer than it may. For tools and hosts to say; a tool's own time-out is an answer to the model.
    #[error("{what} took longer than {limit:?}")]
    Timeout {
        /// What took so long, such as a tool's name.
        what: String,
        /// The time it had.
        limit: Duration,
    },
    /// The model could not be asked, or its answer not be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The effect ledger failed.
    #[error("the effect ledger failed")]
    Ledger(#[source] anyhow::Error),
    /// A failure of the host's own, handed through.
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

impl From<LedgerError> for TinyAgentsError {
    fn from(error: LedgerError) -> Self {
        Self::Ledger(error.into())
    }
}

impl From<InjectionError> for TinyAgentsError {
    fn from(error: InjectionError) -> Self {
        Self::MissingInjection {
            tool: error.tool,
            parameter: error.parameter.to_owned(),
            type_name: error.type_name.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_of_an_error_tells_each_cause_once() {
        let schema = SchemaError::TooLarge { limit: 7 };
        let cause = schema.to_string();
        let source = || anyhow::anyhow!("no disk");
        for (error, cause) in [
            (
                TinyAgentsError::InvalidSchema {
                    tool: "weather".into(),
                    source: schema,
                },
                cause.as_str(),
            ),
            (TinyAgentsError::Ledger(source()), "no disk"),
            (
                TinyAgentsError::Model(ModelError::Unavailable {
                    source: source(),
                    retry_after: None,
                }),
                "no disk",
            ),
            (TinyAgentsError::Other(source()), "no disk"),
        ] {
            let text = format!("{:#}", anyhow::Error::new(error));
            assert_eq!(text.matches(cause).count(), 1, "{text}");
        }
    }

    #[test]
    fn a_missing_value_names_tool_parameter_and_type() {
        let text = TinyAgentsError::MissingInjection {
            tool: "weather".into(),
            parameter: "units".into(),
            type_name: "app::Units".into(),
        }
        .to_string();
        for part in ["`weather`", "`units`", "`app::Units`"] {
            assert!(text.contains(part), "{text}");
        }
    }
}
