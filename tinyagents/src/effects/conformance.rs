//! What every ledger has to do, as a check that a host can run on its own.

use std::future::Future;
use std::pin::Pin;

use futures::future::join_all;
use serde_json::json;
use tinytools::{ToolContent, ToolReplay};

use super::{
    LedgerError, RecordedAnswer, ToolEffect, ToolEffectClaim, ToolEffectLedger, ToolEffectSettle,
    ToolEffectStart, ToolEffectStatus,
};
use crate::context::RunId;
use crate::model::ToolMessage;

/// How a ledger, or a store of paused runs, breaks the rules.
#[derive(Debug, thiserror::Error)]
#[error("a rule is broken: {rule}: {found}")]
#[non_exhaustive]
pub struct ConformanceError {
    /// The rule.
    pub rule: &'static str,
    /// What was found instead.
    pub found: String,
}

type Checked = Result<(), ConformanceError>;
type Check = for<'a> fn(&'a Subject<'a>) -> Pin<Box<dyn Future<Output = Checked> + Send + 'a>>;

/// Tries the rules of [`ToolEffectLedger`] on a ledger.
///
/// It may have rows: every check works in runs and on keys of its own, which stay behind. Durability can't be seen from
/// within one process; kill one to try it.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), tinyagents::ConformanceError> {
/// tinyagents::check_ledger(&tinyagents::MemoryLedger::new()).await
/// # }
/// ```
///
/// # Errors
/// The first rule that is broken.
pub async fn check_ledger(ledger: &dyn ToolEffectLedger) -> Result<(), ConformanceError> {
    let checks: [Check; 12] = [
        |on| Box::pin(a_free_key_is_granted_once(on)),
        |on| Box::pin(one_of_many_claims_wins(on)),
        |on| Box::pin(a_tool_has_keys_of_its_own(on)),
        |on| Box::pin(a_settled_row_gives_its_answer(on)),
        |on| Box::pin(only_what_is_over_and_safe_is_claimed_again(on)),
        |on| Box::pin(both_must_say_that_it_is_safe(on)),
        |on| Box::pin(an_old_claim_settles_nothing(on)),
        |on| Box::pin(an_end_is_final(on)),
        |on| Box::pin(what_never_started_is_not_settled(on)),
        |on| Box::pin(a_withdrawn_key_is_free(on)),
        |on| Box::pin(attempts_are_counted(on)),
        |on| Box::pin(rows_are_found_by_run_and_call(on)),
    ];
    for check in checks {
        let run_id = RunId::generate();
        check(&Subject { ledger, run_id }).await?;
    }
    Ok(())
}

/// The ledger, and a run of the check's own in it.
struct Subject<'a> {
    ledger: &'a dyn ToolEffectLedger,
    run_id: RunId,
}

impl Subject<'_> {
    fn start(&self, call_id: &str, replay: ToolReplay) -> ToolEffectStart {
        ToolEffectStart {
            run_id: self.run_id.clone(),
            call_id: call_id.into(),
            tool_name: "pay".to_owned(),
            key: format!("{} {call_id}", self.run_id),
            request_hash: "0a".repeat(32),
            replay,
        }
    }

    async fn claim(&self, start: &ToolEffectStart) -> Result<ToolEffectClaim, ConformanceError> {
        let claimed = self.ledger.started(start.clone()).await;
        claimed.map_err(|error| broken("a start is recorded", format!("{error:#}")))
    }

    async fn granted(&self, start: &ToolEffectStart) -> Result<u64, ConformanceError> {
        match self.claim(start).await? {
            ToolEffectClaim::Granted(claim) => Ok(claim),
            ToolEffectClaim::Taken(row) => Err(broken("a free key is granted", row)),
        }
    }

    async fn taken(
        &self,
        rule: &'static str,
        start: &ToolEffectStart,
    ) -> Result<ToolEffect, ConformanceError> {
        match self.claim(start).await? {
            ToolEffectClaim::Taken(row) => Ok(*row),
            granted @ ToolEffectClaim::Granted(_) => Err(broken(rule, granted)),
        }
    }

    async fn settle(
        &self,
        start: &ToolEffectStart,
        claim: u64,
        status: ToolEffectStatus,
    ) -> Result<(), LedgerError> {
        self.ledger.settled(settlement(start, claim, status)).await
    }

    async fn must_settle(
        &self,
        start: &ToolEffectStart,
        claim: u64,
        status: ToolEffectStatus,
    ) -> Checked {
        let settled = self.settle(start, claim, status).await;
        settled.map_err(|error| broken("a claim can be settled", format!("{error:#}")))
    }
}

