//! The row of one call while that is run.

use std::sync::Arc;

use tinytools::{ToolResult, ToolRunContext as _};

use super::request_hash::request_hash;
use super::{
    LedgerError, LedgerFailure, RecordedAnswer, ToolEffect, ToolEffectClaim, ToolEffectLedger,
    ToolEffectSettle, ToolEffectStart, ToolEffectStatus,
};
use crate::admission::ReadyCall;
use crate::context::RunContext;
use crate::events::AgentEvent;
use crate::model::ToolMessage;
use crate::redaction::Redactor;

/// What the ledger says to a call that is to run.
pub(crate) enum Begun {
    /// It runs, and nothing is recorded.
    Untracked,
    /// It runs; its row waits to be settled.
    Open(Box<OpenEffect>),
    /// It has been run; this is its answer.
    Recorded(Box<RecordedAnswer>),
    /// It must not run; the text is for the model.
    Refused(String),
    /// The ledger failed, and the call must not run without.
    Failed(LedgerError),
}

/// How a call that ran has ended.
#[derive(Clone, Copy)]
pub(crate) struct Ended {
    pub(crate) status: ToolEffectStatus,
    pub(crate) attempts: u32,
}

/// A claim that waits to be settled.
///
/// Where it is dropped instead, as with the whole run, its row stays `Started` for a reconciliation to find.
pub(crate) struct OpenEffect {
    ledger: Arc<dyn ToolEffectLedger>,
    tool_name: Arc<str>,
    key: String,
    claim: u64,
    redactor: Redactor,
    has_ended: bool,
}

impl Drop for OpenEffect {
    fn drop(&mut self) {
        if !self.has_ended {
            self.ledger
                .abandoned(&self.tool_name, &self.key, self.claim);
        }
    }
}

/// Claims the effect of a call that may change something. The claim is durable when this is done.
pub(crate) async fn begin(ledger: &Arc<dyn ToolEffectLedger>, ready: &ReadyCall<'_, '_>) -> Begun {
    let ReadyCall {
        call, tool, ctx, ..
    } = ready;
    // A read happens as often as it likes.
    if tool.policy().side_effects.read_only {
        return Begun::Untracked;
    }
    let Some(key) = ctx.idempotency_key() else {
        return Begun::Untracked;
    };
    let start = ToolEffectStart {
        run_id: ctx.run().run_id().clone(),
        call_id: call.id.as_str().into(),
        tool_name: tool.name().to_owned(),
        key: key.to_owned(),
        request_hash: request_hash(&call.requested()),
        replay: tool.policy().runtime.replay,
    };
    match ledger.started(start).await {
        Ok(ToolEffectClaim::Granted(claim)) => Begun::Open(Box::new(OpenEffect {
            ledger: Arc::clone(ledger),
            tool_name: Arc::clone(tool.shared_name()),
            key: key.to_owned(),
            claim,
            redactor: Redactor::new(tool, &call.arguments),
            has_ended: false,
        })),
        Ok(ToolEffectClaim::Taken(known)) => taken(ctx, &call.id, *known),
        Err(error) => {
            tell_failure(ctx, &call.id, "start", &error);
            // A run that has become another host's is not one for this host to go on with, whatever it prefers.
            let is_lost = matches!(error, LedgerError::RunHeld { .. });
            match ctx.effect_ledger_failure() {
                LedgerFailure::Continue if !is_lost => Begun::Untracked,
                _ => Begun::Failed(error),
            }
        }
    }
}

/// What a call gets whose key is taken. A recorded answer never leaves its run: it may be another customer's.
fn taken(ctx: &RunContext, call_id: &str, known: ToolEffect) -> Begun {
    let tool_name = known.tool_name;
    let is_own = known.run_id == *ctx.run_id();
    let answer = known.answer.filter(|_| is_own);
    tell_reconciled(
        ctx,
        call_id,
        &tool_name,
        if answer.is_some() {
            "recorded"
        } else {
            "refused"
        },
    );
    if let Some(answer) = answer {
        return Begun::Recorded(Box::new(answer));
    }
    Begun::Refused(match known.status {
        ToolEffectStatus::Started => format!(
            "not run: `{tool_name}` was started with the same idempotency key before, and it is not known how that \
             ended; its effect may have happened"
        ),
        ToolEffectStatus::Interrupted => format!(
            "not run again: `{tool_name}` was interrupted before settlement; its effect may have happened"
        ),
        ToolEffectStatus::Completed | ToolEffectStatus::Failed => format!(
            "not run again: `{tool_name}` has been run with the same idempotency key before"
        ),
    })
}

impl OpenEffect {
    /// Settles the row with what was made of a result. A failure is told to the host and changes nothing of the result,
    /// which is real.
    pub(crate) async fn settle(
        mut self,
        ctx: &RunContext,
        ended: Ended,
        row: &ToolMessage,
        result: &ToolResult,
    ) {
        let settle = ToolEffectSettle {
            answer: Some(RecordedAnswer::new(row, result, &self.redactor)),
            tool_name: self.tool_name.to_string(),
            key: self.key.clone(),
            claim: self.claim,
            status: ended.status,
            attempts: ended.attempts,
        };
        let settled = self.ledger.settled(settle).await;
        self.has_ended = true;
        if let Err(error) = settled {
            tell_failure(ctx, &row.call_id, "settlement", &error);
        }
    }

    /// Gives the claim back: the call has left the loop, and its effect is still to come.
    pub(crate) async fn withdraw(mut self, ctx: &RunContext, call_id: &str) {
        let withdrawn = self
            .ledger
            .withdrawn(&self.tool_name, &self.key, self.claim)
            .await;
        self.has_ended = true;
        if let Err(error) = withdrawn {
            tell_failure(ctx, call_id, "withdrawal", &error);
        }
    }
}

fn tell_failure(ctx: &RunContext, call_id: &str, what: &str, error: &LedgerError) {
    ctx.emit_with(|| AgentEvent::ControlApplied {
        control: "ledger_failed".to_owned(),
        detail: Some(format!("{what} of call {call_id}: {error}")),
    });
}

pub(super) fn tell_reconciled(ctx: &RunContext, call_id: &str, tool_name: &str, outcome: &str) {
    ctx.emit_with(|| AgentEvent::ToolEffectReconciled {
        call_id: call_id.to_owned(),
        tool_name: tool_name.to_owned(),
        outcome: outcome.to_owned(),
    });
}
