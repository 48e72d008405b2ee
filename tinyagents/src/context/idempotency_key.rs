//! The key by which a repeated call is recognised.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::{CallId, CallPart, RunId};
use crate::admission::CurrentCall;
use crate::deferred::{Part, hash_parts};
use crate::model::ToolCall;

/// The key of one call: the tool's own, or a hash that is computed when first asked for, since few calls ask.
pub(crate) struct IdempotencyKey {
    arguments: Arguments,
    text: OnceLock<String>,
}

/// What the hash is computed of.
enum Arguments {
    /// The arguments that the model gave, in the batch that they came in.
    Requested(Arc<Vec<ToolCall>>, usize),
    /// What something has made of them; nothing, where there is no hash to be computed.
    Own(Value),
}

impl IdempotencyKey {
    /// The key that the tool made.
    pub(crate) fn own(text: String) -> Self {
        Self {
            arguments: Arguments::Own(Value::Null),
            text: OnceLock::from(text),
        }
    }

    /// The key of this call: the same whenever this call of this run is run again. A provider may count its ids anew in
    /// each turn, so the id alone would not tell two calls apart.
    pub(crate) fn of(call: &CurrentCall<'_>) -> Self {
        let requested = call.requested();
        Self {
            arguments: if call.is_unchanged() {
                Arguments::Requested(Arc::clone(requested.batch), requested.position())
            } else {
                Arguments::Own(call.arguments.clone())
            },
            text: OnceLock::new(),
        }
    }

    /// The same, computed at once: for a call whose key is sure to be read, so that its arguments need no copy.
    pub(crate) fn computed(
        run_id: &RunId,
        tool_name: &str,
        call_id: &str,
        arguments: &Value,
    ) -> Self {
        Self::own(hash_call(run_id, Some(tool_name), Some(call_id), arguments))
    }

    pub(super) fn text(&self, run_id: &RunId, call: &CallPart) -> &str {
        self.text.get_or_init(|| {
            let call_id = call.id.as_ref().map(CallId::as_str);
            let tool_name = call.tool_name.as_deref();
            let arguments = match &self.arguments {
                Arguments::Requested(batch, position) => &batch[*position].arguments,
                Arguments::Own(arguments) => arguments,
            };
            hash_call(run_id, tool_name, call_id, arguments)
        })
    }
}

fn hash_call(
    run_id: &RunId,
    tool_name: Option<&str>,
    call_id: Option<&str>,
    arguments: &Value,
) -> String {
    hash_parts(&[
        Part::Text(run_id.as_str()),
        tool_name.into(),
        call_id.into(),
        Part::Json(arguments),
    ])
}

impl fmt::Debug for IdempotencyKey {
    /// Without the arguments: some may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IdempotencyKey")
            .field(&self.text.get())
            .finish()
    }
}
