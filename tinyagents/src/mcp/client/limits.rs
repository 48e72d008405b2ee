//! How much of a server is borne.

use std::time::Duration;

use tokio::time::Instant;

/// How long a server is waited for, and how much is taken from it.
///
/// ```
/// use std::time::Duration;
/// use tinyagents::mcp::McpLimits;
///
/// let limits = McpLimits { call_timeout: Duration::from_secs(600), ..McpLimits::default() };
/// assert_eq!(limits.max_tools, 256);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpLimits {
    /// Time to start or reach the server and to greet it. Default: 30 s.
    pub connect_timeout: Duration,
    /// Time for the whole list of tools. Default: 30 s.
    pub list_timeout: Duration,
    /// Time for one call; the server is told when it is over. Default: 2 min.
    pub call_timeout: Duration,
    /// How long a server may take to end by itself after its input was closed, and again after it was asked to; then it
    /// is killed. Default: 3 s.
    pub close_timeout: Duration,
    /// Most tools; the rest are left out. Default: 256.
    pub max_tools: usize,
    /// Longest description in bytes; the rest of it is cut. Default: 8 KiB.
    pub max_description_bytes: usize,
    /// Largest schema of a tool in bytes, for arguments and output alike; a tool with a larger one is left out. Default:
    /// 64 KiB.
    pub max_schema_bytes: usize,
    /// Longest message of the server in bytes; a longer one is dropped, and the call that it answers runs out of time.
    /// Default: 16 MiB.
    pub max_message_bytes: usize,
    /// Longest result of a call that a model is given, in bytes, unless the tool's policy has a bound of its own.
    /// Default: 256 KiB.
    pub max_result_bytes: u64,
}

/// When a time is over that begins now; a time beyond what the clock can tell is a very long one.
pub(super) fn end_of(limit: Duration) -> Instant {
    const LONG: Duration = Duration::from_hours(24 * 365);
    let now = Instant::now();
    now.checked_add(limit).unwrap_or_else(|| now + LONG)
}

impl Default for McpLimits {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(30),
            list_timeout: Duration::from_secs(30),
            call_timeout: Duration::from_mins(2),
            close_timeout: Duration::from_secs(3),
            max_tools: 256,
            max_description_bytes: 8 * 1024,
            max_schema_bytes: 64 * 1024,
            max_message_bytes: 16 * 1024 * 1024,
            max_result_bytes: 256 * 1024,
        }
    }
}
