//! Which JSON types a schema accepts, and what text stands for under it.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::literal;
pub(super) use crate::admission::resolve_schema as resolve;
use crate::admission::{is_exact, member};
use crate::model::strict_json;
use crate::schema::type_of;

/// How many references and alternatives are followed.
pub(super) const MAX_DEPTH: usize = 16;

/// The JSON types that a schema accepts; none where it doesn't say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "one for each type of JSON")]
pub(super) struct Kinds {
    pub(super) string: bool,
    pub(super) integer: bool,
    pub(super) number: bool,
    pub(super) boolean: bool,
    pub(super) null: bool,
    pub(super) array: bool,
    pub(super) object: bool,
}

impl Kinds {
    /// The types of a schema, through references and alternatives.
    pub(super) fn of(root: &Value, schema: &Value) -> Self {
        let mut kinds = Self::default();
        kinds.gather(root, schema, MAX_DEPTH, &mut HashSet::new());
        kinds
    }

    /// `followed` is what references led to: each is read once, since references to references multiply.
    fn gather(
        &mut self,
        root: &Value,
        schema: &Value,
        depth: usize,
        followed: &mut HashSet<*const Value>,
    ) {
        let (Some(object), Some(depth)) = (schema.as_object(), depth.checked_sub(1)) else {
            return;
        };
        match member(object, "type") {
            Some(Value::String(name)) => self.add(name),
            Some(Value::Array(names)) => {
                for name in names.iter().filter_map(Value::as_str) {
                    self.add(name);
                }
            }
            _ => {
                let values = member(object, "enum").and_then(Value::as_array);
                for value in values.into_iter().flatten().chain(member(object, "const")) {
                    self.add(type_of(value));
                }
            }
        }
        if let Some(target) = member(object, "$ref").and_then(|target| follow(root, target))
            && followed.insert(target)
        {
            self.gather(root, target, depth, followed);
        }
        for schema in alternatives(object) {
            self.gather(root, schema, depth, followed);
        }
    }

    fn add(&mut self, name: &str) {
        match name {
            "string" => self.string = true,
            "integer" => self.integer = true,
            "number" => self.number = true,
            "boolean" => self.boolean = true,
            "null" => self.null = true,
            "array" => self.array = true,
            "object" => self.object = true,
            _ => {}
        }
    }

    /// Whether text is text under this schema, as far as it says.
    pub(super) fn is_text(self) -> bool {
        self.string || self.is_unknown()
    }

    pub(super) fn is_unknown(self) -> bool {
        self == Self::default()
    }

    /// Whether text stands for a value of one of the types, as far as it says.
    pub(super) fn fits(self, text: &str) -> bool {
        self.is_text() || !self.read(text).is_string()
    }

    /// What text stands for: itself, unless the schema wants another type and the text is one of that.
    pub(super) fn read(self, text: &str) -> Value {
        let trimmed = text.trim();
        if self.null && matches!(trimmed, "null" | "None") {
            return Value::Null;
        }
        if self.is_text() {
            return Value::String(text.to_owned());
        }
        let value = match trimmed {
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            _ if trimmed.starts_with(['[', '{']) => literal::read(trimmed).unwrap_or(Value::Null),
            _ => strict_json::parse(trimmed).unwrap_or(Value::Null),
        };
        let fits = match &value {
            Value::Bool(_) => self.boolean,
            Value::Number(number) => {
                let is_integral = number.as_f64().is_some_and(|number| number.fract() == 0.0);
                is_exact(number, trimmed) && (self.number || self.integer && is_integral)
            }
            Value::Array(_) => self.array,
            Value::Object(_) => self.object,
            Value::Null | Value::String(_) => false,
        };
        if fits {
            value
        } else {
            Value::String(text.to_owned())
        }
    }
}

/// The schema of one property, where there is one.
pub(super) fn property<'a>(root: &'a Value, schema: &'a Value, name: &str) -> Option<&'a Value> {
    let object = resolve(root, schema)?;
    let own = |object| member(member(object, "properties")?.as_object()?, name);
    own(object).or_else(|| alternatives(object).find_map(|schema| own(resolve(root, schema)?)))
}

/// The schema of an array's items, where there is one for all.
pub(super) fn items<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let object = resolve(root, schema)?;
    member(object, "items")
        .or_else(|| alternatives(object).find_map(|schema| member(resolve(root, schema)?, "items")))
}

/// The schemas that one is put together from.
pub(super) fn alternatives(object: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf", "allOf"]
        .iter()
        .filter_map(|keyword| member(object, keyword)?.as_array())
        .flatten()
}

fn follow<'a>(root: &'a Value, target: &Value) -> Option<&'a Value> {
    root.pointer(target.as_str()?.strip_prefix('#')?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(schema: &Value, text: &str) -> Value {
        Kinds::of(schema, schema).read(text)
    }

    #[test]
    fn text_becomes_what_the_schema_wants() {
        for (schema, text, value) in [
            (json!({ "type": "integer" }), " 5\n", json!(5)),
            (json!({ "type": "boolean" }), "True", json!(true)),
            (json!({ "type": ["number", "null"] }), "null", json!(null)),
            (json!({ "type": "array" }), "['a']", json!(["a"])),
            (
                json!({ "anyOf": [{ "type": "object" }, { "type": "null" }] }),
                "{\"k\": 1}",
                json!({ "k": 1 }),
            ),
            (json!({ "enum": [1, 2] }), "2", json!(2)),
        ] {
            assert_eq!(read(&schema, text), value, "{schema} {text}");
        }
    }

    #[test]
    fn text_stays_text_where_the_schema_takes_text_or_the_text_is_none_of_its_types() {
        for (schema, text) in [
            (json!({ "type": "string" }), "['python']"),
            (json!({ "type": ["integer", "string"] }), "5"),
            (json!({}), "5"),
            (json!({ "type": "integer" }), "2.5"),
            (json!({ "type": "integer" }), "five"),
            (json!({ "type": "number" }), "0.12345678901234567890"),
            (json!({ "type": "object" }), "[1]"),
        ] {
            assert_eq!(read(&schema, text), json!(text), "{schema}");
        }
    }

    #[test]
    fn references_are_followed_and_loops_end() {
        let root =
            json!({ "$defs": { "n": { "type": "integer" }, "loop": { "$ref": "#/$defs/loop" } } });
        assert!(Kinds::of(&root, &json!({ "$ref": "#/$defs/n" })).integer);
        assert!(Kinds::of(&root, &json!({ "$ref": "#/$defs/loop" })).is_unknown());
    }
}