fn broken(rule: &'static str, found: impl std::fmt::Debug) -> ConformanceError {
    ConformanceError {
        rule,
        found: format!("{found:?}"),
    }
}

fn ensure(is_kept: bool, rule: &'static str, found: impl std::fmt::Debug) -> Checked {
    if is_kept {
        return Ok(());
    }
    Err(broken(rule, found))
}

/// An answer with what a store may stumble over.
fn answer() -> RecordedAnswer {
    let text = format!("paid 'x'; -- \"\\ ä💳 \u{0} {}", "y".repeat(100_000));
    let row = ToolMessage::new("c", "pay", text);
    RecordedAnswer {
        row: row.with_blocks(vec![ToolContent::image_url("https://x.test/a")]),
        follow_up: vec![ToolContent::text("a receipt \u{0}")],
        metadata: Some(json!({ "receipt": { "number": u64::MAX, "rate": 0.1 } })),
        return_direct: Some(false),
    }
}

fn settlement(start: &ToolEffectStart, claim: u64, status: ToolEffectStatus) -> ToolEffectSettle {
    ToolEffectSettle {
        tool_name: start.tool_name.clone(),
        key: start.key.clone(),
        claim,
        status,
        answer: Some(answer()),
        attempts: 1,
    }
}

async fn a_free_key_is_granted_once(on: &Subject<'_>) -> Checked {
    const RULE: &str = "a started effect is taken, whatever it is safe for";
    for (call_id, replay) in [
        ("never", ToolReplay::Never),
        ("safe ä💳'\"", ToolReplay::Safe),
    ] {
        let start = on.start(call_id, replay);
        let claim = on.granted(&start).await?;
        let row = on.taken(RULE, &start).await?;
        let expected = ToolEffect {
            claim,
            ..ToolEffect::new(start)
        };
        ensure(
            row == expected,
            "a taken row is given as it was started",
            row,
        )?;
    }
    Ok(())
}

async fn one_of_many_claims_wins(on: &Subject<'_>) -> Checked {
    let start = on.start("contended", ToolReplay::Safe);
    let claims = join_all((0..32).map(|_| on.claim(&start))).await;
    let claims = claims.into_iter().collect::<Result<Vec<_>, _>>()?;
    let granted = |claim: &&ToolEffectClaim| matches!(claim, ToolEffectClaim::Granted(_));
    let granted = claims.iter().filter(granted).count();
    ensure(
        granted == 1,
        "of many claims at once exactly one is granted",
        granted,
    )
}

async fn a_tool_has_keys_of_its_own(on: &Subject<'_>) -> Checked {
    let start = on.start("shared", ToolReplay::Never);
    let other = ToolEffectStart {
        tool_name: "refund".to_owned(),
        ..start.clone()
    };
    on.granted(&start).await?;
    on.granted(&other).await?;
    Ok(())
}

async fn a_settled_row_gives_its_answer(on: &Subject<'_>) -> Checked {
    const RULE: &str = "a settled effect that may not be repeated is taken";
    for status in [
        ToolEffectStatus::Completed,
        ToolEffectStatus::Failed,
        ToolEffectStatus::Interrupted,
    ] {
        let start = on.start(status.as_str(), ToolReplay::Never);
        let claim = on.granted(&start).await?;
        on.must_settle(&start, claim, status).await?;
        let row = on.taken(RULE, &start).await?;
        ensure(
            row.status == status,
            "a row has its last status",
            row.status,
        )?;
        let is_same = row.answer == Some(answer());
        ensure(
            is_same,
            "the recorded answer is given back unchanged",
            row.answer,
        )?;
    }
    Ok(())
}

