//! A tool's policy as a ledger looks at it, and a run that has one.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::must_use_candidate,
    reason = "test code, of which each file uses a part"
)]

use std::sync::Arc;

use tinyagents::RunContext;
use tinyagents::effects::MemoryLedger;
use tinyagents::tinytools::{ToolPolicy, ToolReplay};

/// A tool that pays.
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
