//! What is found of the rows.

use tinytools::ToolReplay;

use super::subject::{Checked, Subject, ensure};
use crate::context::RunId;
use crate::effects::{ToolEffectStart, ToolEffectStatus};

pub(super) async fn rows_are_found_by_run_and_call(on: &Subject<'_>) -> Checked {
    let other = Subject {
        ledger: on.ledger,
        run_id: RunId::generate(),
    };
    other.granted(&other.start("a", ToolReplay::Never)).await?;
    let mut keys = Vec::new();
    for (call_id, key) in [("b", "1"), ("a", "2"), ("b", "3")] {
        let start = ToolEffectStart {
            key: format!("{} {key}", on.run_id),
            ..on.start(call_id, ToolReplay::Never)
        };
        let claim = on.granted(&start).await?;
        if key == "2" {
            on.must_settle(&start, claim, ToolEffectStatus::Interrupted)
                .await?;
        }
        keys.push(start.key);
    }
    let run_id = on.run_id.as_str();
    let open = on.ledger.unresolved(run_id).await;
    let of_call = on.ledger.of_call(run_id, "b").await;
    for (rule, rows) in [
        (
            "the unresolved rows of a run are its started ones, oldest first",
            open,
        ),
        ("all rows of a call are found, oldest first", of_call),
    ] {
        let is_kept = matches!(rows.as_deref(), Ok([first, second]) if first.key == keys[0] && second.key == keys[2]);
        ensure(is_kept, rule, rows)?;
    }
    let settled = on.ledger.of_call(run_id, "a").await;
    let is_kept = matches!(settled.as_deref(), Ok([row]) if row.key == keys[1]);
    ensure(
        is_kept,
        "settled rows of a call are found, of its run alone",
        settled,
    )
}
