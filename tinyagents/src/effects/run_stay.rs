//! A host's stay in a run.

use std::sync::Arc;

use super::ToolEffectLedger;
use crate::context::{RunContext, RunId};

/// While this is there, the run is worked on here; its ledger is told of the end, however that comes.
pub(crate) struct RunStay {
    ledger: Arc<dyn ToolEffectLedger>,
    run_id: RunId,
}

impl RunStay {
    pub(crate) fn of(ctx: &RunContext) -> Option<Self> {
        let ledger = Arc::clone(ctx.effect_ledger()?);
        let run_id = ctx.run_id().clone();
        Some(Self { ledger, run_id })
    }
}

impl Drop for RunStay {
    fn drop(&mut self) {
        self.ledger.released(self.run_id.as_str());
    }
}
