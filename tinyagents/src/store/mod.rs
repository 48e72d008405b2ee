//! What tools remember from call to call.

mod memory;
mod namespaced;
mod values;

pub use memory::MemoryStore;
pub use values::Store;

pub(crate) use namespaced::NamespacedStore;
