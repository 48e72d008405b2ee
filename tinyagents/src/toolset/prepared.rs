//! Tools with other declarations.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tinytools::{Tool, ToolResult, async_trait};

use super::tool_set::check_layers;
use super::{ExposedTools, ToolExposureExplanation, ToolSet, ToolSetError};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::model::ToolSchema;
use crate::registry::ToolView;

type Prepare = dyn Fn(Vec<ToolSchema>, &RunContext) -> Vec<ToolSchema> + Send + Sync;

/// The tools with declarations that a transform rewrites for each turn.
///
/// It may edit and drop, but not add or rename. Arguments must satisfy both what it made of a schema and the tool's own:
/// it can ask for more, never for less.
#[derive(Clone)]
pub struct PreparedToolSet {
    inner: Arc<dyn ToolSet>,
    prepare: Arc<Prepare>,
    /// What was made last, so that a declaration that stays the same is one and the same value. Held to look and to
    /// put, never across an await.
    last: Arc<Mutex<HashMap<String, Arc<ToolSchema>>>>,
}

impl PreparedToolSet {
    /// The tools of `inner`, with what `prepare` makes of their declarations.
    pub fn new(
        inner: impl ToolSet + 'static,
        prepare: impl Fn(Vec<ToolSchema>, &RunContext) -> Vec<ToolSchema> + Send + Sync + 'static,
    ) -> Self {
        Self {
            inner: Arc::new(inner),
            prepare: Arc::new(prepare),
            last: Arc::default(),
        }
    }

    fn shared(&self, schema: ToolSchema) -> Arc<ToolSchema> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match last.get(&schema.name) {
            Some(known) if **known == schema => Arc::clone(known),
            _ => {
                let schema = Arc::new(schema);
                last.insert(schema.name.clone(), Arc::clone(&schema));
                schema
            }
        }
    }
}

/// The declaration of a tool as it is shown.
fn declaration(tool: &dyn Tool) -> ToolSchema {
    ToolSchema::new(tool.name(), tool.description(), tool.parameters_schema())
}

#[async_trait]
impl ToolSet for PreparedToolSet {
    async fn tools(&self, ctx: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        self.exposed(ctx).await.map(|exposed| exposed.tools)
    }

    async fn exposed(&self, ctx: &RunContext) -> Result<ExposedTools, TinyAgentsError> {
        let ExposedTools {
            tools,
            mut explanations,
        } = self.inner.exposed(ctx).await?;
        let declared: Vec<ToolSchema> = tools.iter().map(|tool| declaration(&**tool)).collect();
        let names: HashSet<String> = declared.iter().map(|tool| tool.name.clone()).collect();
        let mut prepared = HashMap::new();
        for schema in (self.prepare)(declared.clone(), ctx) {
            let name = schema.name.clone();
            if !names.contains(&name) || prepared.insert(name.clone(), schema).is_some() {
                return Err(ToolSetError::PreparedUnknown { name }.into());
            }
        }
        let mut kept = Vec::with_capacity(tools.len());
        for (tool, declared) in tools.into_iter().zip(declared) {
            let identity = ToolView::identity(tool.as_ref()).to_owned();
            match prepared.remove(&declared.name) {
                None => {
                    explanations.push(ToolExposureExplanation::FilteredOut { tool: identity });
                }
                Some(schema) if schema == declared => kept.push(tool),
                Some(schema) => {
                    explanations.push(ToolExposureExplanation::Prepared { tool: identity });
                    let schema = self.shared(schema);
                    kept.push(Arc::new(ToolView::of(&tool).prepared_as(schema)));
                }
            }
        }
        Ok(ExposedTools {
            tools: kept,
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
        let Some(tool) = tools.iter().find(|tool| tool.name() == name) else {
            return Err(TinyAgentsError::ToolNotFound(name.to_owned()));
        };
        check_layers(tool.as_ref(), &args)?;
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
                prepare: Arc::clone(&self.prepare),
                last: Arc::default(),
            })
        }))
    }
}

impl fmt::Debug for PreparedToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedToolSet")
            .field("inner", &self.inner.name())
            .finish_non_exhaustive()
    }
}
