//! Brings arguments into the form that the schema asks for, where JSON has two forms of one meaning.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use super::bounds::is_same;

/// Deepest nesting that is looked at; text is never parsed into anything deeper.
const MAX_DEPTH: usize = 128;

/// Makes the integral floats of integer places integers (`3.0` → `3`), and drops the `null` of a property that is not
/// required and has no use for `null`. Costs one look at each value where there is nothing to do, and a copy where there
/// may be.
pub(super) fn normalized<'v>(schema: &Value, args: &'v Value) -> Cow<'v, Value> {
    if !has_second_form(args, MAX_DEPTH) {
        return Cow::Borrowed(args);
    }
    let mut copy = args.clone();
    Normalizer { root: schema }.value(vec![schema], &mut copy, MAX_DEPTH);
    Cow::Owned(copy)
}

fn has_second_form(value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    match value {
        Value::Null => true,
        Value::Number(number) => integral(number).is_some(),
        Value::Array(items) => items
            .iter()
            .any(|item| may_have_second_form(item) && has_second_form(item, depth)),
        Value::Object(fields) => fields
            .values()
            .any(|field| may_have_second_form(field) && has_second_form(field, depth)),
        Value::Bool(_) | Value::String(_) => false,
    }
}

/// Most values have not, which needs no call to find out.
#[inline]
fn may_have_second_form(value: &Value) -> bool {
    match value {
        Value::Bool(_) | Value::String(_) => false,
        Value::Number(number) => number.is_f64(),
        Value::Null | Value::Array(_) | Value::Object(_) => true,
    }
}

/// The integer that a float stands for exactly.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "only whole numbers within the range of the target are cast"
)]
fn integral(number: &Number) -> Option<Number> {
    if !number.is_f64() {
        return None;
    }
    let value = number.as_f64()?;
    if value.fract() != 0.0 {
        None
    } else if (-(2.0_f64.powi(63))..0.0).contains(&value) {
        Some(Number::from(value as i64))
    } else if (0.0..2.0_f64.powi(64)).contains(&value) {
        Some(Number::from(value as u64))
    } else {
        None
    }
}

struct Normalizer<'a> {
    root: &'a Value,
}

impl<'a> Normalizer<'a> {
    /// All schemas of a value are looked at together: one after the other, each would look at what is inside, and there
    /// anew each, so that the time would double with each level.
    fn value(&self, schemas: Vec<&'a Value>, value: &mut Value, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        let schemas = self.all_meant(schemas, value);
        match value {
            Value::Number(number) if schemas.iter().any(|one| names_type(one, "integer")) => {
                if let Some(integer) = integral(number) {
                    *number = integer;
                }
            }
            Value::Object(fields) => self.object(&schemas, fields, depth),
            Value::Array(items) => self.array(&schemas, items, depth),
            _ => {}
        }
    }

