//! Crates that are generated to be built.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::style::Style;

const RUNS: usize = 3;

/// A generated crate, with the dependencies of the workspace, so that nothing is downloaded.
pub(crate) struct Generated {
    directory: PathBuf,
    target: PathBuf,
}

impl Generated {
    /// A library of so many tools.
    pub(crate) fn tools(style: &Style, tools: usize) -> Outcome<Self> {
        let tinytools = workspace()?.join("tinytools");
        let this = Self::new(
            &format!("{}_{tools}", style.name),
            &format!(
                r#"anyhow = "1"
schemars = "1"
serde = {{ version = "1", features = ["derive"] }}
serde_json = "1"
tinytools = {{ path = "{}" }}
"#,
                tinytools.display()
            ),
        )?;
        fs::write(this.source(), style.source(tools))?;
        Ok(this)
    }

    pub(crate) fn new(name: &str, dependencies: &str) -> Outcome<Self> {
        let workspace = workspace()?;
        let root = workspace.join("target/compile-cost");
        let directory = root.join(name);
        fs::create_dir_all(directory.join("src"))?;
        fs::copy(workspace.join("Cargo.lock"), directory.join("Cargo.lock"))?;
        let manifest = format!(
            r#"[package]
name = "{name}"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
{dependencies}"#
        );
        fs::write(directory.join("Cargo.toml"), manifest)?;
        Ok(Self {
            directory,
            target: root.join("target"),
        })
    }

    pub(crate) fn source(&self) -> PathBuf {
        self.directory.join("src/lib.rs")
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The shortest of some runs, after one that builds the dependencies.
    pub(crate) fn time(&self, command: &str) -> Outcome<Duration> {
        self.cargo(command, &[])?;
        let mut shortest = Duration::MAX;
        for _ in 0..RUNS {
            fs::write(self.source(), fs::read(self.source())?)?;
            let start = Instant::now();
            self.cargo(command, &[])?;
            shortest = shortest.min(start.elapsed());
        }
        Ok(shortest)
    }

    /// What the command prints.
    pub(crate) fn cargo(&self, command: &str, arguments: &[&Path]) -> Outcome<String> {
        let Output {
            status,
            stdout,
            stderr,
        } = Command::new(env!("CARGO"))
            .args([command, "--quiet", "--offline"])
            .arg("--manifest-path")
            .arg(self.directory.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&self.target)
            .args(arguments)
            .env("CARGO_INCREMENTAL", "0")
            .output()?;
        if status.success() {
            Ok(String::from_utf8(stdout)?)
        } else {
            let stderr = String::from_utf8_lossy(&stderr);
            Err(format!("cargo {command}: {status}\n{stderr}").into())
        }
    }
}

pub(crate) fn workspace() -> Outcome<PathBuf> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()?)
}
