//! Where content is kept.

use std::sync::Arc;

use tinytools::async_trait;

/// Keeps content that a row only refers to; a tool takes the one of its run as a hidden `&dyn ArtifactStore`.
///
/// Attach one with [`RunContext::with_artifact_store`](crate::RunContext::with_artifact_store): results over a tool's
/// bounds and inline files and pictures then go into it whole, and the row carries a reference.
#[async_trait]
pub trait ArtifactStore: Send + Sync {
    /// Keeps the bytes and says under which address they are found again. The address is shown to models: it must not
    /// tell where on the machine they are.
    ///
    /// # Errors
    /// When they could not be kept whole; nothing is left of them then.
    async fn put(&self, media_type: &str, bytes: Vec<u8>) -> anyhow::Result<String>;

    /// The bytes at an address; `None` where there is nothing. The address may be a model's invention.
    ///
    /// # Errors
    /// When they are there and can't be read.
    async fn get(&self, uri: &str) -> anyhow::Result<Option<Vec<u8>>>;
}

#[async_trait]
impl<T: ArtifactStore + ?Sized> ArtifactStore for Arc<T> {
    async fn put(&self, media_type: &str, bytes: Vec<u8>) -> anyhow::Result<String> {
        (**self).put(media_type, bytes).await
    }

    async fn get(&self, uri: &str) -> anyhow::Result<Option<Vec<u8>>> {
        (**self).get(uri).await
    }
}