    /// The schemas and the branches of them that may be meant, each once.
    fn all_meant(&self, schemas: Vec<&'a Value>, value: &Value) -> Vec<&'a Map<String, Value>> {
        let mut waiting = schemas;
        let mut meant: Vec<&'a Map<String, Value>> = Vec::with_capacity(waiting.len());
        while let Some(schema) = waiting.pop() {
            let Some(schema) = self.resolve(schema) else {
                continue;
            };
            if !meant.iter().any(|known| std::ptr::eq(*known, schema)) {
                meant.push(schema);
                waiting.extend(branches(schema).filter(|branch| self.may_be(branch, value)));
            }
        }
        meant
    }

    fn object(
        &self,
        schemas: &[&'a Map<String, Value>],
        fields: &mut Map<String, Value>,
        depth: usize,
    ) {
        let declared = |schema: &'a Map<String, Value>, name: &str| {
            let properties = schema.get("properties").and_then(Value::as_object);
            properties.and_then(|properties| properties.get(name))
        };
        fields.retain(|name, field| {
            if field.is_null() {
                return !schemas.iter().any(|schema| {
                    !is_required(schema, name)
                        && declared(schema, name)
                            .is_some_and(|schema| !self.allows_null(schema, MAX_DEPTH))
                });
            }
            if may_have_second_form(field) {
                let within = schemas.iter().filter_map(|schema| {
                    declared(schema, name).or_else(|| schema.get("additionalProperties"))
                });
                self.value(within.collect(), field, depth);
            }
            true
        });
    }

    fn array(&self, schemas: &[&'a Map<String, Value>], items: &mut [Value], depth: usize) {
        for (index, item) in items.iter_mut().enumerate() {
            if may_have_second_form(item) {
                let within = schemas.iter().filter_map(|schema| {
                    let first = schema.get("prefixItems").and_then(Value::as_array);
                    let own = first.and_then(|first| first.get(index));
                    own.or_else(|| schema.get("items"))
                });
                self.value(within.collect(), item, depth);
            }
        }
    }

    /// Whether one branch of a union may be meant by an object: the properties that tell branches apart, those with one
    /// fixed value, have that value.
    fn may_be(&self, branch: &'a Value, value: &Value) -> bool {
        let (Some(branch), Value::Object(fields)) = (self.resolve(branch), value) else {
            return true;
        };
        let Some(properties) = branch.get("properties").and_then(Value::as_object) else {
            return true;
        };
        properties.iter().all(|(name, schema)| {
            schema
                .get("const")
                .is_none_or(|fixed| fields.get(name).is_some_and(|given| is_same(fixed, given)))
        })
    }

    fn allows_null(&self, schema: &'a Value, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return true;
        };
        if let Value::Bool(allows) = schema {
            return *allows;
        }
        let Some(schema) = self.resolve(schema) else {
            return true;
        };
        let of = |keyword: &str| schema.get(keyword).and_then(Value::as_array);
        (schema.get("type").is_none() || names_type(schema, "null"))
            && schema.get("const").is_none_or(Value::is_null)
            && of("enum").is_none_or(|values| values.iter().any(Value::is_null))
            && ["anyOf", "oneOf"].into_iter().all(|keyword| {
                of(keyword).is_none_or(|all| all.iter().any(|one| self.allows_null(one, depth)))
            })
            && of("allOf").is_none_or(|all| all.iter().all(|one| self.allows_null(one, depth)))
    }

    /// The schema itself, or the one that its local `$ref` names.
    fn resolve(&self, schema: &'a Value) -> Option<&'a Map<String, Value>> {
        let mut schema = schema.as_object()?;
        // A loop of bare references ends here as well.
        for _ in 0..8 {
            let Some(Value::String(reference)) = schema.get("$ref") else {
                return Some(schema);
            };
            schema = self
                .root
                .pointer(reference.strip_prefix('#')?)?
                .as_object()?;
        }
        None
    }
}

/// Whether `name` is the `type`, or one of them.
pub(super) fn names_type(schema: &Map<String, Value>, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == name,
        Some(Value::Array(several)) => several.iter().any(|one| one == name),
        _ => false,
    }
}

fn is_required(schema: &Map<String, Value>, name: &str) -> bool {
    let names = schema.get("required").and_then(Value::as_array);
    names.is_some_and(|names| names.iter().any(|one| one == name))
}

fn branches(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    ["allOf", "anyOf", "oneOf"]
        .into_iter()
        .filter_map(|keyword| schema.get(keyword)?.as_array())
        .flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_integral_float_is_an_integer_only_where_one_is_asked_for() {
        let schema = json!({ "type": "object", "properties": {
            "count": { "type": "integer" },
            "ratio": { "type": "number" },
            "any": {},
            "list": { "type": "array", "items": { "$ref": "#/$defs/Count" } },
            "either": { "anyOf": [{ "type": "integer" }, { "type": "string" }] }
        }, "$defs": { "Count": { "type": ["integer", "null"] } } });
        let args = json!({ "count": 3.0, "ratio": 3.0, "any": 3.0, "list": [1.0, 1.5, -2.0], "either": 4.0 });
        let expected =
            json!({ "count": 3, "ratio": 3.0, "any": 3.0, "list": [1, 1.5, -2], "either": 4 });
        assert_eq!(normalized(&schema, &args).to_string(), expected.to_string());
    }

    #[test]
    fn a_float_beyond_the_integers_stays() {
        let schema = json!({ "properties": { "n": { "type": "integer" } } });
        let args = json!({ "n": 1e300 });
        assert_eq!(*normalized(&schema, &args), args);
    }

    #[test]
    fn a_null_is_dropped_only_where_it_can_mean_nothing_else() {
        let schema = json!({
            "properties": {
                "optional": { "type": "string" },
                "nullable": { "type": ["string", "null"] },
                "needed": { "type": "string" },
                "any": {},
                "nested": { "properties": { "deep": { "enum": ["a"] } } },
                "items": { "items": { "type": "string" } }
            },
            "required": ["needed"]
        });
        let args = json!({
            "optional": null, "nullable": null, "needed": null, "any": null, "nested": { "deep": null },
            "items": [null], "unknown": null
        });
        let expected = json!({
            "nullable": null, "needed": null, "any": null, "nested": {}, "items": [null], "unknown": null
        });
        assert_eq!(*normalized(&schema, &args), expected);
    }

    #[test]
    fn what_has_one_form_is_not_copied() {
        let schema = json!({ "properties": { "n": { "type": "integer" } } });
        let args = json!({ "n": 3, "texts": ["a"], "ratio": 0.5 });
        assert!(matches!(normalized(&schema, &args), Cow::Borrowed(_)));
    }

    #[test]
    fn the_branch_of_a_tagged_union_is_chosen_by_its_tag() {
        let schema = json!({ "properties": { "shape": { "oneOf": [
            { "properties": { "kind": { "const": "dot" }, "size": { "type": "integer" } }, "required": ["kind"] },
            { "properties": { "kind": { "const": "line" }, "size": { "type": "number" } }, "required": ["kind"] }
        ] } } });
        let args = json!({ "shape": { "kind": "line", "size": 2.0 } });
        assert_eq!(normalized(&schema, &args).to_string(), args.to_string());
    }

    #[test]
    fn alternatives_that_have_the_same_below_them_take_no_endless_time() {
        let below = || json!({ "$ref": "#/$defs/Tree" });
        let schema = json!({ "$ref": "#/$defs/Tree", "$defs": { "Tree": { "anyOf": [
            { "properties": { "name": { "type": "string" }, "below": below() } },
            { "properties": { "count": { "type": "integer" }, "below": below() } },
            { "$ref": "#/$defs/Tree" }
        ] } } });
        let (mut args, mut expected) = (json!({ "name": null }), json!({}));
        for _ in 0..120 {
            args = json!({ "count": 1.0, "below": args });
            expected = json!({ "count": 1, "below": expected });
        }
        assert_eq!(normalized(&schema, &args).to_string(), expected.to_string());
    }
}
