//! Types of arguments, in the words of a language.

use serde_json::{Map, Value};

use crate::dialect::kinds;
use crate::dialect::properties::{Property, properties};
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

/// The arguments of a tool, in the order of its declaration.
pub(super) fn arguments(schema: &ToolSchema) -> Vec<Property<'_>> {
    let root = &schema.parameters;
    kinds::resolve(root, root).map_or_else(Vec::new, |object| properties(root, object))
}

/// What is said of an argument under a keyword, by the first that says something.
pub(super) fn said<'a>(argument: &Property<'a>, keyword: &str) -> Option<&'a Value> {
    argument
        .schemas
        .iter()
        .find_map(|schema| schema.get(keyword))
}

/// The description of an argument, if it has one.
pub(super) fn description<'a>(argument: &Property<'a>) -> Option<&'a str> {
    said(argument, "description").and_then(Value::as_str)
}

/// The description, on one line.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Words {
    /// The type that an argument is of.
    pub(super) fn ty(&self, root: &Value, argument: &Property<'_>) -> String {
        self.property(root, argument, MAX_DEPTH)
    }

    fn property(&self, root: &Value, property: &Property<'_>, depth: usize) -> String {
        let schemas = property.schemas.iter();
        union(schemas.map(|schema| self.at_depth(root, schema, depth)))
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
        let has_parts = object.contains_key("allOf") && !properties(root, object).is_empty();
        let has_types = object.get("type").is_some_and(Value::is_array);
        if (has_parts || object.contains_key("properties")) && !has_types {
            return self.named(root, object, "object", depth);
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
            _ => {
                let parts = object.get("allOf").and_then(Value::as_array);
                let mut types = parts
                    .into_iter()
                    .flatten()
                    .map(|one| self.at_depth(root, one, depth));
                types
                    .find(|ty| ty != self.any)
                    .unwrap_or_else(|| self.any.to_owned())
            }
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
                let fields: Vec<Field> = properties(root, object)
                    .iter()
                    .map(|property| {
                        let ty = self.property(root, property, depth);
                        (property.name.to_owned(), ty, property.is_required)
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
