//! One call of a server's tool.

use std::time::Duration;

use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ErrorData, ServerResult};
use serde_json::Value;
use tinytools::{ToolError, ToolProgress, ToolResult, ToolRunContext, anyhow};

use super::McpError;
use super::connection::NoResult;
use super::content::tool_result;
use super::limits::end_of;
use super::tool::McpTool;
use crate::clip::clip_bytes;
use crate::dispatch::Interrupted;

/// Longest text of a refusal that a model is given.
const MAX_REFUSAL: usize = 2048;

impl McpTool {
    /// Makes the call. It is made once: only where the server certainly knows nothing of it, it is tried on a new
    /// connection.
    pub(super) async fn run(
        &self,
        args: Value,
        ctx: Option<&dyn ToolRunContext>,
    ) -> anyhow::Result<ToolResult> {
        let Value::Object(arguments) = args else {
            return Err(ToolError::retry("the arguments must be an object").into());
        };
        let until = end_of(self.server.opener.limits.call_timeout);
        let params = CallToolRequestParams::new(self.definition.outside.clone());
        let request = CallToolRequest::new(params.with_arguments(arguments));
        let report = |progress: ToolProgress| {
            if let Some(ctx) = ctx {
                ctx.report_progress(progress);
            }
        };
        for _ in 0..2 {
            let live = tokio::time::timeout_at(until, self.server.live()).await;
            let live = live.map_err(|_| self.not_run(None))?;
            let live = live.map_err(|error| self.unavailable(&error))?;
            // What a model or a person has agreed to is this definition and no other.
            if live.listing.hash(&self.definition.outside) != Some(&self.definition.hash) {
                return Err(self.has_changed());
            }
            let request = ClientRequest::CallToolRequest(request.clone());
            match live.connection.ask(request, until, &report).await {
                Ok(answer) => return self.read(answer),
                Err(NoResult::NotSent) => {}
                Err(NoResult::Refused(refusal)) => return Err(refused(&refusal)),
                Err(NoResult::Gone) => {
                    return Err(self.interrupted("its server went away before it answered"));
                }
                Err(NoResult::TimedOut) => {
                    return Err(self.interrupted("its server did not answer in time"));
                }
                Err(NoResult::Unreadable) => return Err(self.unreadable()),
            }
        }
        Err(self.not_run(None))
    }

    fn read(&self, answer: ServerResult) -> anyhow::Result<ToolResult> {
        match answer {
            ServerResult::CallToolResult(result) => Ok(tool_result(result)),
            // A result without content looks like nothing in particular.
            ServerResult::EmptyResult(_) => Ok(ToolResult::default()),
            // Of a revision that this client doesn't speak.
            ServerResult::InputRequiredResult(_) => Err(ToolError::failed(
                "its server asks for input, which this host does not give",
            )
            .into()),
            _ => Err(self.unreadable()),
        }
    }

    fn has_changed(&self) -> anyhow::Error {
        let name = &self.definition.name;
        ToolError::failed(format!(
            "`{name}` was not run: its server has changed or removed it since it was listed"
        ))
        .into()
    }

    fn unavailable(&self, error: &McpError) -> anyhow::Error {
        tracing::warn!(tool = %self.definition.name, %error, "a call was not made");
        self.not_run(error.retry_after())
    }

    fn not_run(&self, retry_after: Option<Duration>) -> anyhow::Error {
        let name = &self.definition.name;
        let source = anyhow::anyhow!("`{name}` was not run: its server is not available");
        ToolError::Transient {
            source,
            retry_after,
        }
        .into()
    }

    fn unreadable(&self) -> anyhow::Error {
        self.interrupted("its server's answer can't be read")
    }

    /// The call has begun, and nobody knows how it ended.
    fn interrupted(&self, reason: &str) -> anyhow::Error {
        let name = &self.definition.name;
        let doubt = if self.policy.side_effects.read_only {
            ""
        } else {
            "; its effect may have happened"
        };
        ToolError::transient(Interrupted(format!("`{name}` failed: {reason}{doubt}"))).into()
    }
}

fn refused(refusal: &ErrorData) -> anyhow::Error {
    let message = clip_bytes(&refusal.message, MAX_REFUSAL);
    ToolError::failed(format!(
        "the server refused the call: {message} (code {})",
        refusal.code.0
    ))
    .into()
}
