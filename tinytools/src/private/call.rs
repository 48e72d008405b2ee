//! A call over arguments that the host keeps.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde_json::Value;

use crate::{Tool, ToolCallOptions, ToolResult, ToolRunContext};

/// What `execute*` returns, as `#[async_trait]` spells it.
pub type Execution<'a> = Pin<Box<dyn Future<Output = anyhow::Result<ToolResult>> + Send + 'a>>;

/// What `Tool::execute_with_context` is given, with arguments that stay the host's.
///
/// It is one value, and not three, for the size of the expansions.
pub struct Call<'call> {
    /// The arguments.
    pub args: &'call Value,
    /// The options.
    pub options: ToolCallOptions,
    /// The run, where there is one.
    pub ctx: Option<&'call dyn ToolRunContext>,
}

/// A call that was begun.
#[must_use = "a future does nothing unless it is polled"]
pub enum Called<'call> {
    /// The function isn't async, so this is its answer.
    Done(anyhow::Result<ToolResult>),
    /// Nothing happens before the first poll.
    Running(Execution<'call>),
}

impl fmt::Debug for Called<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done(answer) => f.debug_tuple("Done").field(answer).finish(),
            Self::Running(_) => f.write_str("Running"),
        }
    }
}

/// Runs a call over arguments of its own. Nothing happens before the first poll.
#[must_use = "a future does nothing unless it is polled"]
pub fn execute<'call>(
    tool: &'call dyn Tool,
    args: Value,
    ctx: Option<&'call dyn ToolRunContext>,
) -> Execution<'call> {
    Box::pin(async move {
        let options = ToolCallOptions::default();
        let args = &args;
        match tool.__call(Call { args, options, ctx }) {
            Called::Done(answer) => answer,
            Called::Running(execution) => execution.await,
        }
    })
}
