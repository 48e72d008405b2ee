//! What tools remember from call to call.

mod memory;
mod namespaced;
#[cfg(feature = "sqlite")]
mod sqlite;
mod values;

pub use memory::MemoryStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
pub use values::Store;

pub(crate) use namespaced::NamespacedStore;
