//! A call that the effect ledger lets not run.

use super::announce::{finished, refuse, started};
use super::execution::Failure;
use super::slot::Settled;
use crate::admission::ReadyCall;
use crate::effects::{Begun, RecordedAnswer};
use crate::harness::ToolResultMetadata;

/// Answers it with what is recorded, or with why it isn't run.
pub(super) fn not_rerun(ready: &ReadyCall<'_, '_>, begun: Begun, settled: &mut Settled<'_>) {
    let ReadyCall {
        call, tool, ctx, ..
    } = ready;
    let requested = call.requested();
    match begun {
        Begun::Untracked | Begun::Open(_) => {}
        Begun::Recorded(answer) => {
            let started = started(ctx, call);
            settled.return_direct = answer.ends_run(tool.return_direct());
            let RecordedAnswer {
                mut row,
                follow_up,
                metadata,
                omitted_metadata_bytes: _,
                return_direct: _,
            } = *answer;
            row.call_id.clone_from(&requested.id);
            row.tool_name.clone_from(&requested.name);
            let failure = row.is_error.then(Failure::repairable);
            finished(ctx, &call.name, &row, failure, metadata.as_ref(), started);
            settled.row = Some(row);
            settled.follow_up = follow_up;
            settled.metadata =
                metadata.map(|metadata| Box::new(ToolResultMetadata::of(call, metadata)));
        }
        Begun::Refused(text) => refuse(ctx, &requested, text, settled),
        Begun::Failed(error) => {
            let text = "not run: its effect could not be recorded".to_owned();
            refuse(ctx, &requested, text, settled);
            settled.failed = Some(Box::new(error.into()));
        }
    }
}
