//! `enum` and `const`.

use serde_json::{Map, Value, json};

use super::{hints, types};
use crate::schema::rules::Rules;

/// Gives the values of `enum` and `const` a type, and writes them as the provider takes them.
pub(super) fn settle(schema: &mut Map<String, Value>, rules: &Rules) {
    if rules.text_enums {
        settle_texts(schema);
    } else if !schema.contains_key("type") && !schema.contains_key("anyOf") {
        let values = match (schema.get("enum"), schema.get("const")) {
            (Some(Value::Array(values)), _) => types::of_values(values),
            (_, Some(value)) => types::of_values(std::slice::from_ref(value)),
            _ => None,
        };
        if let Some(ty) = values {
            schema.insert("type".to_owned(), ty);
        }
    }
}

/// Only texts can be listed; other values are told.
fn settle_texts(schema: &mut Map<String, Value>) {
    let constant = schema.shift_remove("const");
    let values = match (schema.shift_remove("enum"), constant) {
        (_, Some(constant)) => vec![constant],
        (Some(Value::Array(values)), None) => values,
        _ => return,
    };
    let (nulls, rest): (Vec<Value>, Vec<Value>) = values.into_iter().partition(Value::is_null);
    let known = types::names(schema);
    let may_be = |name: &str| known.is_empty() || known.contains(&name);
    let are_texts = rest
        .iter()
        .all(|value| value.as_str().is_some_and(|text| !text.is_empty()));
    let has_null = !nulls.is_empty() && may_be("null");
    if rest.is_empty() {
        if known.is_empty() {
            schema.insert("type".to_owned(), json!("null"));
        }
        return;
    }
    if are_texts && may_be("string") && !schema.contains_key("anyOf") {
        let ty = if has_null {
            json!(["string", "null"])
        } else {
            json!("string")
        };
        schema.insert("type".to_owned(), ty);
        schema.insert("enum".to_owned(), Value::Array(rest));
        return;
    }
    let all: Vec<Value> = rest.into_iter().chain(nulls).collect();
    if known.is_empty()
        && !schema.contains_key("anyOf")
        && let Some(ty) = types::of_values(&all)
    {
        schema.insert("type".to_owned(), ty);
    }
    hints::tell(schema, "enum", &Value::Array(all));
}
