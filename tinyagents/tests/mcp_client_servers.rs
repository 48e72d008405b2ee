//! Against servers that others wrote, where there are any: `.ci/run mcp_servers` installs them, and says by which command
//! lines they start and at which address one of them is. Each of their tools is called at least once.
#![cfg(feature = "mcp")]
#![allow(clippy::unwrap_used, reason = "test code")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};
use tinyagents::mcp::{McpHttp, McpToolSet, McpTransport};
use tinyagents::toolset::ToolSet;
use tinyagents::{
    AgentEvent, Dispatcher, EventLog, RunContext, ToolCall, ToolContent, ToolMessage, ToolRegistry,
};
use tokio::process::Command;

fn setting(variable: &str) -> Option<String> {
    let value = std::env::var(variable).ok();
    if value.is_none() {
        println!("skipped: {variable} is not set");
    }
    value
}

/// The server that a command line starts, with these arguments more.
fn started(line: &str, more: &[&Path]) -> McpTransport {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().unwrap());
    command.args(words).args(more);
    command.into()
}

/// What the rows of these calls say; the calls are made one after the other.
async fn called(set: &McpToolSet, log: &EventLog, calls: &[(&str, Value)]) -> Vec<ToolMessage> {
    let dispatcher = Dispatcher::new(ToolRegistry::new()).with_toolset(set.clone());
    let ctx = RunContext::new().with_events(log.clone());
    let calls = calls.iter().enumerate();
    let calls = calls
        .map(|(at, (name, arguments))| ToolCall::new(format!("c{at}"), *name, arguments.clone()));
    let batch = dispatcher
        .dispatch(&(), &ctx, calls.collect())
        .await
        .unwrap();
    batch.messages
}

/// Calls every tool of the set with its arguments in the table: the rows by name. A tool without is a failure.
async fn all_called(
    set: &McpToolSet,
    log: &EventLog,
    calls: Vec<(&str, Value)>,
) -> BTreeMap<String, ToolMessage> {
    assert_eq!(set.left_out(), []);
    let shown = set.tools(&RunContext::new()).await.unwrap();
    let shown: BTreeSet<String> = shown.iter().map(|tool| tool.name().to_owned()).collect();
    let table: BTreeSet<String> = calls.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(shown, table);
    let rows = called(set, log, &calls).await;
    let rows = rows.into_iter().map(|row| (row.tool_name.clone(), row));
    rows.collect()
}

/// Calls everything, and gives what the server says of its environment.
async fn everything(transport: McpTransport) -> String {
    let set = McpToolSet::builder(transport).with_name("everything");
    let set = set.connect().await.unwrap();
    let log = EventLog::new();
    let calls = vec![
        ("echo", json!({ "message": "smørrebrød 🥪" })),
        (
            "get_annotated_message",
            json!({ "messageType": "error", "includeImage": true }),
        ),
        ("get_env", json!({})),
        ("get_resource_links", json!({ "count": 2 })),
        (
            "get_resource_reference",
            json!({ "resourceType": "Blob", "resourceId": 1 }),
        ),
        ("get_structured_content", json!({ "location": "Chicago" })),
        ("get_sum", json!({ "a": 2, "b": 3 })),
        ("get_tiny_image", json!({})),
        (
            "gzip_file_as_resource",
            json!({ "name": "a.gz", "data": "data:text/plain,hi", "outputType": "resource" }),
        ),
        ("simulate_research_query", json!({ "topic": "tools" })),
        ("toggle_simulated_logging", json!({})),
        ("toggle_subscriber_updates", json!({})),
        (
            "trigger_long_running_operation",
            json!({ "duration": 0.2, "steps": 2 }),
        ),
    ];
    let rows = all_called(&set, &log, calls).await;
    let content = |name: &str| rows[name].content.as_str();
    for (name, row) in &rows {
        // That one runs as a task alone, which this client doesn't offer.
        assert_eq!(
            row.is_error,
            name == "simulate_research_query",
            "{name}: {row:?}"
        );
    }
    assert_eq!(content("echo"), "Echo: smørrebrød 🥪");
    assert!(content("get_sum").contains("2 and 3 is 5"));
    assert!(
        content("simulate_research_query").contains("task"),
        "{}",
        content("simulate_research_query")
    );
    let weather: Value = serde_json::from_str(content("get_structured_content")).unwrap();
    assert!(weather["temperature"].is_number(), "{weather}");
    let blocks = |name: &str| &rows[name].blocks;
    let is_png = |block: &ToolContent| matches!(block, ToolContent::Image { media_type: Some(ty), .. } if ty == "image/png");
    assert!(blocks("get_tiny_image").iter().any(is_png));
    assert!(blocks("get_annotated_message").iter().any(is_png));
    let links = blocks("get_resource_links").iter();
    let links = links.filter(|block| matches!(block, ToolContent::Artifact { .. }));
    assert_eq!(links.count(), 2);
    for name in ["get_resource_reference", "gzip_file_as_resource"] {
        let is_file = |block: &ToolContent| matches!(block, ToolContent::File { .. });
        assert!(blocks(name).iter().any(is_file), "{:?}", rows[name]);
    }
    let reports = log.events().into_iter().filter(|event| {
        matches!(event, AgentEvent::ToolProgress { tool_name, progress, .. }
            if tool_name == "trigger_long_running_operation" && progress.total == Some(2.0))
    });
    assert!(reports.count() >= 1);
    let bad = [
        ("echo", json!({})),
        ("get_sum", json!({ "a": "two", "b": 3 })),
    ];
    for row in called(&set, &log, &bad).await {
        assert!(row.is_error, "{row:?}");
    }
    set.close().await;
    content("get_env").to_owned()
}

