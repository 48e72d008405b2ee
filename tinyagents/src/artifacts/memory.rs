//! Artifacts in memory.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tinytools::async_trait;

use super::{ArtifactName, ArtifactStore};

type Kept = HashMap<ArtifactName, Vec<u8>>;

/// Keeps artifacts in memory, for as long as the store lives; clones share what they keep.
#[derive(Clone, Default)]
pub struct MemoryArtifactStore {
    kept: Arc<Mutex<Kept>>,
}

impl MemoryArtifactStore {
    /// A store without artifacts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The lock is held for a look-up or a copy, never across an await.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ArtifactStore for MemoryArtifactStore {
    async fn put(&self, media_type: &str, bytes: Vec<u8>) -> anyhow::Result<String> {
        let name = ArtifactName::of(media_type, &bytes);
        let uri = name.to_string();
        self.kept().insert(name, bytes);
        Ok(uri)
    }

    async fn get(&self, uri: &str) -> anyhow::Result<Option<Vec<u8>>> {
        Ok(ArtifactName::parse(uri).and_then(|name| self.kept().get(&name).cloned()))
    }
}

impl fmt::Debug for MemoryArtifactStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryArtifactStore")
            .field("artifacts", &self.kept().len())
            .finish()
    }
}
