//! MCP servers that are processes of ours: what they get, how they end, and that nothing is left of them.

#![cfg(all(feature = "mcp", target_os = "linux"))]
#![allow(missing_docs, clippy::unwrap_used)]

mod mcp_client_support;

use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use mcp_client_support::{names, only};
use tinyagents::mcp::{McpError, McpLimits, McpToolSet};
use tinyagents::toolset::ToolSet;
use tinyagents::{RunContext, TinyAgentsError, ToolResult};
use tokio::process::Command;
use tokio::signal::unix::{SignalKind, signal};

/// Speaks the protocol for as long as it takes to list one tool; ids are counted from 0.
const GREETING: &str = r#"
read -r line
echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}'
read -r line
read -r line
echo '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}}'
say() { echo '{"jsonrpc":"2.0","id":'$1',"result":{"content":[{"type":"text","text":"'$2'"}]}}'; }
"#;

fn server(then: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{GREETING}\n{then}"));
    command
}

/// Answers every call with its process id, until its input ends.
const WELL_BEHAVED: &str = r"id=2; while read -r line; do say $id $$; id=$((id + 1)); done";

fn impatient() -> McpLimits {
    McpLimits {
        close_timeout: Duration::from_millis(50),
        ..McpLimits::default()
    }
}

async fn call(set: &McpToolSet) -> Result<ToolResult, TinyAgentsError> {
    set.call("a", serde_json::json!({}), &RunContext::new())
        .await
}

async fn process_of(set: &McpToolSet) -> u32 {
    call(set).await.unwrap().text().parse().unwrap()
}

/// Whether there is anything left of a process, a zombie included.
fn is_there(process: u32) -> bool {
    Path::new(&format!("/proc/{process}")).exists()
}

/// Waits until nothing is left of a process. The signal of its end would not do: it comes before the process is waited
/// for, which another test's runtime may be doing.
async fn gone(process: u32) {
    while is_there(process) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_server_is_started_called_and_gone_when_it_is_closed() {
    let set = McpToolSet::connect(server(WELL_BEHAVED)).await.unwrap();
    assert_eq!(names(&set).await, ["a"]);
    let process = process_of(&set).await;
    assert!(is_there(process));
    set.close().await;
    assert!(!is_there(process));
}

#[tokio::test]
async fn a_dropped_set_leaves_no_process_and_no_zombie() {
    let set = McpToolSet::connect(server(WELL_BEHAVED)).await.unwrap();
    let process = process_of(&set).await;
    drop(set);
    gone(process).await;
}

#[tokio::test]
async fn a_server_that_ignores_the_end_of_its_input_is_asked_and_then_killed() {
    for stubborn in [
        "sleep 1000 >&-",
        "trap '' TERM; sleep 1000 >&-; sleep 1000 >&-",
    ] {
        let then = format!("read -r line; say 2 $$; {stubborn}");
        let set = McpToolSet::builder(server(&then)).with_limits(impatient());
        let set = set.connect().await.unwrap();
        let process = process_of(&set).await;
        let begun = Instant::now();
        set.close().await;
        assert!(!is_there(process));
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}

/// A pipe that processes hold open for as long as they live.
struct Lifeline(tempfile::TempDir);

impl Lifeline {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut make = std::process::Command::new("mkfifo");
        make.arg(folder.path().join("line"));
        assert!(make.status().unwrap().success());
        Self(folder)
    }

    /// What a shell has to do to hold it, and all that it starts from then on.
    fn held(&self) -> String {
        format!("exec 9>{}", self.0.path().join("line").display())
    }

    /// Waits until nobody holds it.
    fn ended(&self) -> impl FnOnce() + Send + 'static {
        let path = self.0.path().join("line");
        let (opened, is_open) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || {
            let mut line = std::fs::File::open(path).unwrap();
            opened.send(()).unwrap();
            line.read_to_end(&mut Vec::new()).unwrap();
        });
        move || {
            is_open.recv().unwrap();
            reader.join().unwrap();
        }
    }
}

