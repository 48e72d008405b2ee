//! Tools under other names.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tinytools::{Tool, ToolResult, async_trait};

use super::prefixed::{not_found_as, shown_as};
use super::{ExposedTools, ToolExposureExplanation, ToolSet, ToolSetError};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::registry::ToolView;

/// The tools, some under other names. A name that isn't there is passed over, since what a set shows may vary; a new
/// name that another tool has is an error.
#[derive(Clone)]
pub struct RenamedToolSet {
    inner: Arc<dyn ToolSet>,
    names: Arc<[(String, String)]>,
}

impl RenamedToolSet {
    /// The tools of `inner`, renamed by pairs of the old and the new name.
    pub fn new<F: Into<String>, T: Into<String>>(
        inner: impl ToolSet + 'static,
        names: impl IntoIterator<Item = (F, T)>,
    ) -> Self {
        let names = names.into_iter();
        Self {
            inner: Arc::new(inner),
            names: names.map(|(from, to)| (from.into(), to.into())).collect(),
        }
    }

    fn new_name(&self, from: &str) -> Option<&str> {
        let pair = self.names.iter().find(|(old, _)| old == from);
        pair.map(|(_, to)| to.as_str())
    }

    /// A pair must not take what another pair has taken, nor begin where another one does.
    fn check_pairs(&self) -> Result<(), ToolSetError> {
        for (position, (from, to)) in self.names.iter().enumerate() {
            let earlier = self.names.iter().take(position);
            let clash = earlier
                .into_iter()
                .find(|(old, new)| old == from || new == to);
            if let Some((old, _)) = clash {
                return Err(ToolSetError::RenameClash {
                    from: from.clone(),
                    to: to.clone(),
                    taken_by: format!("what `{old}` is renamed to already"),
                });
            }
        }
        Ok(())
    }
}

#[async_trait]
impl ToolSet for RenamedToolSet {
    async fn tools(&self, ctx: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        self.exposed(ctx).await.map(|exposed| exposed.tools)
    }

    async fn exposed(&self, ctx: &RunContext) -> Result<ExposedTools, TinyAgentsError> {
        self.check_pairs()?;
        let mut exposed = self.inner.exposed(ctx).await?;
        let kept: HashSet<String> = exposed
            .tools
            .iter()
            .map(|tool| tool.name())
            .filter(|name| self.new_name(name).is_none())
            .map(str::to_owned)
            .collect();
        for tool in &mut exposed.tools {
            let Some(to) = self.new_name(tool.name()) else {
                continue;
            };
            let from = tool.name().to_owned();
            if kept.contains(to) {
                return Err(ToolSetError::RenameClash {
                    from,
                    to: to.to_owned(),
                    taken_by: "a tool that is there".to_owned(),
                }
                .into());
            }
            *tool = shown_as(tool, to)?;
            exposed.explanations.push(ToolExposureExplanation::Renamed {
                tool: ToolView::identity(tool.as_ref()).to_owned(),
                from,
                to: to.to_owned(),
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
        self.check_pairs()?;
        let tools = self.inner.tools(ctx).await?;
        let mut shown = tools.iter().map(|tool| tool.name());
        // The old name of a tool is nobody's name, and a new one nobody's whose tool isn't there.
        let inner = shown.find(|inner| self.new_name(inner).unwrap_or(inner) == name);
        let Some(inner) = inner else {
            return Err(TinyAgentsError::ToolNotFound(name.to_owned()));
        };
        let called = self.inner.call(inner, args, ctx).await;
        called.map_err(|error| not_found_as(error, inner, name))
    }

    fn instructions(&self) -> Option<String> {
        self.inner.instructions()
    }

    async fn for_run(&self, ctx: &RunContext) -> Result<Option<Arc<dyn ToolSet>>, TinyAgentsError> {
        let inner = self.inner.for_run(ctx).await?;
        Ok(inner.map(|inner| -> Arc<dyn ToolSet> {
            Arc::new(Self {
                inner,
                names: Arc::clone(&self.names),
            })
        }))
    }
}

impl fmt::Debug for RenamedToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenamedToolSet")
            .field("inner", &self.inner.name())
            .field("names", &self.names)
            .finish()
    }
}
