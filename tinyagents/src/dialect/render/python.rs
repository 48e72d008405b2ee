//! Calls with keyword arguments, tools as functions with a docstring.

use serde_json::Value;

use super::ptype::{by_name, callable, is_callable, is_identifier};
use super::signature::{Words, arguments, description, one_line, said};
use super::speech::Speech;
use crate::dialect::properties::Property;
use crate::model::{ToolCall, ToolSchema};

pub(super) struct Python;

const WORDS: Words = Words {
    string: "str",
    integer: "int",
    number: "float",
    boolean: "bool",
    null: "None",
    any: "Any",
    object: "dict",
    list: |items| format!("list[{items}]"),
    choice: |values| format!("Literal[{}]", values.join(", ")),
    fields: None,
};

impl Speech for Python {
    fn protocol(&self) -> String {
        "Call a tool by writing it as a Python call with keyword arguments and literal values, alone on its line, after all \
         other text: `tool_name(argument=\"value\", limit=5)`."
            .to_owned()
    }

    fn entry(&self, schema: &ToolSchema) -> Option<String> {
        if !is_callable(&schema.name) {
            return None;
        }
        let root = &schema.parameters;
        let all = arguments(schema);
        // Python wants those with a default last.
        let (required, others): (Vec<_>, Vec<_>) =
            all.iter().partition(|argument| argument.is_required);
        let mut parameters: Vec<String> = required
            .iter()
            .chain(&others)
            .filter(|argument| is_identifier(argument.name))
            .map(|argument| {
                let ty = WORDS.ty(root, argument);
                let default = if argument.is_required {
                    String::new()
                } else {
                    let default = said(argument, "default").unwrap_or(&Value::Null);
                    format!(" = {}", literal(default))
                };
                format!("{}: {ty}{default}", argument.name)
            })
            .collect();
        let mut lines = vec![docstring(&one_line(&schema.description))];
        for argument in &all {
            let text = description(argument);
            let name = if is_identifier(argument.name) {
                argument.name.to_owned()
            } else {
                in_object(argument, &WORDS.ty(root, argument))
            };
            if let Some(text) = text {
                lines.push(docstring(&format!("{name}: {}", one_line(text))));
            } else if name != argument.name {
                lines.push(docstring(&name));
            }
        }
        if all.iter().any(|argument| !is_identifier(argument.name)) {
            parameters.push("**others".to_owned());
        }
        Some(format!(
            "def {}({}) -> str:\n    \"\"\"{}\"\"\"",
            schema.name,
            parameters.join(", "),
            lines.join("\n    ")
        ))
    }

    fn call(&self, call: &ToolCall, _: &ToolSchema) -> Option<String> {
        let object = callable(call)?;
        Some(format!(
            "{}({})",
            call.name,
            by_name(object.iter(), literal).join(", ")
        ))
    }
}

/// An argument whose name no parameter can have, as it is given behind `**`.
fn in_object(argument: &Property<'_>, ty: &str) -> String {
    let quoted = Value::from(argument.name).to_string();
    let name = quoted[1..quoted.len() - 1]
        .replace("\\\"", "\"")
        .replace('\'', "\\'");
    let optional = if argument.is_required {
        ""
    } else {
        " (optional)"
    };
    format!("**{{'{name}': {ty}}}{optional}")
}

/// Text that doesn't end the docstring.
fn docstring(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// A value as Python writes it.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(_) | Value::String(_) => value.to_string(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(object) => {
            let entries: Vec<String> = object
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), literal(value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}
