//! Models write `null` for an argument they don't want to give.

mod fits;
mod meant;

use serde_json::{Map, Value};

use meant::{keeps_null, meant};

use crate::admission::subschema::{MAX_DEPTH, list, resolve};

/// How many values are looked at, each beside one schema. A value that several schemas describe counts once for each; what
/// is left after that many keeps its nulls, and the validator decides.
const MAX_STEPS: usize = 200_000;

/// Drops each `null` that stands for a non-required property whose schema excludes `null`, at any depth.
pub(crate) fn drop_refused_nulls(root: &Value, arguments: &mut Value) {
    let mut walk = Walk {
        root,
        left: MAX_STEPS,
    };
    walk.one(root, arguments, MAX_DEPTH);
}

/// A walk through arguments beside the schemas that describe them.
struct Walk<'a> {
    root: &'a Value,
    left: usize,
}

impl<'a> Walk<'a> {
    fn one(&mut self, schema: &'a Value, value: &mut Value, depth: usize) {
        let (Some(schema), Some(depth)) = (resolve(self.root, schema), self.descend(depth)) else {
            return;
        };
        match value {
            Value::Object(object) => {
                drop_from(self.root, schema, object);
                let properties = schema.get("properties").and_then(Value::as_object);
                for (name, value) in object.iter_mut() {
                    let schema = properties
                        .and_then(|properties| properties.get(name))
                        .or_else(|| schema.get("additionalProperties"));
                    if let Some(schema) = schema {
                        self.one(schema, value, depth);
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
                        self.one(schema, item, depth);
                    }
                }
            }
            _ => return,
        }
        for keyword in ["anyOf", "oneOf"] {
            self.any(list(schema, keyword).iter().collect(), value, depth);
        }
        for part in list(schema, "allOf") {
            self.one(part, value, depth);
        }
    }

    /// One value that any of several schemas may describe: the first that it fits says which `null` goes. Where it fits
    /// none, a `null` goes where none of those has a place for it that the value can be meant for.
    fn any(&mut self, schemas: Vec<&'a Value>, value: &mut Value, depth: usize) {
        let Some(depth) = self.descend(depth) else {
            return;
        };
        let meant = meant(self.root, schemas, value);
        let fitting = match meant.as_slice() {
            [only] => Some(*only),
            several => several
                .iter()
                .copied()
                .find(|schema| self.fits(schema, value, depth)),
        };
        if let Some(fitting) = fitting {
            self.one(fitting, value, depth);
            return;
        }
        let meant: Vec<&'a Map<String, Value>> = meant
            .into_iter()
            .filter_map(|schema| resolve(self.root, schema))
            .collect();
        match value {
            Value::Object(object) => {
                object
                    .retain(|name, value| !value.is_null() || keeps_null(self.root, &meant, name));
                for (name, value) in object.iter_mut() {
                    let schemas = meant
                        .iter()
                        .filter_map(|schema| schema.get("properties")?.get(name));
                    self.any(schemas.collect(), value, depth);
                }
            }
            Value::Array(items) => {
                for item in items {
                    let schemas = meant.iter().filter_map(|schema| schema.get("items"));
                    self.any(schemas.collect(), item, depth);
                }
            }
            _ => {}
        }
    }

    fn descend(&mut self, depth: usize) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        depth.checked_sub(1)
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
    fn the_first_branch_that_fits_decides() {
        let strings = json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } } });
        let mut closed = strings.clone();
        closed["additionalProperties"] = json!(false);
        let nullable =
            json!({ "type": "object", "properties": { "a": { "type": ["string", "null"] } } });
        let requiring = json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] });
        let large = json!({ "type": "object", "properties": { "a": { "type": "string" }, "n": { "minimum": 10 } } });
        let list = json!({ "type": "object", "properties": { "a": { "type": "string" }, "n": {
            "type": "array", "items": { "type": "integer" }
        } } });
        for (branches, given, kept) in [
            // Required and refused: not that one.
            (json!([requiring, strings]), json!({ "a": null }), json!({})),
            (
                json!([requiring, nullable]),
                json!({ "a": null }),
                json!({ "a": null }),
            ),
            // It has no such argument.
            (
                json!([closed, nullable]),
                json!({ "a": null, "c": 1 }),
                json!({ "a": null, "c": 1 }),
            ),
            (
                json!([closed, nullable]),
                json!({ "a": null, "b": "x" }),
                json!({ "b": "x" }),
            ),
            // A number of another size, a list of something else.
            (
                json!([large, nullable]),
                json!({ "a": null, "n": 3 }),
                json!({ "a": null, "n": 3 }),
            ),
            (
                json!([large, nullable]),
                json!({ "a": null, "n": 30 }),
                json!({ "n": 30 }),
            ),
            (
                json!([list, nullable]),
                json!({ "a": null, "n": ["x"] }),
                json!({ "a": null, "n": ["x"] }),
            ),
        ] {
            let schema =
                json!({ "type": "object", "properties": { "who": { "anyOf": branches } } });
            assert_eq!(
                dropped(&schema, json!({ "who": given })),
                json!({ "who": kept }),
                "{schema}"
            );
        }
    }

    #[test]
    fn unions_inside_unions_are_taken_apart() {
        let schema = json!({
            "type": "object",
            "properties": { "c": { "anyOf": [
                { "oneOf": [{ "$ref": "#/$defs/Tree" }, { "type": "null" }] }, { "type": "string" }
            ] } },
            "$defs": { "Tree": { "type": "object", "properties": {
                "label": { "type": "string" }, "below": { "type": "array", "items": { "$ref": "#/$defs/Tree" } }
            } } }
        });
        assert_eq!(
            dropped(
                &schema,
                json!({ "c": { "label": "x", "below": [{ "below": null }] } })
            ),
            json!({ "c": { "label": "x", "below": [{}] } })
        );
    }

    #[test]
    fn a_schema_that_describes_each_value_twice_takes_no_endless_time() {
        let schema = json!({
            "$defs": { "S": {
                "properties": { "a": { "$ref": "#/$defs/S" } },
                "allOf": [{ "properties": { "a": { "$ref": "#/$defs/S" } } }]
            } },
            "$ref": "#/$defs/S"
        });
        let mut value = json!(null);
        for _ in 0..100 {
            value = json!({ "a": value });
        }
        assert_eq!(dropped(&schema, value.clone()), value);
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
