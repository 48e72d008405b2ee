//! A list of tools under one name.

use std::fmt;
use std::sync::Arc;

use tinytools::{IntoTools, Tool};

/// What a host hands over at start-up: tools that belong together, registered or refused as a whole.
#[derive(Clone, Default)]
pub struct ToolGroup {
    /// The group's name, for the host's messages.
    pub name: String,
    /// How a model should use these tools; appended to the system prompt. Default: none.
    pub instructions: Option<String>,
    /// The tools.
    pub tools: Vec<Arc<dyn Tool>>,
}

impl ToolGroup {
    /// A group of the given tools.
    pub fn new(name: impl Into<String>, tools: impl IntoTools) -> Self {
        Self {
            name: name.into(),
            instructions: None,
            tools: tools.into_tools(),
        }
    }

    /// Says how a model should use these tools.
    #[must_use]
    pub fn with_instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }
}

impl fmt::Debug for ToolGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<&str> = self.tools.iter().map(|tool| tool.name()).collect();
        f.debug_struct("ToolGroup")
            .field("name", &self.name)
            .field("instructions", &self.instructions)
            .field("tools", &tools)
            .finish()
    }
}
