//! The seeds of the dialects' fuzz targets, each as it is, cut at every place, and without each of its bytes.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::missing_panics_doc
)]

use std::fs;
use std::path::Path;

#[path = "../fuzz/bodies/parse_calls.rs"]
mod parse_calls;
#[path = "../fuzz/bodies/ptype.rs"]
mod ptype;
#[path = "../fuzz/bodies/scrubber.rs"]
mod scrubber;
#[path = "../fuzz/bodies/xml.rs"]
mod xml;

fn run(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/seeds")
        .join(target);
    let mut seeds = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let seed = fs::read(entry.unwrap().path()).unwrap();
        seeds += 1;
        check(&seed);
        for place in 0..seed.len() {
            check(&seed[..place]);
            check(&[&seed[..place], &seed[place + 1..]].concat());
        }
    }
    assert!(seeds > 5, "{target} has {seeds} seeds");
}

#[test]
fn parsing_holds_its_laws_on_all_seeds() {
    run("parse_calls", parse_calls::check);
}

#[test]
fn scrubbing_holds_its_laws_on_all_seeds() {
    run("scrubber", scrubber::check);
}

#[test]
fn expressions_hold_their_laws_on_all_seeds() {
    run("ptype", ptype::check);
}

#[test]
fn tags_hold_their_laws_on_all_seeds() {
    run("xml", xml::check);
}
