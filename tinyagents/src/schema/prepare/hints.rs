//! Rules that a provider doesn't take, told in words.

use serde_json::{Map, Value};

use super::types;
use crate::schema::rules::Rules;

/// Longest list of values that is told, in bytes.
const MAX_VALUES_BYTES: usize = 400;

/// Keeps what the provider takes, and tells what it doesn't, as far as that fits into a sentence.
pub(super) fn keep_taken(schema: &mut Map<String, Value>, rules: &Rules) {
    if !rules.takes("exclusiveMinimum") {
        // A bound that is excluded is still a bound.
        for (exclusive, inclusive) in [
            ("exclusiveMinimum", "minimum"),
            ("exclusiveMaximum", "maximum"),
        ] {
            if schema.contains_key(inclusive) && schema.contains_key(exclusive) {
                schema.shift_remove(inclusive);
            }
        }
    }
    let refused: Vec<String> = schema
        .iter()
        .filter(|(keyword, value)| {
            !rules.takes(keyword) || (*keyword == "format" && !takes_format(schema, rules, value))
        })
        .map(|(keyword, _)| keyword.clone())
        .collect();
    for keyword in refused {
        if let Some(value) = schema.shift_remove(&keyword) {
            tell(schema, &keyword, &value);
        }
    }
}

/// Whether a format is known for the schema's type.
pub(in crate::schema) fn takes_format(
    schema: &Map<String, Value>,
    rules: &Rules,
    format: &Value,
) -> bool {
    let (Some(known), Some(format)) = (rules.formats, format.as_str()) else {
        return true;
    };
    let ty = match format {
        "int32" | "int64" => "integer",
        "float" | "double" => "number",
        _ => "string",
    };
    known.contains(&format)
        && types::has(schema, ty)
        && (format != "enum" || schema.contains_key("enum"))
}

/// Adds to the description what a keyword would have said.
pub(super) fn tell(schema: &mut Map<String, Value>, keyword: &str, value: &Value) {
    if let Some(words) = words(keyword, value) {
        describe_after(schema, &words);
    }
}

/// Puts words before the description that is there.
pub(super) fn describe(schema: &mut Map<String, Value>, words: &str) {
    let text = match schema.get("description").and_then(Value::as_str) {
        Some(known) if known.starts_with(words) => return,
        Some(known) => format!("{words} {known}"),
        None => words.to_owned(),
    };
    schema.insert("description".to_owned(), Value::String(text));
}

fn describe_after(schema: &mut Map<String, Value>, words: &str) {
    let text = match schema.get("description").and_then(Value::as_str) {
        Some(known) if known.contains(words) => return,
        Some(known) => format!("{known} {words}"),
        None => words.to_owned(),
    };
    schema.insert("description".to_owned(), Value::String(text));
}

fn words(keyword: &str, value: &Value) -> Option<String> {
    Some(match (keyword, value) {
        ("enum", Value::Array(values)) => match values.as_slice() {
            [only] => format!("Must be {only}."),
            values => {
                let values: Vec<String> = values.iter().map(Value::to_string).collect();
                format!("One of: {}.", values.join(", "))
            }
        },
        ("const", value) => format!("Must be {value}."),
        // A default of `null` says that the argument can be left out, which is known.
        ("default", value) if !value.is_null() => format!("Default: {value}."),
        ("format", Value::String(format)) => format!("Format: {format}."),
        ("pattern", Value::String(pattern)) => format!("Must match {pattern}."),
        ("exclusiveMinimum", bound) => format!("Above {bound}."),
        ("exclusiveMaximum", bound) => format!("Below {bound}."),
        ("minimum", bound) => format!("At least {bound}."),
        ("maximum", bound) => format!("At most {bound}."),
        ("multipleOf", step) => format!("A multiple of {step}."),
        ("minLength", least) => format!("At least {least} characters."),
        ("maxLength", most) => format!("At most {most} characters."),
        ("uniqueItems", Value::Bool(true)) => "No item twice.".to_owned(),
        _ => return None,
    })
    .filter(|words| words.len() <= MAX_VALUES_BYTES)
}
