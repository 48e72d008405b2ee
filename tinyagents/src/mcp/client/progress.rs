//! Who wants to know how far a call is.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use tinytools::ToolProgress;
use tokio::sync::mpsc;

use crate::clip::clip_bytes;

/// Reports that wait for a call to take them; what comes beyond is dropped.
const MAX_WAITING: usize = 64;
/// Reports that came before their call was known to wait for them: a server may be faster than the one who asks.
const MAX_EARLY: usize = 32;
/// Longest text of a report.
const MAX_MESSAGE: usize = 1024;

/// The calls that are under way, by the token that the server reports on them with. The lock is held to look and to put.
#[derive(Debug, Default)]
pub(super) struct Progress(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    calls: HashMap<ProgressToken, mpsc::Sender<ToolProgress>>,
    early: VecDeque<(ProgressToken, ToolProgress)>,
}

impl Progress {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a report of the server.
    pub(super) fn take(&self, report: ProgressNotificationParam) {
        let progress = ToolProgress {
            message: report.message.map(|text| clip_bytes(&text, MAX_MESSAGE)),
            progress: Some(report.progress),
            total: report.total,
        };
        let mut known = self.known();
        if let Some(call) = known.calls.get(&report.progress_token) {
            // Nobody is helped by a report that is late.
            let _ = call.try_send(progress);
            return;
        }
        if known.early.len() == MAX_EARLY {
            known.early.pop_front();
        }
        known.early.push_back((report.progress_token, progress));
    }

    /// The reports on a call, until they are dropped.
    pub(super) fn of(self: &Arc<Self>, token: ProgressToken) -> Reports {
        let (sender, waiting) = mpsc::channel(MAX_WAITING);
        let mut known = self.known();
        known.early.retain(|(early, progress)| {
            let is_ours = *early == token;
            if is_ours {
                let _ = sender.try_send(progress.clone());
            }
            !is_ours
        });
        known.calls.insert(token.clone(), sender);
        Reports {
            progress: Arc::clone(self),
            token,
            waiting,
            furthest: f64::NEG_INFINITY,
        }
    }
}

/// The reports on one call.
pub(super) struct Reports {
    progress: Arc<Progress>,
    token: ProgressToken,
    waiting: mpsc::Receiver<ToolProgress>,
    furthest: f64,
}

impl Reports {
    /// The next report that says more than those before; waits for ever where there is none.
    pub(super) async fn next(&mut self) -> ToolProgress {
        while let Some(report) = self.waiting.recv().await {
            if self.is_further(&report) {
                return report;
            }
        }
        std::future::pending().await
    }

    /// The same of those that are there.
    pub(super) fn take(&mut self) -> Option<ToolProgress> {
        while let Ok(report) = self.waiting.try_recv() {
            if self.is_further(&report) {
                return Some(report);
            }
        }
        None
    }

    /// Progress only grows, whatever the server says.
    fn is_further(&mut self, report: &ToolProgress) -> bool {
        let Some(progress) = report.progress else {
            return true;
        };
        let is_further = progress.is_finite() && progress > self.furthest;
        if is_further {
            self.furthest = progress;
        }
        is_further
    }
}

impl Drop for Reports {
    fn drop(&mut self) {
        self.progress.known().calls.remove(&self.token);
    }
}
