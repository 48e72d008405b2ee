//! Values in memory.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tinytools::async_trait;

use super::Store;

/// Keeps values in memory, for as long as the store lives; clones share what they keep.
///
/// Hand one clone to each run of a process to let conversations go on from run to run.
#[derive(Clone, Default)]
pub struct MemoryStore {
    values: Arc<Mutex<BTreeMap<String, Value>>>,
}

impl MemoryStore {
    /// A store without values.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The lock is held for one look-up or change, never across an await.
    fn values(&self) -> MutexGuard<'_, BTreeMap<String, Value>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn get(&self, key: &str) -> anyhow::Result<Option<Value>> {
        Ok(self.values().get(key).cloned())
    }

    async fn put(&self, key: &str, value: Value) -> anyhow::Result<()> {
        self.values().insert(key.to_owned(), value);
        Ok(())
    }

    async fn delete(&self, key: &str) -> anyhow::Result<bool> {
        Ok(self.values().remove(key).is_some())
    }

    async fn keys(&self, prefix: &str) -> anyhow::Result<Vec<String>> {
        let values = self.values();
        let found = values.range::<str, _>((
            std::ops::Bound::Included(prefix),
            std::ops::Bound::Unbounded,
        ));
        let found = found.take_while(|(key, _)| key.starts_with(prefix));
        Ok(found.map(|(key, _)| key.clone()).collect())
    }
}

impl fmt::Debug for MemoryStore {
    /// Counts the values: they may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore")
            .field("values", &self.values().len())
            .finish()
    }
}
