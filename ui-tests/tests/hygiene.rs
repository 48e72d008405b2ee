//! Crates of their own (`crates/`), each built the way a stranger would: outside the workspace, with its own manifest,
//! in every edition.

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
fn a_tool_alone_tells_what_it_is() {
    Fixture::open("alone").passes(&["run"]);
}

#[test]
fn two_tools_of_one_module_may_have_the_same_parameters_and_defaults() {
    Fixture::open("same_names").passes(&["check"]);
}

#[test]
fn dates_uuids_and_urls_may_be_arguments() {
    Fixture::open("foreign_types").passes(&["run"]);
}

#[test]
fn tools_may_call_themselves() {
    Fixture::open("recursion").passes(&["check"]);
}

#[test]
fn a_tool_may_have_forty_parameters() {
    Fixture::open("forty_parameters").passes(&["check"]);
}

#[test]
fn types_and_owners_may_be_generic() {
    Fixture::open("generic_types").passes(&["check"]);
}

#[test]
fn a_future_that_is_not_send_is_an_error_inside_the_function_of_the_user() {
    Fixture::open("future_not_send").fails(&[
        "error: future cannot be sent between threads safely",
        "future returned by `search` is not `Send`",
        "let shared = Rc::new(query);",
        "std::future::ready(()).await;",
    ]);
}

#[test]
fn spans_open_over_and_under_the_attribute() {
    Fixture::open("instrumented").passes(&["run"]);
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

/// The editions that each fixture is built in.
const EDITIONS: [&str; 2] = ["2021", "2024"];

/// A crate below `crates/`, copied once for each edition.
struct Fixture {
    name: &'static str,
    manifests: Vec<PathBuf>,
}

impl Fixture {
    fn open(name: &'static str) -> Self {
        let copies = EDITIONS.map(|edition| copy(name, edition));
        Self {
            name,
            manifests: copies.to_vec(),
        }
    }

    /// Run a command of Cargo, which must succeed and have nothing to say about this crate.
    #[track_caller]
    fn passes(&self, command: &[&str]) {
        for manifest in &self.manifests {
            let (success, text) = run(command, manifest);
            let manifest = manifest.display();
            assert!(success, "{manifest}: cargo {command:?} failed\n{text}");
            assert!(
                !text.contains(&format!("warning: `{}` (", self.name)),
                "{manifest}: has warnings\n{text}"
            );
        }
    }

    /// Check the crate, which must fail with one error that tells all of `parts`, in this order.
    #[track_caller]
    fn fails(&self, parts: &[&str]) {
        for manifest in &self.manifests {
            let (success, text) = run(&["check"], manifest);
            assert!(!success, "{} compiles", manifest.display());
            let errors = text.lines().filter(|line| {
                line.starts_with("error") && !line.starts_with("error: could not compile")
            });
            assert_eq!(errors.count(), 1, "{text}");
            let mut rest = text.as_str();
            for part in parts {
                let found = rest.split_once(part);
                rest = found.map_or_else(
                    || panic!("{part:?} is missing in\n{text}"),
                    |(_, after)| after,
                );
            }
        }
    }
}

/// Copies a fixture to where an edition of it is built, and returns its manifest. Beside it goes the lock file of the
/// workspace: the same versions, which Cargo has already downloaded.
fn copy(name: &str, edition: &str) -> PathBuf {
    let (source, root) = (crates().join(name), crates().join("../.."));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures");
    let target = target.join(edition).join(name);
    if target.exists() {
        fs::remove_dir_all(&target).expect("an old copy is removed");
    }
    copy_files(&source.join("src"), &target.join("src"));
    fs::copy(root.join("Cargo.lock"), target.join("Cargo.lock")).expect("a lock file");
    let manifest = fs::read_to_string(source.join("Cargo.toml")).expect("a manifest");
    assert!(manifest.contains("\nedition = \"2024\"\n"), "{manifest}");
    let root = root.canonicalize().expect("the root");
    let manifest = manifest
        .replace(
            "\nedition = \"2024\"\n",
            &format!("\nedition = \"{edition}\"\n"),
        )
        .replace("../../..", root.to_str().expect("a path of text"));
    fs::write(target.join("Cargo.toml"), manifest).expect("a manifest is written");
    target.join("Cargo.toml")
}

fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("the files of a fixture") {
        let entry = entry.expect("a file");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}

/// Whether a command of Cargo succeeds, and what it says.
fn run(command: &[&str], manifest: &Path) -> (bool, String) {
    let mut output = run_with(command, &["--offline"], manifest);
    // Cargo names the option when a download would have helped.
    if !output.status.success() && text(&output).contains("offline") {
        output = run_with(command, &[], manifest);
    }
    (output.status.success(), text(&output))
}

fn run_with(command: &[&str], options: &[&str], manifest: &Path) -> Output {
    let mut cargo = cargo();
    cargo.args(command).args(options);
    cargo.arg("--manifest-path").arg(manifest);
    cargo
        .arg("--target-dir")
        .arg(concat!(env!("CARGO_TARGET_TMPDIR"), "/hygiene"));
    cargo.output().expect("cargo runs")
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
