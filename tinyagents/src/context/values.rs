//! Host values by their type.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

type Shared = Arc<dyn Any + Send + Sync>;

/// Host values by their type; each is there as `T` and as `Arc<T>`.
#[derive(Clone, Default)]
pub(super) struct Values {
    by_type: HashMap<TypeId, Shared>,
}

impl Values {
    /// Adds a value; an earlier one of the same type is replaced.
    pub(super) fn insert<T: Any + Send + Sync>(&mut self, value: Arc<T>) {
        self.by_type
            .insert(TypeId::of::<Arc<T>>(), Arc::new(Arc::clone(&value)));
        self.by_type.insert(TypeId::of::<T>(), value);
    }

    pub(super) fn get(&self, type_id: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        self.by_type.get(&type_id).map(AsRef::as_ref)
    }

    /// How many entries there are: two per value.
    pub(super) fn len(&self) -> usize {
        self.by_type.len()
    }
}
