//! Why a tool isn't shown as it is.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One change that was made to what is shown of a tool. `tool` is its canonical name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolExposureExplanation {
    /// It was taken out.
    FilteredOut {
        /// The tool.
        tool: String,
    },
    /// It is called otherwise.
    Renamed {
        /// The tool.
        tool: String,
        /// The name before.
        from: String,
        /// The name now.
        to: String,
    },
    /// Its name has a prefix.
    Prefixed {
        /// The tool.
        tool: String,
        /// The name now.
        to: String,
    },
    /// Its declaration was rewritten.
    Prepared {
        /// The tool.
        tool: String,
    },
    /// It can't be used as it is.
    LeftOut {
        /// The tool, by the name that it has outside.
        tool: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Its calls have to be approved.
    ApprovalRequired {
        /// The tool.
        tool: String,
    },
    /// A model has to search for it.
    Deferred {
        /// The tool.
        tool: String,
    },
    /// It is for the host alone.
    Hidden {
        /// The tool.
        tool: String,
    },
}

impl ToolExposureExplanation {
    /// The canonical name of the tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        match self {
            Self::FilteredOut { tool }
            | Self::Renamed { tool, .. }
            | Self::Prefixed { tool, .. }
            | Self::Prepared { tool }
            | Self::LeftOut { tool, .. }
            | Self::ApprovalRequired { tool }
            | Self::Deferred { tool }
            | Self::Hidden { tool } => tool,
        }
    }
}

impl fmt::Display for ToolExposureExplanation {
    /// The change alone, without the tool.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FilteredOut { .. } => f.write_str("filtered out"),
            Self::Renamed { from, to, .. } => write!(f, "renamed from `{from}` to `{to}`"),
            Self::Prefixed { to, .. } => write!(f, "prefixed to `{to}`"),
            Self::Prepared { .. } => f.write_str("declared otherwise"),
            Self::LeftOut { reason, .. } => write!(f, "left out: {reason}"),
            Self::ApprovalRequired { .. } => f.write_str("needs approval"),
            Self::Deferred { .. } => f.write_str("found by searching only"),
            Self::Hidden { .. } => f.write_str("for the host alone"),
        }
    }
}
