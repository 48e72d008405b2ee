//! Lossless conversion of arguments to the neighbouring type that the schema asks for.

use serde_json::{Map, Number, Value};

use super::subschema::{MAX_DEPTH, resolve};
use crate::model::strict_json;

/// Converts where the schema asks for a type that the value doesn't have and nothing is lost by it.
pub(crate) fn coerce(root: &Value, arguments: &mut Value) {
    walk(root, root, arguments, MAX_DEPTH);
}

fn walk(root: &Value, schema: &Value, value: &mut Value, depth: usize) {
    let (Some(schema), Some(depth)) = (resolve(root, schema), depth.checked_sub(1)) else {
        return;
    };
    if let Some(converted) = converted(schema, value) {
        *value = converted;
    }
    match value {
        Value::Object(object) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            for (name, value) in object.iter_mut() {
                let schema = properties
                    .and_then(|properties| properties.get(name))
                    .or_else(|| schema.get("additionalProperties"));
                if let Some(schema) = schema {
                    walk(root, schema, value, depth);
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = schema.get("items") else {
                return;
            };
            for item in items {
                walk(root, schema, item, depth);
            }
        }
        _ => {}
    }
}

/// The value in a type that the schema names, if it has none of them now.
fn converted(schema: &Map<String, Value>, value: &Value) -> Option<Value> {
    let types: Vec<&str> = match schema.get("type")? {
        Value::String(ty) => vec![ty.as_str()],
        Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    if let Value::Number(number) = value {
        return types
            .contains(&"integer")
            .then(|| integral(number))
            .flatten();
    }
    let Value::String(text) = value else {
        return None;
    };
    if types.contains(&"string") {
        return None;
    }
    let text = text.trim();
    // JSON's own grammar decides: `05`, `1_000`, `NaN` and `True` stay what they are.
    let parsed: Value = strict_json::parse(text).ok()?;
    let fits = types.iter().any(|ty| match (*ty, &parsed) {
        ("number", Value::Number(number)) => exact(number, text),
        ("integer", Value::Number(number)) => {
            exact(number, text) && (!number.is_f64() || integral(number).is_some())
        }
        ("boolean", Value::Bool(_))
        | ("null", Value::Null)
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        _ => false,
    });
    match parsed {
        _ if !fits => None,
        Value::Number(number) if types.contains(&"integer") => {
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
fn exact(number: &Number, text: &str) -> bool {
    let digits = |text: &str| {
        let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        digits.trim_matches('0').len()
    };
    !number.is_f64() || digits(text) <= 15
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
