//! What settles a claim, and what a settled row keeps.

use tinytools::ToolReplay;

use super::subject::{Checked, Subject, answer, ensure, settlement};
use crate::effects::{LedgerError, ToolEffectSettle, ToolEffectStatus};

pub(super) async fn a_settled_row_gives_its_answer(on: &Subject<'_>) -> Checked {
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

pub(super) async fn an_old_claim_settles_nothing(on: &Subject<'_>) -> Checked {
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

pub(super) async fn an_end_is_final(on: &Subject<'_>) -> Checked {
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

pub(super) async fn what_never_started_is_not_settled(on: &Subject<'_>) -> Checked {
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

pub(super) async fn attempts_are_counted(on: &Subject<'_>) -> Checked {
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
