//! JSON values by key.

use std::sync::Arc;

use serde_json::Value;
use tinytools::async_trait;

/// JSON values by key, for what a tool remembers from call to call; a tool takes it as a hidden `&dyn Store` or
/// `Arc<dyn Store>`.
///
/// What a tool is given sees the keys of this tool and this conversation alone; without a thread id, those of this run.
/// [`RunContext::with_store`](crate::RunContext::with_store) says where they are kept. Default: in memory, for one run
/// and its children.
#[async_trait]
pub trait Store: Send + Sync {
    /// The value of a key.
    ///
    /// # Errors
    /// When the store can't be read.
    async fn get(&self, key: &str) -> anyhow::Result<Option<Value>>;

    /// Sets the value of a key; an earlier one is replaced.
    ///
    /// # Errors
    /// When the value could not be kept.
    async fn put(&self, key: &str, value: Value) -> anyhow::Result<()>;

    /// Forgets a key; `true` if there was a value.
    ///
    /// # Errors
    /// When the store can't be changed.
    async fn delete(&self, key: &str) -> anyhow::Result<bool>;

    /// The keys that begin with a prefix, sorted by their bytes.
    ///
    /// # Errors
    /// When the store can't be read.
    async fn keys(&self, prefix: &str) -> anyhow::Result<Vec<String>>;
}

#[async_trait]
impl<T: Store + ?Sized> Store for Arc<T> {
    async fn get(&self, key: &str) -> anyhow::Result<Option<Value>> {
        (**self).get(key).await
    }

    async fn put(&self, key: &str, value: Value) -> anyhow::Result<()> {
        (**self).put(key, value).await
    }

    async fn delete(&self, key: &str) -> anyhow::Result<bool> {
        (**self).delete(key).await
    }

    async fn keys(&self, prefix: &str) -> anyhow::Result<Vec<String>> {
        (**self).keys(prefix).await
    }
}
