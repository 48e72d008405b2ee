//! A tool catalogue, as the many who have one write it.

use anyhow::Context as _;
use tinyagents::model::ToolSchema;
use tinytools::serde_json::{self, Value};

/// Reads a list of tools, an object with `tools`, or one tool per line. A tool has `name`, `description`, and its schema
/// under `parameters`, `input_schema` or `inputSchema`; it may be wrapped in `function`.
pub(crate) fn read_catalogue(text: &str) -> anyhow::Result<Vec<ToolSchema>> {
    let tools = match serde_json::from_str(text) {
        Ok(Value::Array(tools)) => tools,
        Ok(Value::Object(mut object)) => match object.shift_remove("tools") {
            Some(Value::Array(tools)) => tools,
            _ => vec![Value::Object(object)],
        },
        _ => lines(text)?,
    };
    tools.iter().map(read_tool).collect()
}

fn lines(text: &str) -> anyhow::Result<Vec<Value>> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .enumerate()
        .map(|(number, line)| {
            serde_json::from_str(line).with_context(|| format!("tool {} is no JSON", number + 1))
        })
        .collect()
}

fn read_tool(tool: &Value) -> anyhow::Result<ToolSchema> {
    let tool = tool.get("function").unwrap_or(tool);
    let name = tool.get("name").and_then(Value::as_str);
    let name = name.with_context(|| format!("a tool has no name: {tool}"))?;
    let description = tool.get("description").and_then(Value::as_str);
    let schema = ["parameters", "input_schema", "inputSchema"]
        .into_iter()
        .find_map(|key| tool.get(key));
    let schema = schema.with_context(|| format!("the tool `{name}` has no schema"))?;
    Ok(ToolSchema::new(
        name,
        description.unwrap_or_default(),
        schema.clone(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalogue_is_read_in_any_of_its_forms() -> anyhow::Result<()> {
        let tool = r#"{"name":"now","description":"The time.","inputSchema":{"type":"object"}}"#;
        for text in [
            format!("[{tool}]"),
            format!("{{\"tools\":[{tool}]}}"),
            format!("{tool}\n"),
            format!("[{{\"type\":\"function\",\"function\":{tool}}}]"),
        ] {
            let tools = read_catalogue(&text)?;
            assert_eq!((tools.len(), tools[0].name.as_str()), (1, "now"), "{text}");
        }
        assert_eq!(read_catalogue(&format!("{tool}\n\n{tool}\n"))?.len(), 2);
        assert!(read_catalogue(r#"[{"name":"now"}]"#).is_err());
        assert!(read_catalogue("no JSON").is_err());
        Ok(())
    }
}
