//! What a claim is granted to.

use futures::future::join_all;
use tinytools::ToolReplay;

use super::subject::{Checked, Subject, ensure};
use crate::effects::{ToolEffect, ToolEffectClaim, ToolEffectStart, ToolEffectStatus};

pub(super) async fn a_free_key_is_granted_once(on: &Subject<'_>) -> Checked {
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

pub(super) async fn one_of_many_claims_wins(on: &Subject<'_>) -> Checked {
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

pub(super) async fn a_tool_has_keys_of_its_own(on: &Subject<'_>) -> Checked {
    let start = on.start("shared", ToolReplay::Never);
    let other = ToolEffectStart {
        tool_name: "refund".to_owned(),
        ..start.clone()
    };
    on.granted(&start).await?;
    on.granted(&other).await?;
    Ok(())
}

pub(super) async fn only_what_is_over_and_safe_is_claimed_again(on: &Subject<'_>) -> Checked {
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

pub(super) async fn both_must_say_that_it_is_safe(on: &Subject<'_>) -> Checked {
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

pub(super) async fn a_withdrawn_key_is_free(on: &Subject<'_>) -> Checked {
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
