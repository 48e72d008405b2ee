//! The check that any tool can be run through.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tinytools::Tool;

use super::{ToolFaults, declaration};
use crate::context::RunContext;
use crate::registry::IntoTool;

/// The check that any tool can be run through, annotated or written by hand.
///
/// It looks at what the tool declares (name, description, schemas, policy, hidden parameters: there, sound, and the same
/// each time), at what becomes of wrong calls (refused, in words that tell nothing hidden), and, with
/// [`with_arguments`](Self::with_arguments), at calls that should work: alone, forged, without their hidden values,
/// cancelled, dropped half-way, and, where the tool says that it may, repeated and beside each other. A panic anywhere is
/// a fault.
///
/// Such calls run for real: give the context fakes of whatever the tool touches. Of a tool that neither reads only nor is
/// idempotent, each runs once. A call that needs approval is approved, and one that waits for an answer from elsewhere gets
/// a made-up one.
///
/// ```
/// use serde_json::json;
/// use tinyagents::testkit::ToolCheck;
/// use tinyagents::{RunContext, tool};
///
/// struct Rates {
///     euro: f64,
/// }
///
/// /// Turn dollars into euros.
/// #[tool(read_only, crate = ::tinyagents::tinytools)]
/// fn to_euro(#[hidden] rates: &Rates, dollars: f64) -> f64 {
///     dollars * rates.euro
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), tinyagents::testkit::ToolFaults> {
/// ToolCheck::new(ToEuroTool)
///     .with_context(RunContext::new().provide(Rates { euro: 0.9 }))
///     .with_arguments(json!({ "dollars": 3 }))
///     .run()
///     .await
/// # }
/// ```
pub struct ToolCheck<S = ()> {
    pub(super) tool: Arc<dyn Tool>,
    pub(super) ctx: RunContext,
    pub(super) state: S,
    pub(super) calls: Vec<Value>,
}

impl ToolCheck {
    /// A check of one tool, in a context that provides nothing.
    pub fn new<Form>(tool: impl IntoTool<Form>) -> Self {
        Self {
            tool: tool.into_tool(),
            ctx: RunContext::new(),
            state: (),
            calls: Vec::new(),
        }
    }
}

impl<S: Clone + Send + Sync + 'static> ToolCheck<S> {
    /// Sets the context, with the hidden values that the tool needs. Its limits hold, so leave them wide; what it listens
    /// with hears everything.
    #[must_use]
    pub fn with_context(mut self, ctx: RunContext) -> Self {
        self.ctx = ctx;
        self
    }

    /// Sets the state that a hidden `&S` is given.
    #[must_use]
    pub fn with_state<T: Clone + Send + Sync + 'static>(self, state: T) -> ToolCheck<T> {
        ToolCheck {
            tool: self.tool,
            ctx: self.ctx,
            state,
            calls: self.calls,
        }
    }

    /// Adds the arguments of a call that should work.
    #[must_use]
    pub fn with_arguments(mut self, arguments: Value) -> Self {
        self.calls.push(arguments);
        self
    }

    /// Runs the check, inside of a tokio runtime with time enabled.
    ///
    /// # Errors
    /// Every rule that the tool breaks.
    pub async fn run(self) -> Result<(), ToolFaults> {
        let mut faults = ToolFaults::new(self.tool.name());
        let Some(registered) = declaration::check(&self, &mut faults) else {
            return faults.into_result();
        };
        if !self.has_what_it_needs(&mut faults).await {
            return faults.into_result();
        }
        self.refuses_wrong_calls(&registered, &mut faults).await;
        for arguments in &self.calls {
            self.runs(&registered, arguments, &mut faults).await;
        }
        faults.into_result()
    }
}

impl<S: fmt::Debug> fmt::Debug for ToolCheck<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCheck")
            .field("tool", &self.tool.name())
            .field("calls", &self.calls)
            .finish_non_exhaustive()
    }
}
