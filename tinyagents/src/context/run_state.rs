//! The state of the harness or the dispatcher, by its type.

use std::any::{Any, TypeId};
use std::sync::Arc;

/// The state of a run, offered as `S` and as `Arc<S>`.
pub(super) trait RunState: Send + Sync {
    fn get(&self, type_id: TypeId) -> Option<&(dyn Any + Send + Sync)>;
}

/// A state of a known type.
pub(super) struct Held<S>(pub(super) Arc<S>);

impl<S: Any + Send + Sync> RunState for Held<S> {
    fn get(&self, type_id: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        if type_id == TypeId::of::<S>() {
            return Some(self.0.as_ref());
        }
        (type_id == TypeId::of::<Arc<S>>()).then_some(&self.0)
    }
}
