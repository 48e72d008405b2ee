//! What a call may hold on to of its run.

use std::sync::Arc;

use super::{CallPart, EventEmitter, RunPart, StreamWriter};
use crate::store::{NamespacedStore, Store};

/// What a call may hold on to; made when first asked for, since few calls ask.
pub(super) struct Handles {
    pub(super) writer: StreamWriter,
    pub(super) store: Arc<dyn Store>,
}

impl Handles {
    pub(super) fn new(run: &Arc<RunPart>, call: &CallPart) -> Self {
        let store = NamespacedStore::new(
            Arc::clone(&run.store),
            run.thread_id.as_ref(),
            &run.run_id,
            call.tool_name.as_deref(),
        );
        Self {
            writer: StreamWriter {
                emitter: EventEmitter {
                    run: Arc::clone(run),
                    call: call.clone(),
                },
            },
            store: Arc::new(store),
        }
    }
}
