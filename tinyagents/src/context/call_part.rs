//! The part of a context that belongs to one call.

use std::sync::Arc;

use super::{CallId, IdempotencyKey};

/// What only one call knows.
#[derive(Clone, Debug, Default)]
pub(super) struct CallPart {
    pub(super) id: Option<CallId>,
    pub(super) tool_name: Option<Arc<str>>,
    pub(super) idempotency_key: Option<Arc<IdempotencyKey>>,
    pub(super) is_approved: bool,
}

impl CallPart {
    pub(super) fn id_text(&self) -> Option<String> {
        self.id.as_ref().map(ToString::to_string)
    }

    pub(super) fn tool_text(&self) -> Option<String> {
        self.tool_name.as_deref().map(str::to_owned)
    }
}
