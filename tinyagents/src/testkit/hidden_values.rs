//! Calls without their hidden values, and with forged ones.

use serde_json::{Value, json};

use super::calls::Direct;
use super::{ToolCheck, ToolFaults};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::registry::RegisteredTool;

const NEEDS: &str = "the check is given the hidden values that the tool needs";
const INJECTION: &str = "a call without its hidden values fails, and nothing else happens";

impl<S: Clone + Send + Sync + 'static> ToolCheck<S> {
    /// Whether the check has what the tool needs; without it, no call says anything of the tool.
    pub(super) async fn has_what_it_needs(&self, faults: &mut ToolFaults) -> bool {
        let Some(dispatcher) = self.dispatcher(faults) else {
            return false;
        };
        let ready = dispatcher
            .dispatch(&self.state, &self.ctx, Vec::new())
            .await;
        let Err(TinyAgentsError::MissingInjection {
            parameter,
            type_name,
            ..
        }) = ready
        else {
            return true;
        };
        faults.add(
            NEEDS,
            format!(
                "its hidden parameter `{parameter}` takes a `{type_name}`; give the check one by \
                 `with_context(RunContext::new().provide(value))`"
            ),
        );
        false
    }

    /// Values that the host must provide can't be done without: neither through the runtime nor directly.
    pub(super) async fn needs_its_hidden_values(
        &self,
        registered: &RegisteredTool,
        arguments: &Value,
        faults: &mut ToolFaults,
    ) {
        let bare = RunContext::new();
        let is_needed =
            |injected: &tinytools::Injected| !injected.optional && !bare.offers(injected.type_id);
        if !registered.injected().iter().any(is_needed) {
            return;
        }
        let Some(dispatcher) = self.dispatcher(faults) else {
            return;
        };
        let call = self.call(0, arguments.clone());
        match dispatcher.dispatch(&(), &bare, vec![call]).await {
            // The state may be among them.
            Err(TinyAgentsError::MissingInjection { .. }) => {}
            Err(error) => faults.add(INJECTION, error.to_string()),
            Ok(_) => faults.add(INJECTION, "the runtime accepts the call"),
        }
        match self.execute_directly(arguments).await {
            Direct::Ended(Err(_)) => {}
            Direct::Ended(Ok(_)) => faults.add(INJECTION, "`execute` answers without any context"),
            Direct::Panicked => faults.add(INJECTION, "`execute` panics without any context"),
            Direct::Hangs => faults.add(INJECTION, "`execute` hangs without any context"),
        }
    }
}

/// The arguments with a value for every hidden name, as a model might try.
pub(super) fn forged(registered: &RegisteredTool, arguments: &Value) -> Value {
    let mut forged = arguments.clone();
    if let Some(fields) = forged.as_object_mut() {
        for name in registered.hidden_names() {
            fields.insert(name.to_owned(), json!({ "forged": true }));
        }
    }
    forged
}
