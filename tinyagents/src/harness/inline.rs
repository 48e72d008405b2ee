//! Deferred calls that are answered while the run waits.

use super::parts::Parts;
use super::paused_turn::{PausedTurn, resume};
use super::{AgentRun, StopReason};
use crate::context::RunContext;
use crate::deferred::{Coverage, DeferredToolRequests};
use crate::dispatch::{Turn, interrupted};
use crate::error::TinyAgentsError;

/// How often a turn's calls may defer anew before the run pauses: what changes its arguments each time would otherwise
/// never end.
const MAX_ROUNDS: usize = 8;

/// Lets the handler answer what waits, if the run would pause for it; says whether and why the run ends.
pub(super) async fn handled(
    parts: Parts<'_>,
    turn: &Turn,
    ctx: &RunContext,
    run: &mut AgentRun,
    mut stop: Option<StopReason>,
) -> Result<Option<StopReason>, TinyAgentsError> {
    let Some(handler) = parts.deferred_handler else {
        return Ok(stop);
    };
    let mut asked: Vec<DeferredToolRequests> = Vec::new();
    while stop == Some(StopReason::Deferred) && asked.len() < MAX_ROUNDS {
        let Some(requests) = run.deferred.clone() else {
            break;
        };
        // The same question again would have the same answer.
        if asked.contains(&requests) {
            break;
        }
        let results = tokio::select! {
            biased;
            results = handler.handle(ctx, &requests) => results?,
            ended = interrupted(ctx) => return Ok(Some(ended)),
        };
        asked.push(requests);
        if results.is_empty() {
            break;
        }
        let resolved = PausedTurn::find(&run.messages)?.resolve(results, Coverage::Some)?;
        stop = resume(parts, turn, ctx, run, resolved).await?;
    }
    Ok(stop)
}
