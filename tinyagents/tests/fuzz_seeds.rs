//! The seeds of the fuzz targets, each as it is, cut at every place, and without each of its bytes.

#![allow(
    unreachable_pub,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used
)]

use std::{fs, path::Path};

#[path = "../fuzz/bodies/event_stream.rs"]
mod event_stream;
#[path = "../fuzz/bodies/names.rs"]
mod names;
#[path = "../fuzz/bodies/paused_run.rs"]
mod paused_run;
#[path = "../fuzz/bodies/prepare.rs"]
mod prepare;
#[path = "../fuzz/bodies/relaxed_json.rs"]
mod relaxed_json;
#[path = "../fuzz/bodies/strict_json.rs"]
mod strict_json;
#[path = "../fuzz/bodies/validator.rs"]
mod validator;

fn run(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds")
        .join(target);
    let mut seeds = 0;
    for entry in fs::read_dir(&folder).expect("the seeds of the target") {
        let seed = fs::read(entry.expect("an entry").path()).expect("a seed");
        check(&seed);
        for at in 0..seed.len() {
            check(&seed[..at]);
            check(&[&seed[..at], &seed[at + 1..]].concat());
        }
        seeds += 1;
    }
    assert!(seeds >= 10, "{target} has {seeds} seeds");
}

#[test]
fn texts_that_are_almost_json() {
    run("relaxed_json", relaxed_json::check);
}

#[test]
fn schemas_and_values() {
    run("validator", validator::check);
}

#[test]
fn schemas_for_every_provider() {
    run("prepare", prepare::check);
}

#[test]
fn names_from_outside() {
    run("names", names::check);
}

#[test]
fn arguments_with_and_without_a_key_twice() {
    run("strict_json", strict_json::check);
}

#[test]
fn events_of_a_streamed_answer() {
    run("event_stream", event_stream::check);
}

#[test]
fn paused_runs_of_a_store() {
    run("paused_run", paused_run::check);
}
