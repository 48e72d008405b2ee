//! Declarations without tools.

use std::fmt;
use std::sync::Arc;

use tinytools::{Tool, async_trait};

use super::ToolSet;
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::model::ToolSchema;
use crate::registry::ToolView;

/// Declarations alone: each call leaves the loop as deferred, and the host answers it. What stands before a remote worker
/// or a client of another protocol.
#[derive(Clone, Default)]
pub struct ExternalToolSet {
    tools: Vec<Arc<dyn Tool>>,
}

impl ExternalToolSet {
    /// A set of these declarations.
    pub fn new(schemas: impl IntoIterator<Item = ToolSchema>) -> Self {
        let views = schemas
            .into_iter()
            .map(|schema| -> Arc<dyn Tool> { Arc::new(ToolView::external(Arc::new(schema))) });
        Self {
            tools: views.collect(),
        }
    }
}

#[async_trait]
impl ToolSet for ExternalToolSet {
    async fn tools(&self, _: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        Ok(self.tools.clone())
    }
}

impl fmt::Debug for ExternalToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<&str> = self.tools.iter().map(|tool| tool.name()).collect();
        f.debug_tuple("ExternalToolSet").field(&tools).finish()
    }
}
