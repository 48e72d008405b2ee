//! The key by which a repeated call is recognised.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::{CallPart, RunId};
use crate::admission::CurrentCall;
use crate::deferred::{Part, hash_parts};

/// The key of one call: the tool's own, or a hash that is computed when it is asked for, since few calls ask.
///
/// A hash is the same whenever this call of this run is run again. A provider may count its ids anew in each turn, so the
/// id alone would not tell two calls apart.
#[derive(Clone)]
pub(crate) enum IdempotencyKey {
    /// A key that is known.
    Known(Arc<str>),
    /// The hash of the call as the model made it.
    OfMade,
    /// The hash of the call with the arguments that something has made of it.
    OfChanged(Arc<Value>),
}

impl IdempotencyKey {
    /// The key that the tool made.
    pub(crate) fn own(text: String) -> Self {
        Self::Known(text.into())
    }

    /// The key of this call.
    pub(crate) fn of(call: &CurrentCall<'_>) -> Self {
        if call.is_unchanged() {
            Self::OfMade
        } else {
            Self::OfChanged(Arc::new(call.arguments.clone()))
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

    /// Its hash, of a call that such a key is of.
    pub(super) fn hash(&self, run_id: &RunId, call: &CallPart) -> Option<String> {
        let arguments = match self {
            Self::Known(_) => return None,
            Self::OfMade => &call.made()?.arguments,
            Self::OfChanged(arguments) => arguments,
        };
        Some(hash_call(run_id, call.tool_name(), call.id(), arguments))
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
        match self {
            Self::Known(text) => text.fmt(f),
            Self::OfMade | Self::OfChanged(_) => f.write_str("a hash"),
        }
    }
}
