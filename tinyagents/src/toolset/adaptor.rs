//! What all adaptors have in common: each changes, one by one, the tools that another set shows.

use std::sync::Arc;

use serde_json::Value;
use tinytools::{Tool, ToolResult, async_trait};

use super::tool_set::type_name;
use super::{ExposedTools, ToolExposureExplanation, ToolSet};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::registry::ToolView;

/// What becomes of one tool.
pub enum Change {
    /// Nothing.
    Kept,
    /// It isn't shown.
    Dropped,
    /// It is shown otherwise.
    Shown(Arc<dyn Tool>, ToolExposureExplanation),
}

/// A set around another one that changes what is shown of its tools.
pub trait Adaptor: Clone + Send + Sync + 'static {
    /// What has to be known of all tools before any is changed.
    type Plan: Default;

    /// The set around which it is.
    fn inner(&self) -> &Arc<dyn ToolSet>;

    /// The same around another set.
    fn around(&self, inner: Arc<dyn ToolSet>) -> Self;

    /// Looks at the tools as the inner set shows them; by default there is nothing to be known.
    fn plan(
        &self,
        tools: &[Arc<dyn Tool>],
        ctx: &RunContext,
    ) -> Result<Self::Plan, TinyAgentsError> {
        let _ = (tools, ctx);
        Ok(Self::Plan::default())
    }

    /// What it does to one of them.
    fn adapt(
        &self,
        tool: &Arc<dyn Tool>,
        plan: &mut Self::Plan,
        ctx: &RunContext,
    ) -> Result<Change, TinyAgentsError>;

    /// Looks at a call of a tool, as this set shows it, before the inner set gets it.
    fn check(
        &self,
        tool: &dyn Tool,
        args: &Value,
        ctx: &RunContext,
    ) -> Result<(), TinyAgentsError> {
        let _ = (tool, args, ctx);
        Ok(())
    }

    /// What is told of it in errors beside its type; nothing by default.
    fn label(&self) -> Option<&str> {
        None
    }
}

/// Tools as they are shown, each with the name that the inner set shows it by, and what was done on the way.
struct Adapted {
    tools: Vec<(Arc<dyn Tool>, String)>,
    explanations: Vec<ToolExposureExplanation>,
}

fn adapted<A: Adaptor>(
    adaptor: &A,
    exposed: ExposedTools,
    ctx: &RunContext,
) -> Result<Adapted, TinyAgentsError> {
    let mut plan = adaptor.plan(&exposed.tools, ctx)?;
    let mut tools = Vec::with_capacity(exposed.tools.len());
    let mut explanations = exposed.explanations;
    for tool in exposed.tools {
        let inner_name = tool.name().to_owned();
        match adaptor.adapt(&tool, &mut plan, ctx)? {
            Change::Kept => tools.push((tool, inner_name)),
            Change::Dropped => explanations.push(ToolExposureExplanation::FilteredOut {
                tool: ToolView::identity(tool.as_ref()).to_owned(),
            }),
            Change::Shown(tool, explanation) => {
                explanations.push(explanation);
                tools.push((tool, inner_name));
            }
        }
    }
    Ok(Adapted {
        tools,
        explanations,
    })
}

#[diagnostic::do_not_recommend]
#[async_trait]
impl<A: Adaptor> ToolSet for A {
    async fn tools(&self, ctx: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        self.exposed(ctx).await.map(|exposed| exposed.tools)
    }

    async fn exposed(&self, ctx: &RunContext) -> Result<ExposedTools, TinyAgentsError> {
        let exposed = self.inner().exposed(ctx).await?;
        let adapted = adapted(self, exposed, ctx)?;
        Ok(ExposedTools {
            tools: adapted.tools.into_iter().map(|(tool, _)| tool).collect(),
            explanations: adapted.explanations,
        })
    }

    async fn call(
        &self,
        name: &str,
        args: Value,
        ctx: &RunContext,
    ) -> Result<ToolResult, TinyAgentsError> {
        let exposed = self.inner().exposed(ctx).await?;
        let shown = adapted(self, exposed, ctx)?.tools;
        let called = shown.into_iter().find(|(tool, _)| tool.name() == name);
        let Some((tool, inner_name)) = called else {
            return Err(TinyAgentsError::ToolNotFound(name.to_owned()));
        };
        self.check(tool.as_ref(), &args, ctx)?;
        let called = self.inner().call(&inner_name, args, ctx).await;
        called.map_err(|error| match error {
            // A tool that isn't there is told by the name that was asked for.
            TinyAgentsError::ToolNotFound(missing) if missing == inner_name => {
                TinyAgentsError::ToolNotFound(name.to_owned())
            }
            error => error,
        })
    }

    fn instructions(&self) -> Option<String> {
        self.inner().instructions()
    }

    async fn for_run(&self, ctx: &RunContext) -> Result<Option<Arc<dyn ToolSet>>, TinyAgentsError> {
        let inner = self.inner().for_run(ctx).await?;
        Ok(inner.map(|inner| -> Arc<dyn ToolSet> { Arc::new(self.around(inner)) }))
    }

    fn name(&self) -> String {
        let name = type_name::<Self>();
        match self.label() {
            Some(label) => format!("{name} `{label}`"),
            None => name,
        }
    }
}
