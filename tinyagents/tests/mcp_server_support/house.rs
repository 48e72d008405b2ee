//! Tools of which one turns another on, or a search finds it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tinyagents::mcp::McpServer;
use tinyagents::{RunContext, TinyAgentsError, Tool, ToolSet, async_trait, tool, tools};

use super::registry;

#[derive(Clone, Default)]
pub(crate) struct Switch(Arc<State>);

#[derive(Default)]
struct State {
    is_on: AtomicBool,
    asked: AtomicUsize,
}

impl Switch {
    pub(crate) fn turn_on(&self) {
        self.0.is_on.store(true, Ordering::SeqCst);
    }

    /// How often the set was asked for its tools.
    pub(crate) fn times_asked(&self) -> usize {
        self.0.asked.load(Ordering::SeqCst)
    }
}

/// Turns the other tool on.
#[tool(idempotent)]
pub(crate) fn turn_on(#[hidden] switch: &Switch) -> String {
    switch.turn_on();
    "on".to_owned()
}

/// Is there when it is on.
#[tool(read_only)]
pub(crate) fn lamp() -> String {
    "light".to_owned()
}

/// Changes a text that nobody asks for at first.
#[tool(read_only, exposure = Deferred)]
pub(crate) fn shout(text: &str) -> String {
    text.to_uppercase()
}

/// Shows its tools while the switch is on.
struct Switched {
    switch: Switch,
    tools: Vec<Arc<dyn Tool>>,
}

#[async_trait]
impl ToolSet for Switched {
    async fn tools(&self, _: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        let Self { switch, tools } = self;
        switch.0.asked.fetch_add(1, Ordering::SeqCst);
        let is_on = switch.0.is_on.load(Ordering::SeqCst);
        Ok(if is_on { tools.clone() } else { Vec::new() })
    }

    fn instructions(&self) -> Option<String> {
        Some("Turn the lamp on first.".to_owned())
    }
}

/// Where `turn_on` makes a `lamp` appear.
pub(crate) fn house(switch: &Switch) -> McpServer {
    let set = Switched {
        switch: switch.clone(),
        tools: tools![LampTool],
    };
    McpServer::new(registry(tools![TurnOnTool]))
        .with_state(switch.clone())
        .with_instructions("House.")
        .with_toolset(set)
}
