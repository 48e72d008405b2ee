//! Tools with other declarations.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tinytools::Tool;

use super::adaptor::{Adaptor, Change};
use super::tool_set::{check_arguments, strip_hidden};
use super::{ToolExposureExplanation, ToolSet, ToolSetError};
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

impl Adaptor for PreparedToolSet {
    /// What became of each declaration, by name.
    type Plan = HashMap<String, ToolSchema>;

    fn inner(&self) -> &Arc<dyn ToolSet> {
        &self.inner
    }

    fn around(&self, inner: Arc<dyn ToolSet>) -> Self {
        Self {
            inner,
            prepare: Arc::clone(&self.prepare),
            last: Arc::default(),
        }
    }

    fn plan(
        &self,
        tools: &[Arc<dyn Tool>],
        ctx: &RunContext,
    ) -> Result<HashMap<String, ToolSchema>, TinyAgentsError> {
        let names: HashSet<&str> = tools.iter().map(|tool| tool.name()).collect();
        let declared = tools.iter().map(|tool| declaration(tool.as_ref()));
        let mut prepared = HashMap::new();
        for schema in (self.prepare)(declared.collect(), ctx) {
            let name = schema.name.clone();
            let is_known = names.contains(name.as_str());
            if !is_known || prepared.insert(name.clone(), schema).is_some() {
                return Err(ToolSetError::PreparedUnknown { name }.into());
            }
        }
        Ok(prepared)
    }

    fn adapt(
        &self,
        tool: &Arc<dyn Tool>,
        prepared: &mut HashMap<String, ToolSchema>,
        _: &RunContext,
    ) -> Result<Change, TinyAgentsError> {
        let Some(schema) = prepared.remove(tool.name()) else {
            return Ok(Change::Dropped);
        };
        if schema == declaration(tool.as_ref()) {
            return Ok(Change::Kept);
        }
        let shown = ToolView::of(tool).prepared_as(self.shared(schema));
        let tool = ToolView::identity(tool.as_ref()).to_owned();
        Ok(Change::Shown(
            Arc::new(shown),
            ToolExposureExplanation::Prepared { tool },
        ))
    }

    fn check(&self, tool: &dyn Tool, args: &Value, _: &RunContext) -> Result<(), TinyAgentsError> {
        // What is hidden is taken out further in, where the tool is.
        let mut args = args.clone();
        strip_hidden(tool, &mut args);
        check_arguments(tool, &args)
    }
}

impl fmt::Debug for PreparedToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedToolSet")
            .field("inner", &self.inner.name())
            .finish_non_exhaustive()
    }
}
