//! The key by which a repeated call is recognised.

use std::fmt;
use std::sync::OnceLock;

use serde_json::{Value, json};

use super::{CallPart, RunId};
use crate::deferred::hash_json;

/// The key of one call: the tool's own, or a hash that is computed when first asked for, since few calls ask.
pub(crate) struct IdempotencyKey {
    arguments: Value,
    text: OnceLock<String>,
}

impl IdempotencyKey {
    /// The key that the tool made.
    pub(crate) fn own(text: String) -> Self {
        Self {
            arguments: Value::Null,
            text: OnceLock::from(text),
        }
    }

    /// The key of a call with these arguments: the same whenever this call of this run is run again. A provider may
    /// count its ids anew in each turn, so the id alone would not tell two calls apart.
    pub(crate) fn of(arguments: Value) -> Self {
        Self {
            arguments,
            text: OnceLock::new(),
        }
    }

    pub(super) fn text(&self, run_id: &RunId, call: &CallPart) -> &str {
        self.text.get_or_init(|| {
            let tool_name = call.tool_name.as_deref();
            let call_id = call.id.as_ref();
            hash_json(&json!([run_id, tool_name, call_id, self.arguments]))
        })
    }
}

impl fmt::Debug for IdempotencyKey {
    /// Without the arguments: some may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IdempotencyKey")
            .field(&self.text.get())
            .finish()
    }
}
