//! Whether a value fits a branch once its refused nulls are gone.

use serde_json::{Map, Value};

use super::Walk;
use super::known::has_rules;
use super::meant::lists;
use crate::admission::subschema::{list, resolve};

/// What one look at a text or a number by all its keywords counts as.
const STEPS_OF_A_LEAF: usize = 20;

impl<'a> Walk<'a> {
    /// Whether the value may be an instance of the schema, with a `null` for what is optional and excludes it taken as
    /// nothing. In doubt it may.
    pub(super) fn fits(&mut self, schema: &'a Value, value: &Value, depth: usize) -> bool {
        if let Value::Bool(fits) = schema {
            return *fits;
        }
        let (Some(schema), Some(depth)) = (resolve(self.root, schema), self.descend(depth)) else {
            return true;
        };
        if !is_of_type(schema, value) || !lists(schema, value) {
            return false;
        }
        let fits = match value {
            Value::Object(object) => self.fits_object(schema, object, depth),
            Value::Array(items) => self.fits_array(schema, items, depth),
            Value::String(_) | Value::Number(_) => self.fits_leaf(schema, value),
            Value::Null | Value::Bool(_) => true,
        };
        let mut any_of = |keyword| {
            let branches = list(schema, keyword);
            branches.is_empty()
                || branches
                    .iter()
                    .any(|branch| self.fits(branch, value, depth))
        };
        fits && any_of("anyOf")
            && any_of("oneOf")
            && list(schema, "allOf")
                .iter()
                .all(|part| self.fits(part, value, depth))
    }

    fn fits_object(
        &mut self,
        schema: &'a Map<String, Value>,
        object: &Map<String, Value>,
        depth: usize,
    ) -> bool {
        let is_whole = list(schema, "required")
            .iter()
            .filter_map(Value::as_str)
            .all(|name| object.contains_key(name));
        let properties = schema.get("properties").and_then(Value::as_object);
        // A pattern may declare any name.
        let others = schema
            .get("additionalProperties")
            .filter(|_| !schema.contains_key("patternProperties"));
        is_whole
            && object.iter().all(|(name, value)| {
                let declared = properties.and_then(|properties| properties.get(name));
                let is_nothing = value.is_null()
                    && !self.known.is_required(schema, name)
                    && declared.is_some_and(|schema| !self.known.admits_null(schema));
                let schema = declared.or(others);
                is_nothing || schema.is_none_or(|schema| self.fits(schema, value, depth))
            })
    }

    fn fits_array(
        &mut self,
        schema: &'a Map<String, Value>,
        items: &[Value],
        depth: usize,
    ) -> bool {
        let prefix = list(schema, "prefixItems");
        let rest = schema.get("items");
        items.iter().enumerate().all(|(index, item)| {
            let schema = prefix.get(index).or(rest);
            schema.is_none_or(|schema| self.fits(schema, item, depth))
        })
    }

    /// A text or a number, by what its schema says besides the type and the values.
    fn fits_leaf(&mut self, schema: &'a Map<String, Value>, value: &Value) -> bool {
        if !has_rules(schema) {
            return true;
        }
        self.left = self.left.saturating_sub(STEPS_OF_A_LEAF);
        let rules = self.known.rules(schema);
        rules.is_some_and(|rules| rules.is_valid(value))
    }
}

pub(super) fn is_of_type(schema: &Map<String, Value>, value: &Value) -> bool {
    let is = |ty: &str| match value {
        Value::Null => ty == "null",
        Value::Bool(_) => ty == "boolean",
        Value::Number(number) => {
            ty == "number" || (ty == "integer" && number.as_f64().is_none_or(|n| n.fract() == 0.0))
        }
        Value::String(_) => ty == "string",
        Value::Array(_) => ty == "array",
        Value::Object(_) => ty == "object",
    };
    match schema.get("type") {
        Some(Value::String(ty)) => is(ty),
        Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}
