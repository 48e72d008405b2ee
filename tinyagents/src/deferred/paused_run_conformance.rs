//! The rules of a store of paused runs, tried on any.

use futures::future::join_all;
use serde_json::json;

use super::{PausedRun, PausedRunStore, SavedRun};
use crate::context::{AgentDefinition, RunContext, RunId};
use crate::effects::{ConformanceError, LedgerError};
use crate::model::{AssistantMessage, Message, ToolCall};

type Checked = Result<(), ConformanceError>;

/// Tries the rules of [`PausedRunStore`] on a store.
///
/// It may hold runs: every check works on runs of its own. Durability can't be seen from within one process.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), tinyagents::ConformanceError> {
/// tinyagents::check_paused_runs(&tinyagents::MemoryLedger::new()).await
/// # }
/// ```
///
/// # Errors
/// The first rule that is broken.
pub async fn check_paused_runs(store: &dyn PausedRunStore) -> Result<(), ConformanceError> {
    a_run_comes_back_as_it_was_saved(store).await?;
    a_run_without_an_id_is_refused(store).await?;
    only_the_version_that_is_there_is_changed(store).await?;
    one_of_many_claims_wins(store).await?;
    one_of_many_first_saves_wins(store).await?;
    a_version_is_never_given_twice(store).await
}

fn paused(run_id: &RunId, text: &str) -> PausedRun {
    let mut message = AssistantMessage::new(text);
    message.tool_calls = vec![ToolCall::new("c1", "pay", json!({ "cents": 1900 }))];
    let text = format!("pay 'x'; -- \"\\ ä💳 \u{0} {}", "y".repeat(100_000));
    let payer = AgentDefinition::new("payer").with_tools(["pay"]);
    PausedRun {
        messages: vec![Message::user(text), message.into()],
        run_id: Some(run_id.clone()),
        thread_id: Some("t1".into()),
        promoted_tools: vec!["refund".to_owned()],
        scope: RunContext::new()
            .with_definition(payer)
            .with_tag("paid")
            .scope(),
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

async fn saved(
    store: &dyn PausedRunStore,
    run: &PausedRun,
    version: Option<u64>,
) -> Result<u64, ConformanceError> {
    let saved = store.save(run, version).await;
    saved.map_err(|error| broken("a run is saved over the version that is there", error))
}

fn is_changed<T>(answer: &Result<T, LedgerError>, there: Option<u64>) -> bool {
    matches!(answer, Err(LedgerError::PausedRunChanged { found, .. }) if *found == there)
}

async fn a_run_comes_back_as_it_was_saved(store: &dyn PausedRunStore) -> Checked {
    let run_id = RunId::generate();
    let none = store.load(run_id.as_str()).await;
    ensure(matches!(none, Ok(None)), "an unknown run is none", none)?;
    let mut version = None;
    for text in ["first", "second"] {
        let run = paused(&run_id, text);
        let new = saved(store, &run, version).await?;
        let loaded = store.load(run_id.as_str()).await;
        let expected = SavedRun::new(run, new);
        ensure(
            matches!(&loaded, Ok(Some(found)) if *found == expected),
            "a run is loaded as it was last saved",
            loaded,
        )?;
        version = Some(new);
    }
    Ok(())
}

async fn a_run_without_an_id_is_refused(store: &dyn PausedRunStore) -> Checked {
    let run = PausedRun {
        run_id: None,
        ..paused(&RunId::generate(), "nameless")
    };
    let saved = store.save(&run, None).await;
    let is_refused = matches!(saved, Err(LedgerError::NoRunId));
    ensure(is_refused, "a run without an id is refused", saved)
}

async fn only_the_version_that_is_there_is_changed(store: &dyn PausedRunStore) -> Checked {
    const RULE: &str = "who names another version than the one that is there is told so";
    let run_id = RunId::generate();
    let run = paused(&run_id, "there");
    let id = run_id.as_str();
    for answer in [store.save(&run, Some(1)).await, store.claim(id, 1).await] {
        ensure(is_changed(&answer, None), RULE, answer)?;
    }
    let old = saved(store, &run, None).await?;
    let new = store.claim(id, old).await;
    let new = new.map_err(|error| broken("the version that is there is claimed", error))?;
    for answer in [
        store.save(&run, None).await,
        store.save(&run, Some(old)).await,
        store.claim(id, old).await,
    ] {
        ensure(is_changed(&answer, Some(new)), RULE, answer)?;
    }
    let removed = store.remove(id, old).await;
    ensure(is_changed(&removed, Some(new)), RULE, removed)?;
    let kept = store.load(id).await;
    let expected = SavedRun::new(run, new);
    ensure(
        matches!(&kept, Ok(Some(found)) if *found == expected),
        "a refused change changes nothing",
        kept,
    )?;
    let removed = store.remove(id, new).await;
    ensure(
        removed.is_ok(),
        "the version that is there is removed",
        removed,
    )?;
    let gone = store.load(id).await;
    ensure(matches!(gone, Ok(None)), "a removed run is gone", gone)
}

async fn one_of_many_claims_wins(store: &dyn PausedRunStore) -> Checked {
    let run_id = RunId::generate();
    let version = saved(store, &paused(&run_id, "contended"), None).await?;
    let claims = join_all((0..16).map(|_| store.claim(run_id.as_str(), version))).await;
    let won = claims.iter().filter(|claim| claim.is_ok()).count();
    ensure(won == 1, "of many claims at once exactly one wins", claims)
}

async fn one_of_many_first_saves_wins(store: &dyn PausedRunStore) -> Checked {
    let run = paused(&RunId::generate(), "new");
    let saves = join_all((0..16).map(|_| store.save(&run, None))).await;
    let won = saves.iter().filter(|save| save.is_ok()).count();
    ensure(won == 1, "of many first saves exactly one wins", saves)
}

async fn a_version_is_never_given_twice(store: &dyn PausedRunStore) -> Checked {
    const RULE: &str = "a version is never given twice, not even after a removal";
    let run_id = RunId::generate();
    let run = paused(&run_id, "again");
    let mut given = Vec::new();
    for _ in 0..3 {
        let version = saved(store, &run, None).await?;
        let claimed = store.claim(run_id.as_str(), version).await;
        let claimed = claimed.map_err(|error| broken(RULE, error))?;
        let removed = store.remove(run_id.as_str(), claimed).await;
        ensure(removed.is_ok(), RULE, removed)?;
        for version in [version, claimed] {
            ensure(!given.contains(&version), RULE, version)?;
            given.push(version);
        }
    }
    Ok(())
}
