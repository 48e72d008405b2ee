//! What a model reads when its call can't run.

use serde_json::Value;

use crate::clip::clip_bytes;
use crate::model::ToolSchema;
use crate::schema::ArgumentError;

/// Longest echo of a name, arguments or a part of a schema, in bytes.
const MAX_ECHO: usize = 1024;
/// Longest list of available tools, in bytes.
const MAX_LIST: usize = 2048;
/// Longest echo of a name, in bytes.
const MAX_NAME: usize = 128;
/// Most faults that are told one by one; a model mends these first anyway.
const MAX_FAULTS: usize = 20;

/// The requested name, its arguments, and what could be called instead.
pub(super) fn unknown_tool<'a>(
    name: &str,
    arguments: &Value,
    available: impl Iterator<Item = &'a str>,
) -> String {
    let echo = match arguments {
        Value::String(text) => clip_bytes(text, MAX_ECHO),
        arguments => clip_bytes(&arguments.to_string(), MAX_ECHO),
    };
    let mut list = String::new();
    let mut missing = 0_usize;
    for name in available {
        if missing > 0 || list.len() + name.len() + 2 > MAX_LIST {
            missing += 1;
            continue;
        }
        if !list.is_empty() {
            list.push_str(", ");
        }
        list.push_str(name);
    }
    let list = match (list.is_empty(), missing) {
        (true, _) => "no tool is available".to_owned(),
        (false, 0) => format!("available tools: {list}"),
        (false, missing) => format!("available tools: {list}, and {missing} more"),
    };
    format!(
        "unknown tool `{}`, called with {echo}; {list}",
        clip_bytes(name, MAX_NAME)
    )
}

/// The arguments are no JSON at all.
pub(super) fn unparseable(tool: &str, reason: &str) -> String {
    format!(
        "the arguments of `{}` are not valid JSON: {}; send one complete JSON object",
        clip_bytes(tool, MAX_NAME),
        clip_bytes(reason, MAX_ECHO)
    )
}

/// The faults, then the part of the schema that the first one breaks.
pub(super) fn invalid_arguments(schema: &ToolSchema, faults: &[ArgumentError]) -> String {
    let mut text = format!("invalid arguments for `{}`:", schema.name);
    for fault in faults.iter().take(MAX_FAULTS) {
        text.push_str("\n- ");
        text.push_str(&fault.to_string());
    }
    if let Some(more @ 1..) = faults.len().checked_sub(MAX_FAULTS) {
        text.push_str("\n… and ");
        text.push_str(&more.to_string());
        text.push_str(" more");
    }
    let first = faults.first();
    let schema = first.and_then(|fault| schema.parameters.pointer(&fault.schema_path));
    if let Some(schema) = schema {
        text.push_str("\nschema");
        // Of one fault alone, the line before says whose it is.
        if let [ArgumentError { path, .. }, _, ..] = faults
            && !path.is_empty()
        {
            text.push_str(" of `");
            text.push_str(&clip_bytes(path, MAX_NAME));
            text.push('`');
        }
        text.push_str(": ");
        text.push_str(&clip_bytes(&schema.to_string(), MAX_ECHO));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_unknown_tool_is_named_with_its_arguments_and_the_alternatives() {
        let text = unknown_tool(
            "missing",
            &json!({ "a": 1 }),
            ["add", "weather"].into_iter(),
        );
        assert_eq!(
            text,
            "unknown tool `missing`, called with {\"a\":1}; available tools: add, weather"
        );
    }

    #[test]
    fn of_several_faults_it_is_said_whose_schema_is_shown() {
        let parameters = json!({
            "type": "object", "properties": { "city": { "type": "string" }, "days": { "type": "integer" } }
        });
        let validator = crate::schema::Validator::compile(&parameters).unwrap();
        let schema = ToolSchema::new("weather", "", parameters);
        let told = |arguments| {
            let faults = validator.validate(&arguments).unwrap_err();
            let text = invalid_arguments(&schema, &faults);
            text.lines().last().unwrap().to_owned()
        };
        assert_eq!(told(json!({ "city": 1 })), r#"schema: {"type":"string"}"#);
        assert_eq!(
            told(json!({ "city": 1, "days": "x" })),
            r#"schema of `city`: {"type":"string"}"#
        );
    }

    #[test]
    fn a_long_list_of_tools_is_capped_and_says_how_many_are_left_out() {
        let names: Vec<String> = (0..1000).map(|index| format!("tool_{index:04}")).collect();
        let text = unknown_tool("x", &json!({}), names.iter().map(String::as_str));
        assert!(text.len() < 2300, "{}", text.len());
        assert!(text.ends_with(" more"), "{text}");
    }
}
