//! The style of the messages, over every expected `.stderr`: what `ui.rs` can't see when a message is rewritten.

#![allow(clippy::expect_used, reason = "a test")]

use std::fs;
use std::path::{Path, PathBuf};

/// The longest message that a terminal shows on a line.
const MAX_CHARS: usize = 110;

#[test]
fn every_failing_case_has_an_expected_message() {
    let missing: Vec<_> = cases("rs")
        .into_iter()
        .filter(|case| !case.with_extension("stderr").exists())
        .collect();
    assert_eq!(missing, Vec::<PathBuf>::new());
}

#[test]
fn every_expected_message_has_a_case() {
    let orphans: Vec<_> = cases("stderr")
        .into_iter()
        .filter(|message| !message.with_extension("rs").exists())
        .collect();
    assert_eq!(orphans, Vec::<PathBuf>::new());
}

#[test]
fn one_mistake_is_one_error() {
    for case in cases("stderr") {
        let name = case.to_string_lossy();
        let several = ["two_", "three_"].iter().any(|word| name.contains(word));
        let errors = errors(&case).len();
        assert!(errors == 1 || several, "{name}: {errors} errors");
    }
}

#[test]
fn messages_of_the_macros_are_short_lower_case_and_without_a_full_stop() {
    for case in cases("stderr") {
        // A message of the compiler has a code, or is its own business otherwise.
        for message in errors(&case)
            .iter()
            .filter_map(|line| line.strip_prefix("error: "))
        {
            let is_styled = message.chars().count() <= MAX_CHARS
                && !message.starts_with(char::is_uppercase)
                && !message.ends_with('.');
            // `JSON` is a name.
            let name = case.to_string_lossy();
            assert!(
                is_styled || message.starts_with("JSON "),
                "{name}: {message}"
            );
        }
    }
}

/// The first lines of the errors that a case expects.
fn errors(case: &Path) -> Vec<String> {
    let text = fs::read_to_string(case).expect("a message");
    let errors = text.lines().filter(|line| line.starts_with("error"));
    errors.map(str::to_owned).collect()
}

/// The files below `tests/fail` with this extension.
fn cases(extension: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fail");
    let folders = fs::read_dir(root).expect("the failing cases");
    let files = folders.flat_map(|folder| {
        let folder = folder.expect("a folder").path();
        fs::read_dir(folder).expect("the cases of a folder")
    });
    let paths = files.map(|file| file.expect("a case").path());
    paths
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect()
}
