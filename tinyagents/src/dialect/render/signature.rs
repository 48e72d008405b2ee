//! Types of arguments, in the words of a language.

use serde_json::{Map, Value};

use crate::dialect::kinds;
use crate::model::ToolSchema;

/// Deepest objects that are spelled out.
const MAX_DEPTH: usize = 3;

/// The words of a language for types.
pub(super) struct Words {
    pub(super) string: &'static str,
    pub(super) integer: &'static str,
    pub(super) number: &'static str,
    pub(super) boolean: &'static str,
    pub(super) null: &'static str,
    pub(super) any: &'static str,
    pub(super) object: &'static str,
    pub(super) list: fn(&str) -> String,
    pub(super) choice: fn(&[String]) -> String,
    /// Spells out the fields of an object, each with its type and whether it is required.
    pub(super) fields: Option<fn(&[Field]) -> String>,
}

/// A field's name, its type, and whether it is required.
pub(super) type Field = (String, String, bool);

/// One argument of a declaration.
pub(super) struct Argument<'a> {
    pub(super) name: &'a str,
    pub(super) schema: &'a Value,
    pub(super) is_required: bool,
}

/// The arguments of a tool, in the order of its declaration.
pub(super) fn arguments(schema: &ToolSchema) -> Vec<Argument<'_>> {
    let root = &schema.parameters;
    let Some(object) = kinds::resolve(root, root) else {
        return Vec::new();
    };
    properties(object)
        .map(|(name, schema)| Argument {
            name,
            schema,
            is_required: is_required(object, name),
        })
        .collect()
}

fn properties(object: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    object
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}

fn is_required(object: &Map<String, Value>, name: &str) -> bool {
    object
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(|all| all.iter().any(|required| required == name))
}

/// The description, on one line.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Words {
    /// The type that a schema asks for.
    pub(super) fn ty(&self, root: &Value, schema: &Value) -> String {
        self.at_depth(root, schema, MAX_DEPTH)
    }

    fn at_depth(&self, root: &Value, schema: &Value, depth: usize) -> String {
        let (Some(object), Some(depth)) = (kinds::resolve(root, schema), depth.checked_sub(1))
        else {
            return self.any.to_owned();
        };
        if let Some(values) = object.get("enum").and_then(Value::as_array) {
            let values: Vec<String> = values.iter().map(Value::to_string).collect();
            return (self.choice)(&values);
        }
        if let Some(value) = object.get("const") {
            return (self.choice)(&[value.to_string()]);
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(schemas) = object.get(keyword).and_then(Value::as_array) {
                return union(schemas.iter().map(|one| self.at_depth(root, one, depth)));
            }
        }
        match object.get("type") {
            Some(Value::String(name)) => self.named(root, object, name, depth),
            Some(Value::Array(names)) => {
                let names = names.iter().filter_map(Value::as_str);
                union(names.map(|name| self.named(root, object, name, depth)))
            }
            _ if object.contains_key("properties") => self.named(root, object, "object", depth),
            _ => self.any.to_owned(),
        }
    }

    fn named(&self, root: &Value, object: &Map<String, Value>, name: &str, depth: usize) -> String {
        match name {
            "string" => self.string.to_owned(),
            "integer" => self.integer.to_owned(),
            "number" => self.number.to_owned(),
            "boolean" => self.boolean.to_owned(),
            "null" => self.null.to_owned(),
            "array" => {
                let items = object.get("items");
                let items = items.map_or_else(
                    || self.any.to_owned(),
                    |one| self.at_depth(root, one, depth),
                );
                (self.list)(&items)
            }
            "object" => {
                let fields: Vec<Field> = properties(object)
                    .map(|(name, schema)| {
                        let ty = self.at_depth(root, schema, depth);
                        (name.clone(), ty, is_required(object, name))
                    })
                    .collect();
                match self.fields {
                    Some(spell) if !fields.is_empty() => spell(&fields),
                    _ => self.object.to_owned(),
                }
            }
            _ => self.any.to_owned(),
        }
    }
}

/// Alternatives, each once.
fn union(types: impl Iterator<Item = String>) -> String {
    let mut several: Vec<String> = Vec::new();
    for ty in types {
        if !several.contains(&ty) {
            several.push(ty);
        }
    }
    several.join(" | ")
}

/// `name: type` for each field, `?` after the name of one that may be left out.
pub(super) fn braces(fields: &[Field]) -> String {
    let fields: Vec<String> = fields
        .iter()
        .map(|(name, ty, is_required)| format!("{}: {ty}", optional(name, *is_required)))
        .collect();
    format!("{{ {} }}", fields.join(", "))
}

pub(super) fn optional(name: &str, is_required: bool) -> String {
    let name = if super::ptype::is_identifier(name) {
        name.to_owned()
    } else {
        Value::from(name).to_string()
    };
    if is_required {
        name
    } else {
        format!("{name}?")
    }
}
