//! Fewer tools.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tinytools::{Tool, ToolResult, async_trait};

use super::{ExposedTools, ToolExposureExplanation, ToolSet};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::registry::ToolView;

type Keep = dyn Fn(&dyn Tool, &RunContext) -> bool + Send + Sync;

/// The tools that a predicate accepts. It sees a tool as the inner set shows it, and the context of the turn.
#[derive(Clone)]
pub struct FilteredToolSet {
    inner: Arc<dyn ToolSet>,
    keep: Arc<Keep>,
}

impl FilteredToolSet {
    /// The tools of `inner` that `keep` accepts.
    pub fn new(
        inner: impl ToolSet + 'static,
        keep: impl Fn(&dyn Tool, &RunContext) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            inner: Arc::new(inner),
            keep: Arc::new(keep),
        }
    }
}

#[async_trait]
impl ToolSet for FilteredToolSet {
    async fn tools(&self, ctx: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        self.exposed(ctx).await.map(|exposed| exposed.tools)
    }

    async fn exposed(&self, ctx: &RunContext) -> Result<ExposedTools, TinyAgentsError> {
        let ExposedTools {
            mut tools,
            mut explanations,
        } = self.inner.exposed(ctx).await?;
        tools.retain(|tool| {
            let is_kept = (self.keep)(tool.as_ref(), ctx);
            if !is_kept {
                explanations.push(ToolExposureExplanation::FilteredOut {
                    tool: ToolView::identity(tool.as_ref()).to_owned(),
                });
            }
            is_kept
        });
        Ok(ExposedTools {
            tools,
            explanations,
        })
    }

    async fn call(
        &self,
        name: &str,
        args: Value,
        ctx: &RunContext,
    ) -> Result<ToolResult, TinyAgentsError> {
        let tools = self.tools(ctx).await?;
        if !tools.iter().any(|tool| tool.name() == name) {
            return Err(TinyAgentsError::ToolNotFound(name.to_owned()));
        }
        self.inner.call(name, args, ctx).await
    }

    fn instructions(&self) -> Option<String> {
        self.inner.instructions()
    }

    async fn for_run(&self, ctx: &RunContext) -> Result<Option<Arc<dyn ToolSet>>, TinyAgentsError> {
        let inner = self.inner.for_run(ctx).await?;
        Ok(inner.map(|inner| -> Arc<dyn ToolSet> {
            Arc::new(Self {
                inner,
                keep: Arc::clone(&self.keep),
            })
        }))
    }
}

impl fmt::Debug for FilteredToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilteredToolSet")
            .field("inner", &self.inner.name())
            .finish_non_exhaustive()
    }
}
