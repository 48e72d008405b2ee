//! Which calls of a batch run side by side, and which wait for each other.

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};

use super::Turn;
use super::settle::Settlement;
use super::slot::{Settled, Slot, run_failed};
use crate::admission::Pending;
use crate::context::RunContext;
use crate::harness::RunLimits;

impl Turn {
    /// Neighbours that are safe beside others run together, up to the policy's bound; any other call waits for all
    /// before it, and all after it wait for it.
    pub(super) async fn settle_all<'a>(
        &'a self,
        ctx: &'a RunContext,
        slots: Vec<(Pending<'a>, Slot<'a>)>,
        limits: &'a RunLimits,
    ) -> Vec<Settled<'a>> {
        let settlement = self.settlement(ctx, limits);
        let mut settled: Vec<Settled<'_>> = Vec::with_capacity(slots.len());
        let mut seen = 0;
        let mut is_over = false;
        let mut slots = slots.into_iter().peekable();
        while let Some((pending, slot)) = slots.next() {
            // Without its ledger the run is over; what has not begun doesn't begin.
            is_over |= settled.iter().skip(seen).any(|one| one.failed.is_some());
            seen = settled.len();
            let still = |slot: Slot<'a>| match slot {
                Slot::Ready(_) | Slot::Deferred(_) if is_over => run_failed(),
                slot => slot,
            };
            let slot = still(slot);
            let is_beside =
                |(pending, next): &(Pending<'_>, Slot<'_>)| next.is_concurrency_safe(pending);
            if !slot.is_concurrency_safe(&pending) || !slots.peek().is_some_and(is_beside) {
                let mut one = Settled::default();
                settlement.settle(&pending, slot, &mut one).await;
                settled.push(one);
                continue;
            }
            let mut together = vec![(pending, slot)];
            while let Some((pending, slot)) = slots.next_if(is_beside) {
                together.push((pending, still(slot)));
            }
            settled.extend(Box::pin(self.side_by_side(settlement, together)).await);
        }
        settled
    }

    /// Brings neighbours to their end together; their answers are in call order.
    async fn side_by_side<'a>(
        &'a self,
        settlement: Settlement<'a>,
        slots: Vec<(Pending<'a>, Slot<'a>)>,
    ) -> impl Iterator<Item = Settled<'a>> {
        let width = self.policy().max_concurrent_tools.max(1);
        let calls = stream::iter(to_settle(settlement, slots));
        // By completion: a slow call must not hold up the start of those behind it.
        let mut done: Vec<(usize, Settled<'_>)> = calls.buffer_unordered(width).collect().await;
        done.sort_unstable_by_key(|(position, _)| *position);
        done.into_iter().map(|(_, one)| one)
    }
}

/// The calls with their positions, each begun when its turn comes: one that runs takes more memory than one that waits.
///
/// Boxed twice: a future that is moved about would be there more than once, and through a closure's own type the compiler
/// can't see that the whole is `Send`.
fn to_settle<'a>(
    settlement: Settlement<'a>,
    slots: Vec<(Pending<'a>, Slot<'a>)>,
) -> Box<dyn Iterator<Item = BoxFuture<'a, (usize, Settled<'a>)>> + Send + 'a> {
    let calls = slots.into_iter().enumerate();
    Box::new(calls.map(move |(position, (pending, slot))| {
        let settling = async move {
            let mut one = Settled::default();
            settlement.settle(&pending, slot, &mut one).await;
            (position, one)
        };
        settling.boxed()
    }))
}
