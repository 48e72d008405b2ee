//! Lossless conversion of arguments to the neighbouring type that the schema asks for.

use serde_json::{Map, Number, Value};

use super::subschema::{MAX_DEPTH, list, member, resolve};
use crate::model::strict_json;

/// Converts where the schema asks for a type that the value doesn't have and nothing is lost by it.
pub(crate) fn coerce(root: &Value, arguments: &mut Value) {
    walk(root, root, arguments, MAX_DEPTH);
}

fn walk(root: &Value, schema: &Value, value: &mut Value, depth: usize) {
    let (Some(schema), Some(depth)) = (resolve(root, schema), depth.checked_sub(1)) else {
        return;
    };
    let (schema, takes_null) = match optional(root, schema) {
        Some(schema) => (schema, true),
        None => (schema, false),
    };
    if let Some(converted) = converted(schema, value, takes_null) {
        *value = converted;
    }
    match value {
        Value::Object(object) => {
            let properties = member(schema, "properties").and_then(Value::as_object);
            for (name, value) in object.iter_mut() {
                let schema = properties
                    .and_then(|properties| member(properties, name))
                    .or_else(|| member(schema, "additionalProperties"));
                if let Some(schema) = schema {
                    walk(root, schema, value, depth);
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = member(schema, "items") else {
                return;
            };
            for item in items {
                walk(root, schema, item, depth);
            }
        }
        _ => {}
    }
}

/// The only alternative beside `null`: how many generators declare what may be left out. Of several others none is chosen.
fn optional<'a>(root: &'a Value, schema: &'a Map<String, Value>) -> Option<&'a Map<String, Value>> {
    const OWN: [&str; 4] = ["type", "properties", "items", "additionalProperties"];
    if OWN.iter().any(|keyword| member(schema, keyword).is_some()) {
        return None;
    }
    let is_null = |one: &Value| {
        resolve(root, one)
            .and_then(|one| member(one, "type"))
            .is_some_and(|ty| ty == "null")
    };
    match (list(schema, "anyOf"), list(schema, "oneOf")) {
        ([one, null] | [null, one], []) | ([], [one, null] | [null, one]) if is_null(null) => {
            resolve(root, one)
        }
        _ => None,
    }
}

/// The value in a type that the schema names, if it has none of them now.
fn converted(schema: &Map<String, Value>, value: &Value, takes_null: bool) -> Option<Value> {
    let (Value::Number(_) | Value::String(_)) = value else {
        return None;
    };
    let types = match member(schema, "type")? {
        Value::Array(types) => types.as_slice(),
        ty => std::slice::from_ref(ty),
    };
    let accepts = |ty: &str| types.iter().any(|other| other == ty);
    if let Value::Number(number) = value {
        return accepts("integer").then(|| integral(number)).flatten();
    }
    let Value::String(text) = value else {
        return None;
    };
    if types.is_empty() || accepts("string") {
        return None;
    }
    let text = text.trim();
    // JSON's own grammar decides: `05`, `1_000`, `NaN` and `True` stay what they are.
    let parsed: Value = strict_json::parse(text).ok()?;
    let fits = match &parsed {
        Value::Number(number) => {
            let is_integer = !number.is_f64() || integral(number).is_some();
            is_exact(number, text) && (accepts("number") || accepts("integer") && is_integer)
        }
        Value::Bool(_) => accepts("boolean"),
        Value::Null => takes_null || accepts("null"),
        Value::Array(_) => accepts("array"),
        Value::Object(_) => accepts("object"),
        Value::String(_) => false,
    };
    match parsed {
        _ if !fits => None,
        Value::Number(number) if accepts("integer") => {
            Some(integral(&number).unwrap_or(Value::Number(number)))
        }
        parsed => Some(parsed),
    }
}

/// The integer that a float is, if it is one and is exact.
fn integral(number: &Number) -> Option<Value> {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
    let float = number.is_f64().then(|| number.as_f64()).flatten()?;
    if float.fract() != 0.0 || float.abs() > LARGEST_EXACT {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "integral and within ±2^53")]
    let integer = float as i64;
    Some(Value::from(integer))
}

/// Whether reading the text as a number lost no digit.
pub(crate) fn is_exact(number: &Number, text: &str) -> bool {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    !number.is_f64() || digits.trim_matches('0').len() <= 15
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn coerced(ty: &Value, value: &Value) -> Value {
        let schema = json!({ "type": "object", "properties": { "x": { "type": ty } } });
        let mut arguments = json!({ "x": value });
        coerce(&schema, &mut arguments);
        arguments["x"].take()
    }

    #[test]
    fn text_becomes_the_type_that_is_asked_for() {
        for (ty, given, expected) in [
            ("integer", json!("5"), json!(5)),
            ("integer", json!(30.0), json!(30)),
            ("integer", json!("30.0"), json!(30)),
            ("number", json!("2.5"), json!(2.5)),
            ("boolean", json!("true"), json!(true)),
            ("array", json!("[1]"), json!([1])),
            ("object", json!("{\"a\":1}"), json!({ "a": 1 })),
        ] {
            assert_eq!(coerced(&json!(ty), &given), expected, "{ty} {given}");
        }
    }

    #[test]
    fn what_may_be_null_is_converted_as_what_it_is_besides() {
        let coerced = |schema: Value, given: Value| {
            let mut arguments = json!({ "x": given });
            let root = json!({
                "$defs": { "n": { "type": "integer" }, "none": { "type": "null" } }, "properties": { "x": schema }
            });
            coerce(&root, &mut arguments);
            arguments["x"].take()
        };
        let none = || json!({ "type": "null" });
        for (schema, given, expected) in [
            (
                json!({ "anyOf": [{ "type": "integer" }, none()] }),
                json!("5"),
                json!(5),
            ),
            (
                json!({ "oneOf": [none(), { "$ref": "#/$defs/n" }] }),
                json!("5"),
                json!(5),
            ),
            (
                json!({ "anyOf": [{ "$ref": "#/$defs/n" }, { "$ref": "#/$defs/none" }] }),
                json!("null"),
                json!(null),
            ),
            (
                json!({ "anyOf": [{ "type": "array", "items": { "type": "integer" } }, none()] }),
                json!(["5"]),
                json!([5]),
            ),
            (
                json!({ "anyOf": [{ "type": "string" }, none()] }),
                json!("5"),
                json!("5"),
            ),
            (
                json!({ "anyOf": [{ "type": "string" }, none()] }),
                json!("null"),
                json!("null"),
            ),
            (json!({ "anyOf": [{}, none()] }), json!("5"), json!("5")),
            (
                json!({ "anyOf": [{ "type": "integer" }, { "type": "boolean" }] }),
                json!("5"),
                json!("5"),
            ),
            (
                json!({ "properties": { "n": { "type": "integer" } }, "anyOf": [{ "required": ["n"] }, none()] }),
                json!({ "n": "5" }),
                json!({ "n": 5 }),
            ),
        ] {
            assert_eq!(coerced(schema.clone(), given), expected, "{schema}");
        }
    }

    #[test]
    fn nothing_is_lost_or_guessed() {
        for (ty, given) in [
            ("integer", json!("2.5")),
            ("integer", json!("05")),
            ("integer", json!(2.5)),
            ("boolean", json!("True")),
            ("boolean", json!(1)),
            ("string", json!("5")),
            ("string", json!(5)),
            ("number", json!("0.12345678901234567890123")),
            ("object", json!("[1]")),
        ] {
            assert_eq!(coerced(&json!(ty), &given), given, "{ty}");
        }
        assert_eq!(
            coerced(&json!(["integer", "string"]), &json!("5")),
            json!("5")
        );
    }
}
