//! How far an effect has come.

use serde::{Deserialize, Serialize};

/// How far an effect has come, as far as the ledger knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolEffectStatus {
    /// The tool was to run; nothing more is known. The only unresolved one.
    Started,
    /// The tool ran and answered.
    Completed,
    /// The tool ran and told of a failure.
    Failed,
    /// Nobody can tell what the tool did: it was stopped by a time-out, a cancellation, a panic, or its process died.
    Interrupted,
}

impl ToolEffectStatus {
    /// Whether the tool itself brought the call to its end.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed)
    }

    /// The name on the wire and in databases.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }

    /// The status of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [
            Self::Started,
            Self::Completed,
            Self::Failed,
            Self::Interrupted,
        ]
        .into_iter()
        .find(|status| status.as_str() == name)
    }
}
