//! What must hold of any text that a paused run is read from, as a store may give it back.

use serde_json::Value;
use tinyagents::PausedRun;

/// Reads a paused run and, where it is one, writes it and reads that.
pub fn check(data: &[u8]) {
    let Ok(paused) = serde_json::from_slice::<PausedRun>(data) else {
        return;
    };
    let Ok(read) = serde_json::from_slice::<Value>(data) else {
        panic!("what is no JSON is no paused run");
    };
    let version = read["version"].as_u64();
    assert!(matches!(version, Some(1 | 2)), "{version:?} is read");
    // From the second form on, none comes back without its bounds.
    assert!(version == Some(1) || !read["scope"].is_null());

    // Written and read again, a number may change in its last bit.
    if serde_json::from_str(&read.to_string()).ok().as_ref() != Some(&read) {
        return;
    }
    let Ok(written) = serde_json::to_string(&paused) else {
        panic!("what was read can't be written");
    };
    let Ok(again) = serde_json::from_str::<PausedRun>(&written) else {
        panic!("what was written can't be read: {written}");
    };
    assert_eq!(again, paused, "{written}");

    let ctx = paused.context();
    assert!(paused.run_id.is_none_or(|run_id| run_id == *ctx.run_id()));
}
