//! Crates of their own (`crates/`), each built the way a stranger would: outside the workspace, with its own manifest.

#![allow(clippy::expect_used, clippy::panic, reason = "a test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[test]
fn a_crate_of_tools_needs_no_dependency_but_tinytools() {
    Fixture::open("only_tinytools").passes(&["check"]);
}

#[test]
fn tinytools_may_be_renamed() {
    Fixture::open("renamed").passes(&["check"]);
}

#[test]
fn a_host_may_re_export_tinytools() {
    Fixture::open("facade").passes(&["check"]);
}

#[test]
fn generated_code_needs_no_prelude() {
    Fixture::open("no_prelude").passes(&["check"]);
}

#[test]
fn generated_code_is_not_misled_by_the_names_of_the_user() {
    Fixture::open("shadowed").passes(&["check"]);
}

#[test]
fn a_declarative_macro_may_make_tools() {
    Fixture::open("macro_rules").passes(&["check"]);
}

#[test]
fn generated_code_passes_strict_lints() {
    let fixture = Fixture::open("strict_lints");
    fixture.passes(&["check"]);
    let clippy = cargo().args(["clippy", "--version"]).output();
    if clippy.is_ok_and(|output| output.status.success()) {
        fixture.passes(&["clippy"]);
    } else {
        eprintln!("clippy is not installed: its lints were skipped");
    }
}

#[test]
fn a_host_outside_the_workspace_runs_a_tool() {
    Fixture::open("runs_it").passes(&["run"]);
}

#[test]
fn every_fixture_has_a_test() {
    let crates = fs::read_dir(crates()).expect("the directory of the fixtures");
    let source = include_str!("hygiene.rs");
    for name in crates.filter_map(|entry| entry.ok()?.file_name().into_string().ok()) {
        assert!(
            source.contains(&format!("open(\"{name}\")")),
            "no test builds {name}"
        );
    }
}

/// A crate below `crates/`.
struct Fixture {
    name: &'static str,
    manifest: PathBuf,
}

impl Fixture {
    /// The fixture, with the lock file of the workspace: the same versions, which Cargo has already downloaded.
    fn open(name: &'static str) -> Self {
        let directory = crates().join(name);
        let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
        fs::copy(lock, directory.join("Cargo.lock")).expect("a lock file for the fixture");
        Self {
            name,
            manifest: directory.join("Cargo.toml"),
        }
    }

    /// Run a command of Cargo, which must succeed and have nothing to say about this crate.
    #[track_caller]
    fn passes(&self, command: &[&str]) {
        let mut output = self.cargo(command, &["--offline"]);
        // Cargo names the option when a download would have helped.
        if !output.status.success() && text(&output).contains("offline") {
            output = self.cargo(command, &[]);
        }
        let (name, text) = (self.name, text(&output));
        assert!(
            output.status.success(),
            "{name}: cargo {command:?} failed\n{text}"
        );
        assert!(
            !text.contains(&format!("warning: `{name}` (")),
            "{name}: has warnings\n{text}"
        );
    }

    fn cargo(&self, command: &[&str], options: &[&str]) -> Output {
        let mut cargo = cargo();
        cargo
            .args(command)
            .args(options)
            .arg("--manifest-path")
            .arg(&self.manifest);
        cargo
            .arg("--target-dir")
            .arg(concat!(env!("CARGO_TARGET_TMPDIR"), "/hygiene"));
        cargo.output().expect("cargo runs")
    }
}

fn cargo() -> Command {
    Command::new(env!("CARGO"))
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
