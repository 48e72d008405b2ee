//! What the ledger does in its own thread and in its callers', and beside other processes.

mod at_once;
mod busy;

use tinytools::ToolReplay;

use crate::effects::{ToolEffectSettle, ToolEffectStart, ToolEffectStatus};
use crate::model::ToolMessage;

pub(super) fn start(key: &str) -> ToolEffectStart {
    ToolEffectStart {
        run_id: "r".into(),
        call_id: "c".into(),
        tool_name: "pay".to_owned(),
        key: key.to_owned(),
        request_hash: String::new(),
        replay: ToolReplay::Never,
    }
}

pub(super) fn settle(key: &str, answer: String) -> ToolEffectSettle {
    ToolEffectSettle {
        tool_name: "pay".to_owned(),
        key: key.to_owned(),
        claim: 1,
        status: ToolEffectStatus::Completed,
        answer: Some(ToolMessage::new("c", "pay", answer).into()),
        attempts: 1,
    }
}
