//! Calls that should work, alone, again, and beside each other.

use serde_json::Value;

use super::calls::{NEIGHBOURS, WORKS, failure};
use super::hidden_values::forged;
use super::{ToolCheck, ToolFaults};
use crate::events::EventLog;
use crate::registry::RegisteredTool;

const REPEATS: &str = "a call that may be repeated works again";
const BESIDE: &str = "a call that is safe beside others works there";
const FORGED: &str = "a forged hidden value changes nothing";

impl<S: Clone + Send + Sync + 'static> ToolCheck<S> {
    /// Everything that may happen to a call that should work.
    pub(super) async fn runs(
        &self,
        registered: &RegisteredTool,
        arguments: &Value,
        faults: &mut ToolFaults,
    ) {
        self.needs_its_hidden_values(registered, arguments, faults)
            .await;
        self.is_refused_when_cancelled(arguments, faults).await;
        if !registered.may_repeat() {
            // One call alone; it is forged where there is something to forge, which must change nothing.
            self.works(WORKS, forged(registered, arguments), faults)
                .await;
            return;
        }
        // What doesn't work at all would fail in the same way whatever happens to it.
        if !self.works(WORKS, arguments.clone(), faults).await {
            return;
        }
        self.works(REPEATS, arguments.clone(), faults).await;
        self.works(FORGED, forged(registered, arguments), faults)
            .await;
        self.works_beside_others(arguments, faults).await;
        self.ends_when_cancelled(arguments, faults).await;
        self.survives_being_dropped(arguments, faults).await;
    }

    /// Makes a call that should work. Whether it does.
    pub(super) async fn works(
        &self,
        rule: &'static str,
        arguments: Value,
        faults: &mut ToolFaults,
    ) -> bool {
        let (log, call) = (EventLog::new(), self.call(0, arguments));
        let ctx = self.ctx.clone().with_events(log.clone());
        let Some(batch) = self.dispatch(ctx, vec![call], faults).await else {
            return false;
        };
        for row in &batch.messages {
            self.tells_nothing_hidden(row, faults);
        }
        let has_failed = batch.messages.iter().any(|row| row.is_error);
        if has_failed {
            faults.add(rule, failure(&log, &batch));
        }
        !has_failed
    }

    async fn works_beside_others(&self, arguments: &Value, faults: &mut ToolFaults) {
        if !self.tool.is_concurrency_safe(arguments) {
            return;
        }
        let calls = (0..NEIGHBOURS).map(|n| self.call(n, arguments.clone()));
        let log = EventLog::new();
        let ctx = self.ctx.clone().with_events(log.clone());
        if let Some(batch) = self.dispatch(ctx, calls.collect(), faults).await
            && batch.messages.iter().any(|row| row.is_error)
        {
            faults.add(BESIDE, failure(&log, &batch));
        }
    }
}
