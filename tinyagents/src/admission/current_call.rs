//! A call as it is at the moment.

use std::ops::Deref;

use super::Requested;
use crate::model::ToolCall;

/// A call as it is at the moment: what the model made of it, until something changes it. Most calls are never changed,
/// and so never copied.
pub(crate) struct CurrentCall<'a> {
    requested: Requested<'a>,
    changed: Option<Box<ToolCall>>,
}

impl<'a> CurrentCall<'a> {
    pub(crate) fn new(requested: Requested<'a>) -> Self {
        Self {
            requested,
            changed: None,
        }
    }

    /// A call that is no longer what the model made of it.
    pub(crate) fn changed(requested: Requested<'a>, call: ToolCall) -> Self {
        Self {
            requested,
            changed: Some(Box::new(call)),
        }
    }

    /// The call as the model made it.
    pub(crate) fn requested(&self) -> Requested<'a> {
        self.requested
    }

    /// Whether it is still what the model made of it.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.changed.is_none()
    }

    /// The call, to be changed.
    pub(crate) fn to_mut(&mut self) -> &mut ToolCall {
        self.changed
            .get_or_insert_with(|| Box::new(self.requested.call.clone()))
    }
}

impl Deref for CurrentCall<'_> {
    type Target = ToolCall;

    fn deref(&self) -> &ToolCall {
        self.changed.as_deref().unwrap_or(self.requested.call)
    }
}
