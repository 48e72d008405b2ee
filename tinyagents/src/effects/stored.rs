//! Rows and paused runs as databases store them.

use anyhow::Context as _;
use tinytools::ToolReplay;

use super::{LedgerError, ToolEffect, ToolEffectStatus};
use crate::deferred::{PausedRun, SavedRun};

/// A row as it is stored.
pub(super) struct Stored {
    pub(super) run_id: String,
    pub(super) call_id: String,
    pub(super) tool_name: String,
    pub(super) key: String,
    pub(super) request_hash: String,
    pub(super) replay: String,
    pub(super) status: String,
    pub(super) claim: i64,
    pub(super) attempts: i64,
    pub(super) answer: Option<String>,
}

impl Stored {
    /// The row, unless it holds what no version has written.
    pub(super) fn into_effect(self) -> anyhow::Result<ToolEffect> {
        let status = ToolEffectStatus::from_name(&self.status);
        let answer = self.answer.as_deref().map(serde_json::from_str);
        Ok(ToolEffect {
            run_id: self.run_id.into(),
            call_id: self.call_id.into(),
            tool_name: self.tool_name,
            key: self.key,
            request_hash: self.request_hash,
            replay: replay_of(&self.replay)?,
            status: status.with_context(|| format!("a row has the status {:?}", self.status))?,
            claim: self
                .claim
                .try_into()
                .context("a row has a negative claim")?,
            attempts: self
                .attempts
                .try_into()
                .context("a row counts its attempts wrongly")?,
            answer: answer
                .transpose()
                .context("a row has an answer that is no JSON")?,
        })
    }
}

/// The name in databases.
pub(super) fn replay_name(replay: ToolReplay) -> &'static str {
    match replay {
        ToolReplay::Safe => "safe",
        // What another version may add is not known to be safe.
        _ => "never",
    }
}

fn replay_of(name: &str) -> anyhow::Result<ToolReplay> {
    match name {
        "safe" => Ok(ToolReplay::Safe),
        "never" => Ok(ToolReplay::Never),
        _ => Err(anyhow::anyhow!("a row has the replay {name:?}")),
    }
}

/// The id under which a paused run is kept, and its text.
pub(super) fn run_to_text(run: &PausedRun) -> Result<(String, String), LedgerError> {
    let run_id = run.run_id.as_ref().ok_or(LedgerError::NoRunId)?;
    let text = serde_json::to_string(run).context("the paused run has no JSON form")?;
    Ok((run_id.to_string(), text))
}

/// The paused run, unless its text is of a newer version.
pub(super) fn run_of((text, version): (String, u64)) -> Result<SavedRun, LedgerError> {
    let run = serde_json::from_str(&text).context("the paused run can't be read")?;
    Ok(SavedRun::new(run, version))
}
