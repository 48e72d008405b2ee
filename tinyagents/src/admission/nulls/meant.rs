//! What a value that fits no branch of a union is meant for.

use serde_json::{Map, Value};

use super::Walk;
use super::fits::is_of_type;
use crate::admission::subschema::{MAX_DEPTH, list, resolve};

impl<'a> Walk<'a> {
    /// Those schemas that the value can be meant for, unions among them taken apart: of its type, with the properties that
    /// are required, and with no other constant for a property than the one that is there.
    pub(super) fn meant(&mut self, schemas: Vec<&'a Value>, value: &Value) -> Vec<&'a Value> {
        let mut meant: Vec<&'a Value> = Vec::with_capacity(schemas.len());
        let mut hashes: Vec<u64> = Vec::with_capacity(schemas.len());
        let mut waiting = schemas;
        waiting.reverse();
        // Every branch is taken apart once; more than that is a circle.
        let mut left = MAX_DEPTH;
        while let (Some(schema), Some(rest)) = (waiting.pop(), left.checked_sub(1)) {
            left = rest;
            let Some(object) = resolve(self.root, schema) else {
                continue;
            };
            let branches = ["anyOf", "oneOf"].map(|keyword| list(object, keyword));
            let is_union = branches.iter().any(|branches| !branches.is_empty());
            if is_union && !object.contains_key("properties") {
                waiting.extend(branches.into_iter().flatten().rev());
            } else if may_describe(object, value) {
                let hash = self.known.hash(schema);
                if !hashes.contains(&hash) {
                    hashes.push(hash);
                    meant.push(schema);
                }
            }
        }
        meant
    }

    /// Whether a `null` may stay: no schema declares the property, or one has a place for it.
    pub(super) fn keeps_null(&mut self, schemas: &[&'a Map<String, Value>], name: &str) -> bool {
        let mut declared = schemas
            .iter()
            .filter_map(|schema| Some((*schema, schema.get("properties")?.get(name)?)))
            .peekable();
        declared.peek().is_none()
            || declared.any(|(schema, property)| {
                self.known.is_required(schema, name) || self.known.admits_null(property)
            })
    }
}

fn may_describe(schema: &Map<String, Value>, value: &Value) -> bool {
    if !matches!(value, Value::Object(_) | Value::Array(_)) {
        // There is nothing inside to look at.
        return true;
    }
    let has_required = list(schema, "required")
        .iter()
        .filter_map(Value::as_str)
        .all(|required| !value.is_object() || value.get(required).is_some());
    let properties = schema.get("properties").and_then(Value::as_object);
    let has_constants = properties.into_iter().flatten().all(|(name, property)| {
        let given = value.get(name).filter(|given| !given.is_null());
        given
            .zip(property.as_object())
            .is_none_or(|(given, property)| lists(property, given))
    });
    is_of_type(schema, value) && has_required && has_constants
}

/// Whether a value is the constant, or one of the values, that a schema lists; any is where it lists none.
pub(super) fn lists(schema: &Map<String, Value>, value: &Value) -> bool {
    schema.get("const").is_none_or(|constant| constant == value)
        && schema
            .get("enum")
            .and_then(Value::as_array)
            .is_none_or(|values| values.contains(value))
}
