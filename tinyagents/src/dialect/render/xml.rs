//! Calls as nested tags, tools as tags with types.

use serde_json::Value;

use super::ptype::is_callable;
use super::signature::{Words, arguments, braces, description, one_line};
use super::speech::Speech;
use crate::dialect::grammar::{CDATA, CDATA_END};
use crate::dialect::{envelope, grammar, kinds};
use crate::model::{ToolCall, ToolSchema};

pub(super) struct Xml;

const WORDS: Words = Words {
    string: "string",
    integer: "integer",
    number: "number",
    boolean: "boolean",
    null: "null",
    any: "any",
    object: "object",
    list: |items| format!("list of {items}"),
    choice: |values| values.join(" | "),
    fields: Some(braces),
};

/// Deepest objects that are written as tags; deeper ones are JSON.
const MAX_DEPTH: usize = 8;

impl Speech for Xml {
    fn protocol(&self) -> String {
        format!(
            "Call a tool by writing its name as a tag, with a tag for each argument in it:\n\
             <tool_name><argument>value</argument></tool_name>\n\
             Write objects as nested tags and a list by repeating its tag. Put text with `<` or `&` into {CDATA}…{CDATA_END}."
        )
    }

    fn entry(&self, schema: &ToolSchema) -> Option<String> {
        if !is_callable(&schema.name) {
            return None;
        }
        let root = &schema.parameters;
        let mut entry = String::new();
        for argument in &arguments(schema) {
            let ty = envelope::attribute(&WORDS.ty(root, argument));
            let text = description(argument);
            let text = one_line(text.unwrap_or_default());
            let optional = if argument.is_required {
                ""
            } else {
                " optional=\"true\""
            };
            let (open, close) = tags(argument.name, true);
            let open = open.trim_end_matches('>');
            let text = envelope::attribute(&text);
            entry.extend([
                format!("  {open} type=\"{ty}\"{optional}>"),
                text,
                close,
                "\n".to_owned(),
            ]);
        }
        let text = envelope::attribute(&one_line(&schema.description));
        Some(format!(
            "<{name} description=\"{text}\">\n{entry}</{name}>",
            name = schema.name
        ))
    }

    fn call(&self, call: &ToolCall, schema: &ToolSchema) -> Option<String> {
        let object = call.arguments.as_object()?;
        if !is_callable(&call.name) || is_marker(&call.name) {
            return None;
        }
        let root = &schema.parameters;
        let mut written = String::new();
        for (key, value) in object {
            let is_declared = kinds::property(root, root, key).is_some();
            let is_read = |tags: &String| {
                let read = grammar::read_tags(schema, tags);
                read.is_some_and(|read| read.len() == 1 && read.get(key) == Some(value))
            };
            // What the reader wouldn't take for the same value is told in JSON; what it can't read so either, such as a
            // name that is longer than a tag may be, no tag tells.
            let natural = field(key, value, is_declared, MAX_DEPTH).filter(is_read);
            let tags = natural.or_else(|| Some(in_json(key, value, is_declared)).filter(is_read));
            written.push_str(&tags?);
        }
        // Where there are alternatives, one argument may say what another stands for.
        let has_alternatives = kinds::resolve(root, root)
            .is_some_and(|object| kinds::alternatives(object).next().is_some());
        if has_alternatives && grammar::read_tags(schema, &written).as_ref() != Some(object) {
            return None;
        }
        let name = &call.name;
        Some(format!("<{name}>{written}</{name}>"))
    }
}

/// The tags of one value; `None` where tags have no way to say it.
fn field(key: &str, value: &Value, is_declared: bool, depth: usize) -> Option<String> {
    let (open, close) = tags(key, is_declared);
    let depth = depth.checked_sub(1)?;
    let inner = match value {
        Value::Array(items) if !items.is_empty() => {
            let items = items.iter().map(|item| match item {
                Value::Array(_) => None,
                item => field(key, item, is_declared, depth),
            });
            return items
                .collect::<Option<Vec<_>>>()
                .map(|items| items.concat());
        }
        Value::Array(_) => return None,
        Value::Object(object) if object.is_empty() => return None,
        Value::Object(object) => object
            .iter()
            .map(|(key, value)| field(key, value, true, depth))
            .collect::<Option<Vec<_>>>()?
            .concat(),
        Value::String(text) => text_content(text),
        other => other.to_string(),
    };
    Some(format!("{open}{inner}{close}"))
}

fn in_json(key: &str, value: &Value, is_declared: bool) -> String {
    let (open, close) = tags(key, is_declared);
    let open = open.trim_end_matches('>');
    format!(
        "{open} type=\"json\">{}{close}",
        envelope::attribute(&value.to_string())
    )
}

/// The opening and the closing tag of a key.
fn tags(key: &str, is_declared: bool) -> (String, String) {
    if is_declared && is_callable(key) && key != grammar::ANY {
        return (format!("<{key}>"), format!("</{key}>"));
    }
    let (any, name) = (grammar::ANY, grammar::NAME);
    (
        format!("<{any} {name}=\"{}\">", envelope::attribute(key)),
        format!("</{any}>"),
    )
}

/// Text as it is where that is read back; else in CDATA.
fn text_content(text: &str) -> String {
    let is_plain = !text.contains(['<', '&']) && text.trim().len() == text.len();
    if is_plain {
        return text.to_owned();
    }
    // Its end in the text is cut in two: each half in a section of its own.
    let (half, other) = CDATA_END.split_at(2);
    let cut = format!("{half}{CDATA_END}{CDATA}{other}");
    format!("{CDATA}{}{CDATA_END}", text.replace(CDATA_END, &cut))
}

/// Whether the tag would be taken for a model's marker.
fn is_marker(name: &str) -> bool {
    let tag = format!("<{name}>");
    grammar::openers().any(|opener| tag.starts_with(opener.marker))
}
