//! The part of a store that belongs to one conversation and one tool.

use std::sync::Arc;

use serde_json::Value;
use tinytools::async_trait;

use super::Store;
use crate::context::{RunId, ThreadId};

/// A store seen through a prefix, which nothing that is done with it leaves.
pub(crate) struct NamespacedStore {
    inner: Arc<dyn Store>,
    prefix: String,
}

impl NamespacedStore {
    /// The part of a tool in a conversation, or in a run without one. The host, outside of a call, has a part of its own.
    pub(crate) fn new(
        inner: Arc<dyn Store>,
        thread_id: Option<&ThreadId>,
        run_id: &RunId,
        tool_name: Option<&str>,
    ) -> Self {
        // A run may be named as a thread is: the two must not share a part.
        let (kind, scope) = match thread_id {
            Some(thread_id) => ("thread", thread_id.as_str()),
            None => ("run", run_id.as_str()),
        };
        let (scope, tool) = (escaped(scope), escaped(tool_name.unwrap_or_default()));
        Self {
            inner,
            prefix: format!("{kind}/{scope}/{tool}/"),
        }
    }

    fn full(&self, key: &str) -> String {
        [&self.prefix, key].concat()
    }
}

/// Without a separator, so that no id leads into another one's part.
fn escaped(id: &str) -> String {
    id.replace('%', "%25").replace('/', "%2F")
}

#[async_trait]
impl Store for NamespacedStore {
    async fn get(&self, key: &str) -> anyhow::Result<Option<Value>> {
        self.inner.get(&self.full(key)).await
    }

    async fn put(&self, key: &str, value: Value) -> anyhow::Result<()> {
        self.inner.put(&self.full(key), value).await
    }

    async fn delete(&self, key: &str) -> anyhow::Result<bool> {
        self.inner.delete(&self.full(key)).await
    }

    async fn keys(&self, prefix: &str) -> anyhow::Result<Vec<String>> {
        let keys = self.inner.keys(&self.full(prefix)).await?;
        let own = keys.into_iter().filter_map(|key| {
            let key = key.strip_prefix(&self.prefix)?;
            Some(key.to_owned())
        });
        Ok(own.collect())
    }
}
