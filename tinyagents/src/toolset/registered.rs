//! A registry as a set.

use std::sync::Arc;

use tinytools::{Tool, async_trait};

use super::ToolSet;
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::registry::ToolRegistry;

/// All registered tools, for every context.
#[async_trait]
impl ToolSet for ToolRegistry {
    async fn tools(&self, _: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        Ok(self
            .sorted()
            .into_iter()
            .map(|tool| tool.to_tool())
            .collect())
    }

    fn instructions(&self) -> Option<String> {
        let said = ToolRegistry::instructions(self);
        (!said.is_empty()).then(|| said.join("\n\n"))
    }
}
