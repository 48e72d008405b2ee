//! What the value of a keyword must look like.

use std::collections::HashSet;

use serde_json::Value;

/// The JSON types that a schema can name.
pub(super) const TYPES: [&str; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];

/// What a keyword's value would have to be, if it is not that. Unknown keywords may have any.
pub(super) fn fault(keyword: &str, value: &Value) -> Option<&'static str> {
    let (fits, expected) = match keyword {
        "type" => (is_type(value), "the name of a JSON type, or a list of some"),
        "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions" => (
            value
                .as_object()
                .is_some_and(|by_name| by_name.values().all(is_schema)),
            "an object of schemas",
        ),
        "required" => (
            value
                .as_array()
                .is_some_and(|names| are_unique_texts(names)),
            "a list of different names",
        ),
        "enum" => (
            value.as_array().is_some_and(|values| !values.is_empty()),
            "a list of at least one value",
        ),
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => (
            value
                .as_array()
                .is_some_and(|list| !list.is_empty() && list.iter().all(is_schema)),
            "a list of at least one schema",
        ),
        "items"
        | "additionalProperties"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames" => (is_schema(value), "a schema"),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
            (value.is_number(), "a number")
        }
        "multipleOf" => (
            value.as_f64().is_some_and(|number| number > 0.0),
            "a number above 0",
        ),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            (is_count(value), "a whole number, 0 or more")
        }
        "pattern" | "format" | "title" | "description" | "$ref" | "$comment" => {
            (value.is_string(), "a text")
        }
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" | "nullable" => {
            (value.is_boolean(), "`true` or `false`")
        }
        _ => return None,
    };
    (!fits).then_some(expected)
}

pub(super) fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

fn is_type(value: &Value) -> bool {
    match value {
        Value::String(name) => TYPES.contains(&name.as_str()),
        Value::Array(names) => {
            !names.is_empty()
                && are_unique_texts(names)
                && names
                    .iter()
                    .all(|name| name.as_str().is_some_and(|name| TYPES.contains(&name)))
        }
        _ => false,
    }
}

fn is_count(value: &Value) -> bool {
    value
        .as_f64()
        .is_some_and(|number| number >= 0.0 && number.fract() == 0.0)
}

fn are_unique_texts(names: &[Value]) -> bool {
    let mut seen = HashSet::new();
    names
        .iter()
        .all(|name| name.as_str().is_some_and(|name| seen.insert(name)))
}