async fn only_what_is_over_and_safe_is_claimed_again(on: &Subject<'_>) -> Checked {
    for status in [ToolEffectStatus::Interrupted, ToolEffectStatus::Failed] {
        let start = on.start(status.as_str(), ToolReplay::Safe);
        let first = on.granted(&start).await?;
        on.must_settle(&start, first, status).await?;
        let again = ToolEffectStart {
            call_id: "another".into(),
            ..start.clone()
        };
        let second = on.granted(&again).await?;
        ensure(
            second > first,
            "a later claim has a higher number",
            (first, second),
        )?;
        let row = on.taken("a key claimed again is taken", &start).await?;
        let expected = ToolEffect {
            claim: second,
            attempts: 2,
            ..ToolEffect::new(again)
        };
        ensure(row == expected, "a row belongs to its newest claim", row)?;
    }
    let start = on.start("completed", ToolReplay::Safe);
    let claim = on.granted(&start).await?;
    on.must_settle(&start, claim, ToolEffectStatus::Completed)
        .await?;
    on.taken("a completed effect is never claimed again", &start)
        .await?;
    Ok(())
}

async fn both_must_say_that_it_is_safe(on: &Subject<'_>) -> Checked {
    for (call_id, then, now) in [
        ("was never", ToolReplay::Never, ToolReplay::Safe),
        ("is never", ToolReplay::Safe, ToolReplay::Never),
    ] {
        let start = on.start(call_id, then);
        let claim = on.granted(&start).await?;
        on.must_settle(&start, claim, ToolEffectStatus::Interrupted)
            .await?;
        let again = ToolEffectStart {
            replay: now,
            ..start
        };
        on.taken("replay must be safe then and now", &again).await?;
    }
    Ok(())
}

async fn an_old_claim_settles_nothing(on: &Subject<'_>) -> Checked {
    const RULE: &str = "a claim that is not the newest settles and withdraws nothing";
    let start = on.start("fenced", ToolReplay::Safe);
    let old = on.granted(&start).await?;
    on.must_settle(&start, old, ToolEffectStatus::Interrupted)
        .await?;
    let new = on.granted(&start).await?;
    let settled = on.settle(&start, old, ToolEffectStatus::Completed).await;
    let is_kept = matches!(settled, Err(LedgerError::Superseded { newest, .. }) if newest == new);
    ensure(is_kept, RULE, settled)?;
    let withdrawn = on.ledger.withdrawn(&start.tool_name, &start.key, old).await;
    let is_kept = matches!(withdrawn, Err(LedgerError::Superseded { .. }));
    ensure(is_kept, RULE, withdrawn)?;
    let row = on.taken(RULE, &start).await?;
    ensure(row.status == ToolEffectStatus::Started, RULE, row.status)
}

async fn an_end_is_final(on: &Subject<'_>) -> Checked {
    const RULE: &str = "a final status stays";
    let start = on.start("final", ToolReplay::Never);
    let claim = on.granted(&start).await?;
    let settled = on.settle(&start, claim, ToolEffectStatus::Started).await;
    let is_kept = matches!(settled, Err(LedgerError::NoSettlement));
    ensure(is_kept, "started is no settlement", settled)?;
    on.must_settle(&start, claim, ToolEffectStatus::Interrupted)
        .await?;
    on.must_settle(&start, claim, ToolEffectStatus::Completed)
        .await?;
    let again = ToolEffectSettle {
        answer: None,
        attempts: 9,
        ..settlement(&start, claim, ToolEffectStatus::Completed)
    };
    let settled = on.ledger.settled(again).await;
    ensure(
        settled.is_ok(),
        "settling the same way twice is no failure",
        settled,
    )?;
    for status in [ToolEffectStatus::Failed, ToolEffectStatus::Interrupted] {
        let settled = on.settle(&start, claim, status).await;
        let is_kept = matches!(
            settled,
            Err(LedgerError::AlreadySettled {
                status: ToolEffectStatus::Completed,
                ..
            })
        );
        ensure(is_kept, RULE, settled)?;
    }
    let withdrawn = on
        .ledger
        .withdrawn(&start.tool_name, &start.key, claim)
        .await;
    ensure(
        matches!(withdrawn, Err(LedgerError::AlreadySettled { .. })),
        RULE,
        withdrawn,
    )?;
    let row = on.taken(RULE, &start).await?;
    let is_kept = row.status == ToolEffectStatus::Completed
        && row.answer == Some(answer())
        && row.attempts == 1;
    ensure(is_kept, "settling the same way twice changes nothing", row)
}

