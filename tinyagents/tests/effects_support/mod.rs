//! What the tests of the effect ledger share.

#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

use std::sync::Arc;

use serde_json::Value;
use tinyagents::RunContext;
use tinyagents::effects::{MemoryLedger, ToolEffect, ToolEffectLedger};
use tinyagents::tinytools::{ToolPolicy, ToolReplay, ToolResult};

use crate::lifecycle_support::Made;

/// The policy of a tool that pays.
pub fn paying(replay: ToolReplay) -> ToolPolicy {
    let mut policy = ToolPolicy::classified();
    policy.side_effects.payment = true;
    policy.runtime.idempotent = replay == ToolReplay::Safe;
    policy.runtime.replay = replay;
    policy
}

/// Run `r1`.
pub fn context(ledger: &Arc<MemoryLedger>) -> RunContext {
    RunContext::new()
        .with_run_id("r1")
        .with_tool_effect_ledger(Arc::clone(ledger))
}

/// A ledger of its own, and run `r1` with it.
pub fn tracked() -> (Arc<MemoryLedger>, RunContext) {
    let ledger = Arc::default();
    let ctx = context(&ledger);
    (ledger, ctx)
}

pub async fn only_row(ledger: &dyn ToolEffectLedger, call_id: &str) -> ToolEffect {
    let rows = ledger.of_call("r1", call_id).await.unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.into_iter().next().unwrap()
}

/// A tool that looks into the ledger while it runs.
pub fn looker(ledger: &Arc<MemoryLedger>) -> Made {
    let ledger = Arc::clone(ledger);
    Made::new("pay", move |args: Value| {
        let ledger = Arc::clone(&ledger);
        async move {
            let open = ledger.unresolved("r1").await?;
            let id = args["id"].as_str().unwrap_or("c1");
            assert!(open.iter().any(|row| row.call_id == *id));
            Ok(ToolResult::success("paid"))
        }
    })
    .policy(paying(ToolReplay::Never))
}
