//! What the tests of searching for tools share.

#![allow(dead_code, missing_docs, unreachable_pub, clippy::unwrap_used)]

use serde_json::{Value, json};
use tinyagents::{Dispatcher, ToolCall, ToolExposure, ToolSchema};

use crate::toolset_support::{Echo, registry};

/// One tool that is there from the beginning, three to be found, and a hidden one.
pub fn tools() -> Vec<Echo> {
    let mut hidden = Echo::new("secret_wipe");
    hidden.exposure = ToolExposure::Hidden;
    let mut tagged = Echo::deferred("convert", "Change a value. Into another.");
    tagged.tags = vec!["currency".into()];
    vec![
        Echo::new("read"),
        Echo::deferred("create_issue", "Open an issue. In a repository.").schema(json!({
            "type": "object",
            "properties": { "title": { "type": "string" } },
            "required": ["title"],
        })),
        Echo::deferred("list_pull_requests", "List pull requests."),
        tagged,
        hidden,
    ]
}

/// A dispatcher of these tools.
pub fn dispatcher() -> Dispatcher {
    Dispatcher::new(registry(tools()))
}

/// A call that searches.
pub fn search(query: &str) -> ToolCall {
    ToolCall::new("s1", "tool_search", json!({ "query": query }))
}

/// A call through the bridge.
pub fn bridged(name: &str, arguments: Value) -> ToolCall {
    ToolCall::new(
        "b1",
        "tool_call",
        json!({ "name": name, "arguments": arguments }),
    )
}

/// The names of declarations.
pub fn shown(schemas: &[ToolSchema]) -> Vec<&str> {
    schemas.iter().map(|schema| schema.name.as_str()).collect()
}

/// The names that a search found.
pub fn found(text: &str) -> Vec<String> {
    let answer: Value = serde_json::from_str(text).unwrap();
    let tools = answer["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}
