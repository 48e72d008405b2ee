//! Tools whose calls a person has to approve.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tinytools::{Tool, ToolResult, async_trait};

use super::tool_set::is_approved;
use super::{ExposedTools, ToolExposureExplanation, ToolSet};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::registry::ToolView;

type Needs = dyn Fn(&dyn Tool) -> bool + Send + Sync;

/// The tools; calls of those that a predicate accepts have to be approved, whatever the tools' own policies say.
#[derive(Clone)]
pub struct ApprovalRequiredToolSet {
    inner: Arc<dyn ToolSet>,
    needs: Arc<Needs>,
}

impl ApprovalRequiredToolSet {
    /// The tools of `inner`; calls of those that `needs` accepts have to be approved.
    pub fn new(
        inner: impl ToolSet + 'static,
        needs: impl Fn(&dyn Tool) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            inner: Arc::new(inner),
            needs: Arc::new(needs),
        }
    }
}

#[async_trait]
impl ToolSet for ApprovalRequiredToolSet {
    async fn tools(&self, ctx: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        self.exposed(ctx).await.map(|exposed| exposed.tools)
    }

    async fn exposed(&self, ctx: &RunContext) -> Result<ExposedTools, TinyAgentsError> {
        let mut exposed = self.inner.exposed(ctx).await?;
        for tool in &mut exposed.tools {
            if (self.needs)(tool.as_ref()) {
                exposed
                    .explanations
                    .push(ToolExposureExplanation::ApprovalRequired {
                        tool: ToolView::identity(tool.as_ref()).to_owned(),
                    });
                *tool = Arc::new(ToolView::of(tool).requiring_approval());
            }
        }
        Ok(exposed)
    }

    async fn call(
        &self,
        name: &str,
        args: Value,
        ctx: &RunContext,
    ) -> Result<ToolResult, TinyAgentsError> {
        let tools = self.inner.tools(ctx).await?;
        let Some(tool) = tools.iter().find(|tool| tool.name() == name) else {
            return Err(TinyAgentsError::ToolNotFound(name.to_owned()));
        };
        if (self.needs)(tool.as_ref()) && !is_approved(ctx) {
            return Err(TinyAgentsError::ApprovalRequired {
                metadata: Value::Null,
            });
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
                needs: Arc::clone(&self.needs),
            })
        }))
    }
}

impl fmt::Debug for ApprovalRequiredToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApprovalRequiredToolSet")
            .field("inner", &self.inner.name())
            .finish_non_exhaustive()
    }
}
