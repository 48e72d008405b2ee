//! What the compile-pass cases share: a host small enough to call a tool in one line.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde_json::Value;
use tinytools::{Tool, ToolCallOptions, ToolResult, ToolRunContext};

/// The result of one call without a host.
///
/// # Errors
/// What the tool returns when it could not run, as text.
pub fn call(tool: &impl Tool, args: Value) -> Result<ToolResult, String> {
    block_on(tool.execute(args)).map_err(|error| format!("{error:#}"))
}

/// The result of one call by `host`.
///
/// # Errors
/// What the tool returns when it could not run, as text.
pub fn call_in(host: &Host, tool: &impl Tool, args: Value) -> Result<ToolResult, String> {
    let options = ToolCallOptions::default();
    block_on(tool.execute_with_context(args, options, Some(host)))
        .map_err(|error| format!("{error:#}"))
}

/// The schema of one property.
#[must_use]
pub fn property(tool: &impl Tool, name: &str) -> Value {
    tool.parameters_schema()["properties"][name].take()
}

/// Drive a future that never waits for anything outside itself.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}

/// A run context that holds the values a test provides.
#[derive(Default)]
pub struct Host {
    values: HashMap<TypeId, Box<dyn Any + Send + Sync>>,
}

impl Host {
    /// A host that provides nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Offer `value` by its own type, and shared as `Arc<T>`.
    #[must_use]
    pub fn provide<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Self {
        self.values
            .insert(TypeId::of::<Arc<T>>(), Box::new(Arc::new(value.clone())));
        self.values.insert(TypeId::of::<T>(), Box::new(value));
        self
    }
}

impl ToolRunContext for Host {
    fn run_id(&self) -> Option<&str> {
        Some("run-1")
    }

    fn get(&self, type_id: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        self.values.get(&type_id).map(Box::as_ref)
    }
}
