//! What every ledger has to do, as a check that a host can run on its own.

mod claims;
mod ends;
mod rows;
mod subject;

use std::future::Future;
use std::pin::Pin;

use self::claims::{
    a_free_key_is_granted_once, a_tool_has_keys_of_its_own, a_withdrawn_key_is_free,
    both_must_say_that_it_is_safe, one_of_many_claims_wins,
    only_what_is_over_and_safe_is_claimed_again,
};
use self::ends::{
    a_settled_row_gives_its_answer, an_end_is_final, an_old_claim_settles_nothing,
    attempts_are_counted, what_never_started_is_not_settled,
};
use self::rows::rows_are_found_by_run_and_call;
use self::subject::{Checked, Subject};
use super::ToolEffectLedger;
use crate::context::RunId;

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
