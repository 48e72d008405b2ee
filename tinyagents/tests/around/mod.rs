//! A middleware around calls, of a function.

use std::future::Future;
use std::pin::Pin;

use tinyagents::middleware::{Middleware, NextTool};
use tinyagents::tinytools::{ToolResult, async_trait};
use tinyagents::{RunContext, TinyAgentsError, ToolCall};

pub(crate) type Wrapped = Result<ToolResult, TinyAgentsError>;
type Wrapping<'a> = Pin<Box<dyn Future<Output = Wrapped> + Send + 'a>>;

/// Wraps calls in what it is made of.
pub(crate) struct Around<F>(F);

#[async_trait]
impl<F> Middleware for Around<F>
where
    F: for<'a> Fn(&'a mut RunContext, &'a ToolCall, NextTool<'a>) -> Wrapping<'a> + Send + Sync,
{
    fn name(&self) -> &'static str {
        "around"
    }

    async fn wrap_tool(
        &self,
        ctx: &mut RunContext,
        call: &ToolCall,
        next: NextTool<'_>,
    ) -> Wrapped {
        (self.0)(ctx, call, next).await
    }
}

pub(crate) fn around<F>(wrap: F) -> Around<F>
where
    F: for<'a> Fn(&'a mut RunContext, &'a ToolCall, NextTool<'a>) -> Wrapping<'a> + Send + Sync,
{
    Around(wrap)
}
