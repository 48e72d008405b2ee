//! Tools under names with a prefix.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tinytools::{Tool, ToolResult, async_trait};

use super::{ExposedTools, ToolExposureExplanation, ToolSet, ToolSetError};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::registry::{ToolName, ToolView};

/// The tools under names that begin with a prefix and `_`: `gh_search` for `search`. A name that gets too long, or is
/// none for another reason, is an error.
#[derive(Clone)]
pub struct PrefixedToolSet {
    inner: Arc<dyn ToolSet>,
    prefix: String,
}

impl PrefixedToolSet {
    /// The tools of `inner` under names with `prefix`.
    pub fn new(inner: impl ToolSet + 'static, prefix: impl Into<String>) -> Self {
        Self {
            inner: Arc::new(inner),
            prefix: prefix.into(),
        }
    }
}

#[async_trait]
impl ToolSet for PrefixedToolSet {
    async fn tools(&self, ctx: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        self.exposed(ctx).await.map(|exposed| exposed.tools)
    }

    async fn exposed(&self, ctx: &RunContext) -> Result<ExposedTools, TinyAgentsError> {
        let mut exposed = self.inner.exposed(ctx).await?;
        for tool in &mut exposed.tools {
            let to = format!("{}_{}", self.prefix, tool.name());
            *tool = shown_as(tool, &to)?;
            exposed
                .explanations
                .push(ToolExposureExplanation::Prefixed {
                    tool: ToolView::identity(tool.as_ref()).to_owned(),
                    to,
                });
        }
        Ok(exposed)
    }

    async fn call(
        &self,
        name: &str,
        args: Value,
        ctx: &RunContext,
    ) -> Result<ToolResult, TinyAgentsError> {
        let inner = name.strip_prefix(&self.prefix);
        match inner.and_then(|rest| rest.strip_prefix('_')) {
            Some(inner) => {
                let called = self.inner.call(inner, args, ctx).await;
                called.map_err(|error| not_found_as(error, inner, name))
            }
            None => Err(TinyAgentsError::ToolNotFound(name.to_owned())),
        }
    }

    fn instructions(&self) -> Option<String> {
        self.inner.instructions()
    }

    async fn for_run(&self, ctx: &RunContext) -> Result<Option<Arc<dyn ToolSet>>, TinyAgentsError> {
        let inner = self.inner.for_run(ctx).await?;
        Ok(inner.map(|inner| -> Arc<dyn ToolSet> {
            Arc::new(Self {
                inner,
                prefix: self.prefix.clone(),
            })
        }))
    }

    fn name(&self) -> String {
        format!("PrefixedToolSet `{}`", self.prefix)
    }
}

/// The tool under another name, which must be one.
pub(super) fn shown_as(tool: &Arc<dyn Tool>, to: &str) -> Result<Arc<dyn Tool>, ToolSetError> {
    if let Err(source) = ToolName::parse(to) {
        return Err(ToolSetError::Unnameable {
            from: tool.name().to_owned(),
            to: to.to_owned(),
            source,
        });
    }
    Ok(Arc::new(ToolView::of(tool).shown_as(to)))
}

/// A tool that isn't there is told by the name that was asked for.
pub(super) fn not_found_as(error: TinyAgentsError, inner: &str, name: &str) -> TinyAgentsError {
    match error {
        TinyAgentsError::ToolNotFound(missing) if missing == inner => {
            TinyAgentsError::ToolNotFound(name.to_owned())
        }
        error => error,
    }
}

impl fmt::Debug for PrefixedToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrefixedToolSet")
            .field("inner", &self.inner.name())
            .field("prefix", &self.prefix)
            .finish()
    }
}
