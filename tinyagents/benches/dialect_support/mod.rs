//! Texts that look at the same places again and again, of any length.

use serde_json::json;
use tinyagents::ToolSchema;

/// Two tools.
pub fn schemas() -> Vec<ToolSchema> {
    vec![
        ToolSchema::new(
            "search",
            "Search the web for pages.",
            json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "What to look for." },
                    "limit": { "type": "integer", "minimum": 1, "maximum": 50, "default": 10, "description": "How many results." }
                },
                "required": ["query"],
                "additionalProperties": false
            }),
        ),
        ToolSchema::new(
            "save_file",
            "Save a file.",
            json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string", "description": "Path in the workspace." },
                    "content": { "type": "string", "description": "The whole new content." },
                    "mode": { "type": "string", "enum": ["create", "replace"], "description": "What to do if it is there." }
                },
                "required": ["path", "content"],
                "additionalProperties": false
            }),
        ),
    ]
}

/// Makes a text of some length.
pub type Make = fn(usize) -> String;

/// Texts of one kind each.
pub fn texts() -> [(&'static str, Make); 15] {
    fn repeat(part: &str, size: usize) -> String {
        part.repeat(size / part.len() + 1)
    }
    [
        ("prose", |size| {
            repeat(
                "Some words, a <b>tag</b>, a [link](x), `code` and\na new line. ",
                size,
            )
        }),
        ("one_call", |size| {
            let content = repeat("let x = \"<a>\"; // and so on\n", size);
            let call =
                json!({ "name": "save_file", "arguments": { "path": "a", "content": content } });
            format!("<tool_call>{call}</tool_call>")
        }),
        ("many_calls", |size| {
            repeat(
                "<tool_call>{\"name\":\"search\",\"arguments\":{\"query\":\"x\"}}</tool_call>\n",
                size,
            )
        }),
        ("parameters", |size| {
            format!(
                "<function=search>{}",
                repeat("<parameter=a>\nx\n</parameter>\n", size)
            )
        }),
        ("brackets", |size| repeat("<[<[", size)),
        ("openers", |size| repeat("<tool_call>{\"a\":\"", size)),
        ("open_tags", |size| repeat("<search><query><![CDATA[", size)),
        ("held", |size| repeat("search(\"x\")\n\n", size) + "end"),
        ("spaces", |size| format!("<tool_call>{}", repeat(" ", size))),
        ("spaces_after_a_value", |size| {
            format!(
                "<function=search>\n<parameter=a>\nx\n</parameter>{}",
                repeat(" ", size)
            )
        }),
        ("spaces_after_a_tag", |size| {
            format!("<search><query>x</query>{}", repeat(" ", size))
        }),
        ("passages", |size| {
            repeat("<|channel|>analysis<|message|>Hm.<|end|>", size)
        }),
        ("fields", |size| {
            format!("<search>{}</search>", repeat("<query>x</query>", size))
        }),
        ("headers", |size| {
            repeat(&format!("<|tool_call_begin|>{}", "x".repeat(400)), size)
        }),
        ("angles", |size| repeat("<", size)),
    ]
}
