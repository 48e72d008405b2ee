//! What `#[tool]` costs the compiler, beside the same tools written by hand with a derived struct each.
//!
//! `cargo bench -p tinytools-derive --bench compile_cost` generates crates of 50 and 200 tools with four parameters in
//! both styles, and times `cargo check` and a debug `cargo build` of each crate alone, with its dependencies already
//! built and nothing incremental. An empty crate with the same dependencies shows what Cargo itself takes of that.
//! The goal: checking 200 annotated tools takes at most a quarter of the derived ones.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

const TOOLS: [usize; 2] = [50, 200];
const RUNS: usize = 3;

const ANNOTATED: Style = Style {
    name: "annotated",
    header: "//! Tools.\n\nuse tinytools::tool;\n",
    tool: r#"
/// Find documents of kind NUMBER.
#[tool(read_only)]
pub async fn search_NUMBER(
    /// What to look for.
    query: String,
    #[arg(default = 10)] limit: u32,
    /// Words that a document must have.
    tags: Vec<String>,
    exact: Option<bool>,
) -> Result<String, String> {
    Ok(format!("{query} {limit} {tags:?} {exact:?}"))
}
"#,
};

const DERIVED: Style = Style {
    name: "derived",
    header: "//! Tools.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tinytools::{Tool, ToolPolicy, ToolResult, async_trait};

fn ten() -> u32 {
    10
}
",
    tool: r#"
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchNUMBERArgs {
    /// What to look for.
    query: String,
    #[serde(default = "ten")]
    limit: u32,
    /// Words that a document must have.
    tags: Vec<String>,
    exact: Option<bool>,
}

/// Find documents of kind NUMBER.
pub struct SearchNUMBERTool;

#[async_trait]
impl Tool for SearchNUMBERTool {
    fn name(&self) -> &str {
        "search_NUMBER"
    }

    fn description(&self) -> &str {
        "Find documents of kind NUMBER."
    }

    fn parameters_schema(&self) -> Value {
        schemars::schema_for!(SearchNUMBERArgs).to_value()
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::read_only()
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        let SearchNUMBERArgs { query, limit, tags, exact } = serde_json::from_value(args)?;
        Ok(ToolResult::success(format!("{query} {limit} {tags:?} {exact:?}")))
    }
}
"#,
};

fn main() -> Outcome<()> {
    // `cargo test --all-targets` runs a bench without this argument.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    println!(
        "{:>6} {:>6}  {:>9} {:>9}  {:>5}",
        "", "tools", "#[tool]", "derived", "ratio"
    );
    for command in ["check", "build"] {
        let empty = Crate::generate(&ANNOTATED, 0)?.time(command)?;
        println!("{command:>6} {:>6}  {:>7} ms", 0, empty.as_millis());
        for tools in TOOLS {
            let annotated = Crate::generate(&ANNOTATED, tools)?.time(command)?;
            let derived = Crate::generate(&DERIVED, tools)?.time(command)?;
            println!(
                "{command:>6} {tools:>6}  {:>7} ms {:>7} ms  {:>5.2}",
                annotated.as_millis(),
                derived.as_millis(),
                annotated.as_secs_f64() / derived.as_secs_f64(),
            );
        }
    }
    Ok(())
}

/// One way to write a tool. `NUMBER` in the text is the number of the tool.
struct Style {
    name: &'static str,
    header: &'static str,
    tool: &'static str,
}

/// A generated crate.
struct Crate {
    manifest: PathBuf,
    source: PathBuf,
    target: PathBuf,
}

impl Crate {
    fn generate(style: &Style, tools: usize) -> Outcome<Self> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .canonicalize()?;
        let name = format!("{}_{tools}", style.name);
        let root = workspace.join("target/compile-cost");
        let directory = root.join(&name);
        fs::create_dir_all(directory.join("src"))?;
        // The versions of the workspace, so that nothing is downloaded.
        fs::copy(workspace.join("Cargo.lock"), directory.join("Cargo.lock"))?;

        let this = Self {
            manifest: directory.join("Cargo.toml"),
            source: directory.join("src/lib.rs"),
            target: root.join("target"),
        };
        fs::write(&this.manifest, manifest(&name, &workspace))?;
        fs::write(&this.source, source(style, tools))?;
        Ok(this)
    }

    /// The shortest of some runs, after one that builds the dependencies.
    fn time(&self, command: &str) -> Outcome<Duration> {
        self.run(command)?;
        let mut shortest = Duration::MAX;
        for _ in 0..RUNS {
            fs::write(&self.source, fs::read(&self.source)?)?;
            let start = Instant::now();
            self.run(command)?;
            shortest = shortest.min(start.elapsed());
        }
        Ok(shortest)
    }

    fn run(&self, command: &str) -> Outcome<()> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args([command, "--quiet", "--offline"])
            .env("CARGO_INCREMENTAL", "0");
        cargo
            .arg("--manifest-path")
            .arg(&self.manifest)
            .arg("--target-dir")
            .arg(&self.target);
        let status = cargo.status()?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("cargo {command}: {status}").into())
        }
    }
}

fn manifest(name: &str, workspace: &Path) -> String {
    format!(
        r#"[package]
name = "{name}"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
anyhow = "1"
schemars = "1"
serde = {{ version = "1", features = ["derive"] }}
serde_json = "1"
tinytools = {{ path = "{}" }}
"#,
        workspace.join("tinytools").display()
    )
}

fn source(style: &Style, tools: usize) -> String {
    let mut source = String::new();
    if tools > 0 {
        source.push_str(style.header);
    }
    for number in 0..tools {
        let _ = write!(
            source,
            "{}",
            style.tool.replace("NUMBER", &number.to_string())
        );
    }
    source
}
