//! A row as databases store it.

use anyhow::Context as _;
use tinytools::ToolReplay;

use super::{ToolEffect, ToolEffectStatus};

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
