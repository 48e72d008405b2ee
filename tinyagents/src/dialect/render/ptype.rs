//! Calls by place, tools as one signature line each.

use serde_json::{Map, Value};

use super::signature::{Words, arguments, braces, one_line, optional};
use super::speech::Speech;
use crate::dialect::grammar;
use crate::model::{ToolCall, ToolSchema};

pub(super) struct PType;

const WORDS: Words = Words {
    string: "str",
    integer: "int",
    number: "num",
    boolean: "bool",
    null: "null",
    any: "any",
    object: "object",
    list: |items| format!("[{items}]"),
    choice: |values| values.join("|"),
    fields: Some(braces),
};

impl Speech for PType {
    fn protocol(&self) -> String {
        "Call a tool by writing it as a function call, alone on its line, after all other text. Arguments are JSON values in \
         the order of the signature; leave out optional ones (`?`) at the end, or name those you give: \
         `tool_name(\"value\", limit=5)`."
            .to_owned()
    }

    fn entry(&self, schema: &ToolSchema) -> Option<String> {
        if !is_callable(&schema.name) {
            return None;
        }
        let root = &schema.parameters;
        let all = arguments(schema);
        let parameters: Vec<String> = grammar::order(schema)
            .iter()
            .map(
                |name| match all.iter().find(|argument| argument.name == *name) {
                    Some(argument) => {
                        let ty = WORDS.ty(root, argument);
                        format!("{}: {ty}", optional(name, argument.is_required))
                    }
                    None => optional(name, false),
                },
            )
            .collect();
        let signature = format!("{}({})", schema.name, parameters.join(", "));
        Some(match one_line(&schema.description) {
            description if description.is_empty() => signature,
            description => format!("{signature} - {description}"),
        })
    }

    fn call(&self, call: &ToolCall, schema: &ToolSchema) -> Option<String> {
        let object = callable(call)?;
        let order = grammar::order(schema);
        let mut by_place: Vec<&Value> = order.iter().map_while(|name| object.get(*name)).collect();
        // Alone in the parentheses, an object would be taken for all arguments at once.
        if let [Value::Object(_)] = by_place.as_slice() {
            by_place.clear();
        }
        let mut written: Vec<String> = by_place.iter().map(ToString::to_string).collect();
        let placed = &order[..by_place.len()];
        let named = object
            .iter()
            .filter(|(key, _)| !placed.contains(&key.as_str()));
        written.extend(by_name(named, Value::to_string));
        Some(format!("{}({})", call.name, written.join(", ")))
    }
}

/// The arguments of a call that can be written as an expression.
pub(super) fn callable(call: &ToolCall) -> Option<&Map<String, Value>> {
    call.arguments
        .as_object()
        .filter(|_| is_callable(&call.name))
}

/// Whether a tool of this name can be called by an expression or a tag.
pub(super) fn is_callable(name: &str) -> bool {
    is_identifier(&name.replace(['-', '.'], "_")) && !name.starts_with(['-', '.'])
}

/// Arguments by name; those whose name is no identifier together behind `**`.
pub(super) fn by_name<'a>(
    named: impl Iterator<Item = (&'a String, &'a Value)>,
    write: fn(&Value) -> String,
) -> Vec<String> {
    let mut written = Vec::new();
    let mut others = Map::new();
    for (key, value) in named {
        if is_identifier(key) {
            written.push(format!("{key}={}", write(value)));
        } else {
            others.insert(key.clone(), value.clone());
        }
    }
    if !others.is_empty() {
        written.push(format!("**{}", write(&Value::Object(others))));
    }
    written
}

/// Whether a name can stand before `=` and as a bare key.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|next| next.is_ascii_alphanumeric() || next == '_')
}