async fn what_never_started_is_not_settled(on: &Subject<'_>) -> Checked {
    const RULE: &str = "only what has started is settled or withdrawn";
    let start = on.start("unknown", ToolReplay::Never);
    let settled = on.settle(&start, 1, ToolEffectStatus::Completed).await;
    ensure(
        matches!(settled, Err(LedgerError::NotStarted { .. })),
        RULE,
        settled,
    )?;
    let withdrawn = on.ledger.withdrawn(&start.tool_name, &start.key, 1).await;
    ensure(
        matches!(withdrawn, Err(LedgerError::NotStarted { .. })),
        RULE,
        withdrawn,
    )
}

async fn a_withdrawn_key_is_free(on: &Subject<'_>) -> Checked {
    let start = on.start("withdrawn", ToolReplay::Never);
    let claim = on.granted(&start).await?;
    let withdrawn = on
        .ledger
        .withdrawn(&start.tool_name, &start.key, claim)
        .await;
    ensure(
        withdrawn.is_ok(),
        "a started effect can be withdrawn",
        withdrawn,
    )?;
    let open = on.ledger.unresolved(on.run_id.as_str()).await;
    let is_gone = matches!(&open, Ok(rows) if rows.is_empty());
    ensure(is_gone, "a withdrawn row is not there", open)?;
    on.granted(&start).await?;
    Ok(())
}

async fn attempts_are_counted(on: &Subject<'_>) -> Checked {
    let start = on.start("attempts", ToolReplay::Safe);
    let claim = on.granted(&start).await?;
    let settle = ToolEffectSettle {
        attempts: 3,
        ..settlement(&start, claim, ToolEffectStatus::Failed)
    };
    let settled = on.ledger.settled(settle).await;
    ensure(settled.is_ok(), "a claim can be settled", settled)?;
    let rows = on.ledger.of_call(on.run_id.as_str(), "attempts").await;
    let is_kept = matches!(rows.as_deref(), Ok([row]) if row.attempts == 3);
    ensure(is_kept, "attempts of one claim are added up", rows)
}

async fn rows_are_found_by_run_and_call(on: &Subject<'_>) -> Checked {
    let other = Subject {
        ledger: on.ledger,
        run_id: RunId::generate(),
    };
    other.granted(&other.start("a", ToolReplay::Never)).await?;
    let mut keys = Vec::new();
    for (call_id, key) in [("b", "1"), ("a", "2"), ("b", "3")] {
        let start = ToolEffectStart {
            key: format!("{} {key}", on.run_id),
            ..on.start(call_id, ToolReplay::Never)
        };
        let claim = on.granted(&start).await?;
        if key == "2" {
            on.must_settle(&start, claim, ToolEffectStatus::Interrupted)
                .await?;
        }
        keys.push(start.key);
    }
    let run_id = on.run_id.as_str();
    let open = on.ledger.unresolved(run_id).await;
    let of_call = on.ledger.of_call(run_id, "b").await;
    for (rule, rows) in [
        (
            "the unresolved rows of a run are its started ones, oldest first",
            open,
        ),
        ("all rows of a call are found, oldest first", of_call),
    ] {
        let is_kept = matches!(rows.as_deref(), Ok([first, second]) if first.key == keys[0] && second.key == keys[2]);
        ensure(is_kept, rule, rows)?;
    }
    let settled = on.ledger.of_call(run_id, "a").await;
    let is_kept = matches!(settled.as_deref(), Ok([row]) if row.key == keys[1]);
    ensure(
        is_kept,
        "settled rows of a call are found, of its run alone",
        settled,
    )
}
