//! The signs of life of a host.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{MissedTickBehavior, interval};

use super::database::Database;
use super::holds::Holds;
use super::lease::{Holder, Release, Renew};

/// Beats per lease: two may be lost.
const BEATS: u32 = 3;

/// Sends signs of life until the ledger is dropped, and gives runs back that the host has left.
pub(super) async fn beat(
    database: Arc<Database>,
    holder: Arc<Holder>,
    holds: Arc<Mutex<Holds>>,
    mut released: UnboundedReceiver<(String, i64)>,
) {
    let period = (holder.lease / BEATS).max(Duration::from_millis(1));
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        // One that fails is not told: the lease says all there is to say, and the next beat is not far.
        tokio::select! {
            biased;
            _ = ticks.tick() => {
                let run_ids = {
                    let mut holds = holds.lock().unwrap_or_else(PoisonError::into_inner);
                    holds.alive(period * 2)
                };
                if !run_ids.is_empty() {
                    let _ = database.perform(&Renew { holder: &holder, run_ids }).await;
                }
            }
            left = released.recv() => {
                let Some((run_id, token)) = left else {
                    return;
                };
                let _ = database.perform(&Release { holder: &holder, run_id, token }).await;
            }
        }
    }
}
