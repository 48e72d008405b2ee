//! What a set shows, and what it did to it.

use std::fmt;
use std::sync::Arc;

use tinytools::Tool;

use super::ToolExposureExplanation;

/// What a set shows, and what was done to it on the way.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ExposedTools {
    /// The tools, as they are shown.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The changes, in the order in which they were made; those of tools that are no longer there as well.
    pub explanations: Vec<ToolExposureExplanation>,
}

impl ExposedTools {
    /// Tools that nothing was done to.
    #[must_use]
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Self {
        Self {
            tools,
            explanations: Vec::new(),
        }
    }
}

impl fmt::Debug for ExposedTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<&str> = self.tools.iter().map(|tool| tool.name()).collect();
        f.debug_struct("ExposedTools")
            .field("tools", &tools)
            .field("explanations", &self.explanations)
            .finish()
    }
}
