//! Models write `null` for an argument they don't want to give.

use serde_json::{Map, Value};

use super::subschema::{MAX_DEPTH, list, resolve};

/// Drops each `null` that stands for a non-required property whose schema excludes `null`, at any depth.
pub(super) fn drop_refused_nulls(root: &Value, arguments: &mut Value) {
    walk(root, root, arguments, MAX_DEPTH);
}

fn walk(root: &Value, schema: &Value, value: &mut Value, depth: usize) {
    let (Some(schema), Some(depth)) = (resolve(root, schema), depth.checked_sub(1)) else {
        return;
    };
    match value {
        Value::Object(object) => {
            drop_from(root, schema, object);
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
            let prefix = schema.get("prefixItems").and_then(Value::as_array);
            for (index, item) in items.iter_mut().enumerate() {
                let schema = prefix
                    .and_then(|prefix| prefix.get(index))
                    .or_else(|| schema.get("items"));
                if let Some(schema) = schema {
                    walk(root, schema, item, depth);
                }
            }
        }
        _ => return,
    }
    match meant_branches(root, schema, value).as_slice() {
        [] => {}
        [only] => walk(root, only, value, depth),
        several => drop_refused_by_all(root, several, value),
    }
    for part in list(schema, "allOf") {
        walk(root, part, value, depth);
    }
}

fn drop_from(root: &Value, schema: &Map<String, Value>, object: &mut Map<String, Value>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let is_required = |name: &str| list(schema, "required").iter().any(|known| known == name);
    object.retain(|name, value| {
        !value.is_null()
            || is_required(name)
            || properties
                .get(name)
                .is_none_or(|schema| admits_null(root, schema, MAX_DEPTH))
    });
}

/// The branches of `anyOf` or `oneOf` that the value may be meant for: not `null`, and none that lists other values for a
/// property than the one that is there.
fn meant_branches<'a>(
    root: &'a Value,
    schema: &'a Map<String, Value>,
    value: &Value,
) -> Vec<&'a Value> {
    let branches = ["anyOf", "oneOf"].map(|keyword| list(schema, keyword));
    let branches: Vec<&Value> = branches
        .into_iter()
        .flatten()
        .filter(|branch| !is_null_type(root, branch))
        .collect();
    if branches.len() < 2 {
        return branches;
    }
    let may_be_meant = |branch: &&&Value| {
        let properties = resolve(root, branch).and_then(|branch| branch.get("properties"));
        let properties = properties.and_then(Value::as_object);
        properties.into_iter().flatten().all(|(name, property)| {
            let given = value.get(name).filter(|given| !given.is_null());
            given.is_none_or(|given| lists(property, given))
        })
    };
    branches.iter().filter(may_be_meant).copied().collect()
}

/// Whether a value is the constant, or one of the values, that a schema lists; any is where it lists none.
fn lists(schema: &Value, value: &Value) -> bool {
    schema.get("const").is_none_or(|constant| constant == value)
        && schema
            .get("enum")
            .and_then(Value::as_array)
            .is_none_or(|values| values.contains(value))
}

/// Drops each `null` that no branch has a place for, though some declare the property.
fn drop_refused_by_all(root: &Value, branches: &[&Value], value: &mut Value) {
    let Value::Object(object) = value else { return };
    object.retain(|name, value| {
        if !value.is_null() {
            return true;
        }
        let mut declared = branches
            .iter()
            .filter_map(|branch| resolve(root, branch))
            .filter_map(|branch| Some((branch, branch.get("properties")?.get(name)?)))
            .peekable();
        declared.peek().is_none()
            || declared.any(|(branch, property)| {
                list(branch, "required").iter().any(|known| known == name)
                    || admits_null(root, property, MAX_DEPTH)
            })
    });
}

fn is_null_type(root: &Value, schema: &Value) -> bool {
    resolve(root, schema)
        .and_then(|schema| schema.get("type"))
        .is_some_and(|ty| ty == "null")
}

