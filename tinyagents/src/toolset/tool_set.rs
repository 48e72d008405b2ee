//! Which tools there are.

use std::sync::Arc;

use serde_json::Value;
use tinytools::{Tool, ToolCallOptions, ToolError, ToolResult, async_trait};

use super::ExposedTools;
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::registry::ToolView;
use crate::schema::Validator;

/// Which tools there are for a run, and for each turn of it.
///
/// A harness or a dispatcher asks once per turn and runs the tools itself, with all that admission does; a tool that is
/// the same as before (the same `Arc`) costs nothing then. [`call`](Self::call) is for a host that has a set and nothing
/// else.
#[async_trait]
pub trait ToolSet: Send + Sync {
    /// The tools that this context is shown. Asked for once per turn.
    ///
    /// # Errors
    /// When they can't be listed, or what is listed contradicts itself.
    async fn tools(&self, ctx: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError>;

    /// The same, with what was done to the tools on the way. Default: nothing was.
    ///
    /// # Errors
    /// As [`tools`](Self::tools).
    async fn exposed(&self, ctx: &RunContext) -> Result<ExposedTools, TinyAgentsError> {
        self.tools(ctx).await.map(ExposedTools::new)
    }

    /// Calls the tool of that name, as this set shows it. Default: the tool is looked for among
    /// [`tools`](Self::tools).
    ///
    /// Hidden names are taken out of the arguments, which must then satisfy the tool's own schema and what was put in its
    /// place; everything else of admission is a dispatcher's.
    ///
    /// # Errors
    /// [`ToolNotFound`](TinyAgentsError::ToolNotFound) for a name that the set doesn't show;
    /// [`ApprovalRequired`](TinyAgentsError::ApprovalRequired) and [`CallDeferred`](TinyAgentsError::CallDeferred) for a
    /// call that has to leave the loop; whatever the tool fails with.
    async fn call(
        &self,
        name: &str,
        args: Value,
        ctx: &RunContext,
    ) -> Result<ToolResult, TinyAgentsError> {
        let tools = self.tools(ctx).await?;
        match tools.iter().find(|tool| tool.name() == name) {
            Some(tool) => call_tool(tool.as_ref(), args, ctx).await,
            None => Err(TinyAgentsError::ToolNotFound(name.to_owned())),
        }
    }

    /// How a model should use these tools; appended to the system prompt by a harness. Default: nothing to say.
    fn instructions(&self) -> Option<String> {
        None
    }

    /// The set that one run uses instead of this one, such as one with a connection of its own; asked for once, before
    /// the run's first turn. Default: `None`, this one.
    ///
    /// # Errors
    /// Whatever should keep the run from starting.
    async fn for_run(&self, ctx: &RunContext) -> Result<Option<Arc<dyn ToolSet>>, TinyAgentsError> {
        let _ = ctx;
        Ok(None)
    }

    /// What the set is called in errors. Default: its type's name.
    fn name(&self) -> String {
        type_name::<Self>()
    }
}

/// The type's name without the path to it.
pub(super) fn type_name<T: ?Sized>() -> String {
    let name = std::any::type_name::<T>();
    let start = name.split('<').next().unwrap_or(name);
    start.rsplit("::").next().unwrap_or(start).to_owned()
}

/// Calls a tool outside of a dispatcher.
pub(super) async fn call_tool(
    tool: &dyn Tool,
    mut args: Value,
    ctx: &RunContext,
) -> Result<ToolResult, TinyAgentsError> {
    strip_hidden(tool, &mut args);
    check_arguments(tool, &args)?;
    if tool.policy().access.approval_required && !is_approved(ctx) {
        return Err(TinyAgentsError::ApprovalRequired {
            metadata: Value::Null,
        });
    }
    let called = tool.execute_with_context(args, ToolCallOptions::default(), Some(ctx));
    called.await.map_err(|error| match ToolError::find(&error) {
        Some(ToolError::ApprovalRequired { metadata }) => TinyAgentsError::ApprovalRequired {
            metadata: metadata.clone(),
        },
        Some(ToolError::CallDeferred { metadata }) => TinyAgentsError::CallDeferred {
            metadata: metadata.clone(),
        },
        _ => error.into(),
    })
}

/// Checks the arguments against the tool's own schema, and against what was put in its place.
pub(super) fn check_arguments(tool: &dyn Tool, args: &Value) -> Result<(), TinyAgentsError> {
    let view = ToolView::behind(tool);
    let own = match view {
        Some(view) => view.own_schema().parameters,
        None => tool.parameters_schema(),
    };
    let layers = view.map_or(&[][..], ToolView::layers).iter();
    let redact = tool.policy().access.redact;
    let redact: Vec<&str> = redact.iter().map(String::as_str).collect();
    for schema in [&own]
        .into_iter()
        .chain(layers.map(|layer| &layer.parameters))
    {
        let name = || tool.name().to_owned();
        let validator = Validator::compile(schema).map_err(|source| {
            let tool = name();
            TinyAgentsError::InvalidSchema { tool, source }
        })?;
        if let Err(faults) = validator.validate_redacted(args, &redact) {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            return Err(TinyAgentsError::InvalidArguments {
                tool: name(),
                error: faults.join("; "),
            });
        }
    }
    Ok(())
}

/// Takes the names out of the arguments that a model can't choose.
pub(super) fn strip_hidden(tool: &dyn Tool, args: &mut Value) {
    if let Value::Object(args) = args {
        for hidden in tool.injected() {
            args.shift_remove(hidden.parameter);
        }
    }
}

/// Whether a person has approved the call that this is the context of.
pub(super) fn is_approved(ctx: &RunContext) -> bool {
    ctx.call_id().is_some_and(|id| ctx.is_call_approved(id))
}

#[async_trait]
impl<T: ToolSet + ?Sized> ToolSet for Arc<T> {
    async fn tools(&self, ctx: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        T::tools(self, ctx).await
    }

    async fn exposed(&self, ctx: &RunContext) -> Result<ExposedTools, TinyAgentsError> {
        T::exposed(self, ctx).await
    }

    async fn call(
        &self,
        name: &str,
        args: Value,
        ctx: &RunContext,
    ) -> Result<ToolResult, TinyAgentsError> {
        T::call(self, name, args, ctx).await
    }

    fn instructions(&self) -> Option<String> {
        T::instructions(self)
    }

    async fn for_run(&self, ctx: &RunContext) -> Result<Option<Arc<dyn ToolSet>>, TinyAgentsError> {
        T::for_run(self, ctx).await
    }

    fn name(&self) -> String {
        T::name(self)
    }
}