#[tokio::test]
async fn every_tool_of_everything_answers_over_standard_input_and_output() {
    let Some(line) = setting("TINYAGENTS_MCP_EVERYTHING") else {
        return;
    };
    let environment = everything(started(&line, &[])).await;
    assert!(
        environment.contains("PATH") && !environment.contains("CARGO"),
        "the host's environment is not its child's: {environment}"
    );
}

#[tokio::test]
async fn every_tool_of_everything_answers_over_http() {
    let Some(address) = setting("TINYAGENTS_MCP_EVERYTHING_HTTP") else {
        return;
    };
    everything(McpTransport::http(McpHttp::new(address))).await;
}

#[tokio::test]
async fn every_tool_of_filesystem_answers_and_its_files_are_there() {
    let Some(line) = setting("TINYAGENTS_MCP_FILESYSTEM") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let path = |name: &str| root.join(name).to_str().unwrap().to_owned();
    std::fs::write(root.join("a.txt"), "one\ntwo\nthree\n").unwrap();
    std::fs::write(root.join("p.png"), [0x89, b'P', b'N', b'G']).unwrap();
    let set = McpToolSet::builder(started(&line, &[&root])).trusting_server();
    let set = set.connect().await.unwrap();
    let log = EventLog::new();
    let calls = vec![
        ("create_directory", json!({ "path": path("sub") })),
        (
            "write_file",
            json!({ "path": path("b.txt"), "content": "alpha\nbeta\n" }),
        ),
        (
            "edit_file",
            json!({ "path": path("b.txt"), "edits": [{ "oldText": "beta", "newText": "gamma" }] }),
        ),
        (
            "move_file",
            json!({ "source": path("b.txt"), "destination": path("sub/c.txt") }),
        ),
        ("read_file", json!({ "path": path("a.txt"), "head": 1 })),
        ("read_text_file", json!({ "path": path("sub/c.txt") })),
        ("read_media_file", json!({ "path": path("p.png") })),
        (
            "read_multiple_files",
            json!({ "paths": [path("a.txt"), path("sub/c.txt")] }),
        ),
        ("list_directory", json!({ "path": root })),
        ("list_directory_with_sizes", json!({ "path": root })),
        ("directory_tree", json!({ "path": root })),
        ("search_files", json!({ "path": root, "pattern": "**/c.*" })),
        ("get_file_info", json!({ "path": path("a.txt") })),
        ("list_allowed_directories", json!({})),
    ];
    let rows = all_called(&set, &log, calls).await;
    for (name, row) in &rows {
        assert!(!row.is_error, "{name}: {row:?}");
    }
    let content = |name: &str| rows[name].content.as_str();
    assert!(content("read_file").contains("one") && !content("read_file").contains("two"));
    assert!(
        content("read_text_file").contains("alpha\\ngamma"),
        "{}",
        content("read_text_file")
    );
    assert!(content("search_files").contains("sub/c.txt"));
    assert_eq!(
        std::fs::read_to_string(root.join("sub/c.txt")).unwrap(),
        "alpha\ngamma\n"
    );
    let tools = set.tools(&RunContext::new()).await.unwrap();
    let policy = |name: &str| {
        tools
            .iter()
            .find(|tool| tool.name() == name)
            .unwrap()
            .policy()
    };
    assert!(policy("read_file").side_effects.read_only);
    assert!(policy("write_file").side_effects.destructive);

    let outside = [("read_text_file", json!({ "path": "/etc/passwd" }))];
    let row = called(&set, &log, &outside).await.remove(0);
    assert!(row.is_error && row.content.contains("denied"), "{row:?}");
    set.close().await;
}