/// Whether the schema lets `null` through. In doubt it does: then nothing is dropped, and the validator decides.
fn admits_null(root: &Value, schema: &Value, depth: usize) -> bool {
    if let Value::Bool(admits) = schema {
        return *admits;
    }
    let (Some(schema), Some(depth)) = (resolve(root, schema), depth.checked_sub(1)) else {
        return true;
    };
    let by_type = match schema.get("type") {
        Some(Value::String(ty)) => ty == "null",
        Some(Value::Array(types)) => types.iter().any(|ty| ty == "null"),
        _ => true,
    };
    let by_value = schema.get("const").is_none_or(Value::is_null)
        && match schema.get("enum") {
            Some(Value::Array(values)) => values.iter().any(Value::is_null),
            _ => true,
        };
    let any_of = |keyword: &str| {
        let branches = list(schema, keyword);
        branches.is_empty()
            || branches
                .iter()
                .any(|branch| admits_null(root, branch, depth))
    };
    by_type
        && by_value
        && any_of("anyOf")
        && any_of("oneOf")
        && list(schema, "allOf")
            .iter()
            .all(|part| admits_null(root, part, depth))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn dropped(schema: &Value, mut arguments: Value) -> Value {
        drop_refused_nulls(schema, &mut arguments);
        arguments
    }

    #[test]
    fn a_null_goes_only_where_the_property_is_optional_and_excludes_it() {
        let schema = json!({
            "type": "object",
            "properties": {
                "optional": { "type": "string" },
                "required": { "type": "string" },
                "nullable": { "type": ["string", "null"] },
                "choice": { "enum": ["a", null] },
                "anything": {}
            },
            "required": ["required"]
        });
        let given = json!({ "optional": null, "required": null, "nullable": null, "choice": null, "anything": null, "undeclared": null });
        let kept = json!({ "required": null, "nullable": null, "choice": null, "anything": null, "undeclared": null });
        assert_eq!(dropped(&schema, given), kept);
    }

    #[test]
    fn of_several_branches_the_one_that_is_meant_decides() {
        let schema = json!({ "type": "object", "properties": { "wait": { "anyOf": [
            { "type": "object", "properties": {
                "kind": { "const": "until" }, "date": { "type": "string" }, "note": { "type": ["string", "null"] }
            } },
            { "type": "object", "properties": {
                "kind": { "enum": ["for"] }, "minutes": { "type": "number" }, "note": { "type": "string" }
            } }
        ] } } });
        for (given, kept) in [
            (
                json!({ "kind": "until", "date": null, "note": null }),
                json!({ "kind": "until", "note": null }),
            ),
            (
                json!({ "kind": "for", "minutes": null, "note": null }),
                json!({ "kind": "for" }),
            ),
            (
                json!({ "kind": null, "date": null, "note": null, "other": null }),
                json!({ "note": null, "other": null }),
            ),
        ] {
            assert_eq!(
                dropped(&schema, json!({ "wait": given })),
                json!({ "wait": kept })
            );
        }
    }

    #[test]
    fn nulls_go_at_any_depth_and_through_references() {
        let schema = json!({
            "type": "object",
            "properties": {
                "filters": { "type": "array", "items": { "$ref": "#/$defs/Filter" } },
                "page": { "anyOf": [{ "$ref": "#/$defs/Filter" }, { "type": "null" }] }
            },
            "$defs": { "Filter": { "type": "object", "properties": {
                "since": { "type": "string" }, "inner": { "$ref": "#/$defs/Filter" }
            } } }
        });
        let given = json!({
            "filters": [{ "since": null, "inner": { "since": null } }],
            "page": { "inner": { "inner": null } }
        });
        let kept = json!({ "filters": [{ "inner": {} }], "page": { "inner": {} } });
        assert_eq!(dropped(&schema, given), kept);
    }
}
