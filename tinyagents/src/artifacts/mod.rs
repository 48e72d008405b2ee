//! Content that is too large or too binary for a transcript, kept whole.

mod directory;
mod keep;
mod memory;
mod name;
mod store;

pub use directory::DirectoryArtifactStore;
pub use memory::MemoryArtifactStore;
pub use store::ArtifactStore;

pub(crate) use keep::keep;
use name::ArtifactName;
