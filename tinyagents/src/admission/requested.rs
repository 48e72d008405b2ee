//! A call as the model made it.

use std::ops::Deref;
use std::sync::Arc;

use crate::model::ToolCall;

/// A call as the model made it, in its batch. The batch is shared with the contexts of its calls, so that what they may
/// be asked for needs no copy.
#[derive(Clone, Copy)]
pub(crate) struct Requested<'a> {
    pub(crate) batch: &'a Arc<Vec<ToolCall>>,
    pub(crate) call: &'a ToolCall,
    position: usize,
}

impl<'a> Requested<'a> {
    /// The calls of a batch, in order.
    pub(crate) fn all(batch: &'a Arc<Vec<ToolCall>>) -> impl ExactSizeIterator<Item = Self> {
        batch.iter().enumerate().map(move |(position, call)| Self {
            batch,
            call,
            position,
        })
    }

    /// The first call of a batch.
    pub(crate) fn first(batch: &'a Arc<Vec<ToolCall>>) -> Option<Self> {
        Self::all(batch).next()
    }

    /// Where it is in the batch.
    pub(crate) fn position(self) -> usize {
        self.position
    }
}

impl Deref for Requested<'_> {
    type Target = ToolCall;

    fn deref(&self) -> &ToolCall {
        self.call
    }
}
