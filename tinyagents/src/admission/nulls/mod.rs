//! Models write `null` for an argument they don't want to give.

mod admits;
mod fits;
mod known;
mod meant;

use serde_json::{Map, Value};

use known::Known;

use crate::admission::subschema::{MAX_DEPTH, list, resolve};

/// How many values are looked at, each beside one schema. A value that several schemas describe counts once for each; what
/// is left after that many keeps its nulls, and the validator decides.
const MAX_STEPS: usize = 200_000;

/// Drops each `null` that stands for a non-required property whose schema excludes `null`, at any depth.
pub(crate) fn drop_refused_nulls(root: &Value, arguments: &mut Value) {
    let mut walk = Walk {
        root,
        left: MAX_STEPS,
        known: Known::new(root),
    };
    walk.one(root, arguments, MAX_DEPTH);
}

/// A walk through arguments beside the schemas that describe them.
struct Walk<'a> {
    root: &'a Value,
    left: usize,
    known: Known<'a>,
}

impl<'a> Walk<'a> {
    fn one(&mut self, schema: &'a Value, value: &mut Value, depth: usize) {
        let (Some(schema), Some(depth)) = (resolve(self.root, schema), self.descend(depth)) else {
            return;
        };
        match value {
            Value::Object(object) => {
                self.drop_from(schema, object);
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
        let meant = self.meant(schemas, value);
        let fitting = match meant.as_slice() {
            [only] => Some(*only),
            several => several
                .iter()
                .copied()
                .find(|schema| self.fits(schema, value, depth))
                .or_else(|| self.fits_as_known(several, value, depth)),
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
                object.retain(|name, value| !value.is_null() || self.keeps_null(&meant, name));
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

    /// The first schema that an object fits without each `null` under a name that the schema excludes; those go. Where
    /// alternatives are declared as one object, a model in strict mode says `null` for what the others have.
    fn fits_as_known(
        &mut self,
        schemas: &[&'a Value],
        value: &mut Value,
        depth: usize,
    ) -> Option<&'a Value> {
        for &schema in schemas {
            let object = value.as_object_mut()?;
            let Some(names) = resolve(self.root, schema).and_then(all_names) else {
                continue;
            };
            let is_excluded =
                |name: &String, value: &Value| value.is_null() && !names.contains_key(name);
            let excluded: Vec<String> = object
                .iter()
                .filter(|(name, value)| is_excluded(name, value))
                .map(|(name, _)| name.clone())
                .collect();
            if excluded.is_empty() {
                continue;
            }
            object.retain(|name, value| !is_excluded(name, value));
            if self.fits(schema, value, depth) {
                return Some(schema);
            }
            let object = value.as_object_mut()?;
            object.extend(excluded.into_iter().map(|name| (name, Value::Null)));
        }
        None
    }

    fn drop_from(&mut self, schema: &'a Map<String, Value>, object: &mut Map<String, Value>) {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return;
        };
        object.retain(|name, value| {
            !value.is_null()
                || self.known.is_required(schema, name)
                || properties
                    .get(name)
                    .is_none_or(|schema| self.known.admits_null(schema))
        });
    }

    fn descend(&mut self, depth: usize) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        depth.checked_sub(1)
    }
}

/// The properties of an object that has no others.
fn all_names(schema: &Map<String, Value>) -> Option<&Map<String, Value>> {
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false))
        && !schema.contains_key("patternProperties");
    let properties = schema.get("properties").filter(|_| is_closed);
    properties.and_then(Value::as_object)
}

#[cfg(test)]
mod tests;
