//! The ledger that is looked at, and what is tried on it.

use serde_json::json;
use tinytools::{ToolContent, ToolReplay};

use super::ConformanceError;
use crate::context::RunId;
use crate::effects::{
    LedgerError, RecordedAnswer, ToolEffect, ToolEffectClaim, ToolEffectLedger, ToolEffectSettle,
    ToolEffectStart, ToolEffectStatus,
};
use crate::model::ToolMessage;

pub(super) type Checked = Result<(), ConformanceError>;

/// The ledger, and a run of the check's own in it.
pub(super) struct Subject<'a> {
    pub(super) ledger: &'a dyn ToolEffectLedger,
    pub(super) run_id: RunId,
}

impl Subject<'_> {
    pub(super) fn start(&self, call_id: &str, replay: ToolReplay) -> ToolEffectStart {
        ToolEffectStart {
            run_id: self.run_id.clone(),
            call_id: call_id.into(),
            tool_name: "pay".to_owned(),
            key: format!("{} {call_id}", self.run_id),
            request_hash: "0a".repeat(32),
            replay,
        }
    }

    pub(super) async fn claim(
        &self,
        start: &ToolEffectStart,
    ) -> Result<ToolEffectClaim, ConformanceError> {
        let claimed = self.ledger.started(start.clone()).await;
        claimed.map_err(|error| broken("a start is recorded", format!("{error:#}")))
    }

    pub(super) async fn granted(&self, start: &ToolEffectStart) -> Result<u64, ConformanceError> {
        match self.claim(start).await? {
            ToolEffectClaim::Granted(claim) => Ok(claim),
            ToolEffectClaim::Taken(row) => Err(broken("a free key is granted", row)),
        }
    }

    pub(super) async fn taken(
        &self,
        rule: &'static str,
        start: &ToolEffectStart,
    ) -> Result<ToolEffect, ConformanceError> {
        match self.claim(start).await? {
            ToolEffectClaim::Taken(row) => Ok(*row),
            granted @ ToolEffectClaim::Granted(_) => Err(broken(rule, granted)),
        }
    }

    pub(super) async fn settle(
        &self,
        start: &ToolEffectStart,
        claim: u64,
        status: ToolEffectStatus,
    ) -> Result<(), LedgerError> {
        self.ledger.settled(settlement(start, claim, status)).await
    }

    pub(super) async fn must_settle(
        &self,
        start: &ToolEffectStart,
        claim: u64,
        status: ToolEffectStatus,
    ) -> Checked {
        let settled = self.settle(start, claim, status).await;
        settled.map_err(|error| broken("a claim can be settled", format!("{error:#}")))
    }
}

pub(super) fn broken(rule: &'static str, found: impl std::fmt::Debug) -> ConformanceError {
    ConformanceError {
        rule,
        found: format!("{found:?}"),
    }
}

pub(super) fn ensure(is_kept: bool, rule: &'static str, found: impl std::fmt::Debug) -> Checked {
    if is_kept {
        return Ok(());
    }
    Err(broken(rule, found))
}

/// An answer with what a store may stumble over.
pub(super) fn answer() -> RecordedAnswer {
    let text = format!("paid 'x'; -- \"\\ ä💳 \u{0} {}", "y".repeat(100_000));
    let row = ToolMessage::new("c", "pay", text);
    RecordedAnswer {
        row: row.with_blocks(vec![ToolContent::image_url("https://x.test/a")]),
        follow_up: vec![ToolContent::text("a receipt \u{0}")],
        metadata: Some(json!({ "receipt": { "number": u64::MAX, "rate": 0.1 } })),
        omitted_metadata_bytes: Some(70_000),
        return_direct: Some(false),
    }
}

pub(super) fn settlement(
    start: &ToolEffectStart,
    claim: u64,
    status: ToolEffectStatus,
) -> ToolEffectSettle {
    ToolEffectSettle {
        tool_name: start.tool_name.clone(),
        key: start.key.clone(),
        claim,
        status,
        answer: Some(answer()),
        attempts: 1,
    }
}
