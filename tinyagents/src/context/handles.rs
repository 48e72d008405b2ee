//! What a call may hold on to of its run.

use std::sync::{Arc, OnceLock};

use super::{CallId, EventEmitter, RunContext, StreamWriter};
use crate::store::{NamespacedStore, Store};

/// What a call may hold on to; each made when first asked for, since few calls ask.
#[derive(Default)]
pub(super) struct Handles {
    writer: OnceLock<StreamWriter>,
    store: OnceLock<Arc<dyn Store>>,
    call_id: OnceLock<CallId>,
    key: OnceLock<Option<String>>,
}

impl RunContext {
    fn handles(&self) -> &Handles {
        self.handles.get_or_init(Box::default)
    }

    pub(super) fn writer(&self) -> &StreamWriter {
        self.handles().writer.get_or_init(|| StreamWriter {
            emitter: EventEmitter {
                run: Arc::clone(&self.run),
                call: self.call.clone(),
            },
        })
    }

    pub(super) fn own_store(&self) -> &Arc<dyn Store> {
        self.handles().store.get_or_init(|| {
            Arc::new(NamespacedStore::new(
                Arc::clone(&self.run.store),
                self.run.thread_id.as_ref(),
                &self.run.run_id,
                self.call.tool_name(),
            ))
        })
    }

    /// The id of a call that a model has made, as a type of its own.
    pub(super) fn made_id(&self, id: &str) -> &CallId {
        self.handles().call_id.get_or_init(|| id.into())
    }

    /// The key of the call where it is a hash.
    pub(super) fn hashed_key(&self) -> Option<&str> {
        let hash = || {
            let key = self.call.idempotency_key.as_ref()?;
            key.hash(&self.run.run_id, &self.call)
        };
        self.handles().key.get_or_init(hash).as_deref()
    }
}