#[tokio::test]
async fn what_the_server_has_started_is_stopped_with_it() {
    let lifeline = Lifeline::new();
    let ended = lifeline.ended();
    let then = format!(
        "{}\nsleep 300 >&- 2>&- &\nread -r line; say 2 $!; read -r line",
        lifeline.held()
    );
    let set = McpToolSet::builder(server(&then)).with_limits(impatient());
    let set = set.connect().await.unwrap();
    assert!(is_there(process_of(&set).await));
    let begun = Instant::now();
    set.close().await;
    tokio::task::spawn_blocking(ended).await.unwrap();
    assert!(
        begun.elapsed() < Duration::from_secs(100),
        "it was not the end of its sleep"
    );
}

#[tokio::test]
async fn a_server_that_is_killed_in_the_middle_is_started_again_by_the_next_call() {
    // Where the file is not there yet, the server dies in its first call.
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("died");
    let then = format!(
        "if [ ! -e {mark} ]; then read -r line; echo $$ > {mark}; kill -9 $$; fi\n{WELL_BEHAVED}",
        mark = mark.display()
    );
    let set = McpToolSet::connect(server(&then)).await.unwrap();
    let error = format!(
        "{:#}",
        only(&set)
            .await
            .execute(serde_json::json!({}))
            .await
            .unwrap_err()
    );
    assert!(
        error.contains("went away before it answered; its effect may have happened"),
        "{error}"
    );
    let first: u32 = std::fs::read_to_string(&mark)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let second = process_of(&set).await;
    assert_ne!(first, second);
    gone(first).await;
    set.close().await;
    assert!(!is_there(second));
}

#[tokio::test]
async fn a_program_that_is_none_or_no_server_is_an_error() {
    let none = McpToolSet::connect(Command::new("/nothing/here")).await;
    let Err(McpError::Unreachable { server, reason }) = none else {
        unreachable!()
    };
    assert_eq!(server, "/nothing/here");
    assert!(reason.contains("No such file"), "{reason}");
    for program in ["true", "cat"] {
        let outcome = McpToolSet::builder(Command::new(program)).with_limits(McpLimits {
            connect_timeout: Duration::from_secs(2),
            ..impatient()
        });
        assert!(outcome.connect().await.is_err(), "{program}");
    }
}

#[tokio::test]
async fn a_server_that_is_given_up_while_it_starts_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("process");
    let script = format!(
        "echo $$ > {0}.new; mv {0}.new {0}; kill -USR1 $PPID; sleep 1000",
        mark.display()
    );
    let mut begun = signal(SignalKind::user_defined1()).unwrap();
    let mut command = Command::new("sh");
    command.arg("-c").arg(script);
    let attempt = tokio::spawn(McpToolSet::connect(command));
    begun.recv().await;
    let process = std::fs::read_to_string(&mark)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    attempt.abort();
    gone(process).await;
}

#[tokio::test]
async fn the_hosts_keys_stay_with_the_host() {
    let then =
        r"read -r line; say 2 $(env | grep -v '^[^=]* ' | cut -d= -f1 | tr '\n' ,); read -r line";
    let mut command = server(then);
    command.env("OWN", "1").env_remove("HOME");
    let set = McpToolSet::connect(command).await.unwrap();
    let text = call(&set).await.unwrap().text();
    let names: Vec<&str> = text.split(',').filter(|name| !name.is_empty()).collect();
    assert!(
        names.contains(&"PATH") && names.contains(&"OWN"),
        "{names:?}"
    );
    // Cargo's are there, to begin with; what a shell sets itself is no inheritance.
    let known = "LANG LC_ALL LOGNAME OLDPWD OWN PATH PWD SHELL SHLVL TERM TMPDIR USER _";
    let foreign = names
        .iter()
        .find(|name| !known.split(' ').any(|known| known == **name));
    assert_eq!(foreign, None);
}

#[test]
fn a_runtime_that_ends_takes_the_server_with_it() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let lifeline = Lifeline::new();
    let ended = lifeline.ended();
    let then = format!(
        "{}\nread -r line; say 2 $$; exec sleep 300 >&-",
        lifeline.held()
    );
    runtime.block_on(async {
        let set = McpToolSet::connect(server(&then)).await.unwrap();
        process_of(&set).await;
        std::mem::forget(set);
    });
    let begun = Instant::now();
    drop(runtime);
    ended();
    assert!(
        begun.elapsed() < Duration::from_secs(100),
        "it was not the end of its sleep"
    );
}
