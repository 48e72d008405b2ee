//! Inputs of one call that are not arguments.

use serde::{Deserialize, Serialize};

/// What a host asks of one call, beside the model's arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolCallOptions {
    /// The host would rather show Markdown, if the tool offers it. Default: `false`.
    pub prefer_markdown: bool,
}

/// How long one call may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolTimeout {
    /// As long as the host's default says.
    #[default]
    Inherit,
    /// As long as it takes; the run's deadline still holds.
    Unbounded,
    /// At most this many milliseconds.
    Millis(u64),
}
