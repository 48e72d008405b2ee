//! Calls with one object of arguments, tools as functions.

use serde_json::Value;

use super::ptype::{by_name, callable, is_callable, is_identifier};
use super::signature::{Words, arguments, description, one_line, optional};
use super::speech::Speech;
use crate::dialect::grammar;
use crate::model::{ToolCall, ToolSchema};

pub(super) struct TypeScript;

const WORDS: Words = Words {
    string: "string",
    integer: "number",
    number: "number",
    boolean: "boolean",
    null: "null",
    any: "unknown",
    object: "object",
    list: |items| {
        if items.contains(' ') {
            format!("({items})[]")
        } else {
            format!("{items}[]")
        }
    },
    choice: |values| values.join(" | "),
    fields: Some(|fields| {
        let fields: Vec<String> = fields
            .iter()
            .map(|(name, ty, is_required)| format!("{}: {ty}", optional(name, *is_required)))
            .collect();
        format!("{{ {} }}", fields.join("; "))
    }),
};

impl Speech for TypeScript {
    fn protocol(&self) -> String {
        "Call a tool by writing it as a call with one object of literal values, alone on its line, after all other text: \
         `tool_name({ argument: \"value\", limit: 5 })`."
            .to_owned()
    }

    fn entry(&self, schema: &ToolSchema) -> Option<String> {
        if !is_callable(&schema.name) {
            return None;
        }
        let root = &schema.parameters;
        let all = arguments(schema);
        let fields: Vec<String> = all
            .iter()
            .map(|argument| {
                let ty = WORDS.ty(root, argument);
                format!("{}: {ty}", optional(argument.name, argument.is_required))
            })
            .collect();
        let parameters = if fields.is_empty() {
            String::new()
        } else {
            format!("args: {{ {} }}", fields.join("; "))
        };
        let mut comment = comment(&schema.description);
        for argument in &all {
            if let Some(text) = description(argument) {
                comment.push_str(&self::comment(&format!("@param {} {text}", argument.name)));
            }
        }
        Some(format!(
            "{comment}function {}({parameters}): string;",
            schema.name
        ))
    }

    fn call(&self, call: &ToolCall, schema: &ToolSchema) -> Option<String> {
        let object = callable(call)?;
        let order = grammar::order(schema);
        let is_declared = object.keys().all(|key| order.contains(&key.as_str()));
        let first_takes_object = order
            .first()
            .is_some_and(|first| grammar::takes_object(&schema.parameters, first));
        if !is_declared && first_takes_object {
            // The object would be read as the first argument.
            let named = by_name(object.iter(), Value::to_string);
            return Some(format!("{}({})", call.name, named.join(", ")));
        }
        if object.is_empty() {
            return Some(format!("{}({{}})", call.name));
        }
        let entries: Vec<String> = object
            .iter()
            .map(|(key, value)| {
                if is_identifier(key) {
                    format!("{key}: {value}")
                } else {
                    format!("{}: {value}", Value::from(key.as_str()))
                }
            })
            .collect();
        Some(format!("{}({{ {} }})", call.name, entries.join(", ")))
    }
}

/// One line of comment, which the text can't end.
fn comment(text: &str) -> String {
    match one_line(text) {
        line if line.is_empty() => String::new(),
        line => format!("// {line}\n"),
    }
}
