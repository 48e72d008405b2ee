//! Where in a schema further schemas are.

use serde_json::{Map, Value};

/// Keywords whose value is one schema.
pub(super) const ONE: [&str; 12] = [
    "items",
    "additionalItems",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];

/// Keywords whose value is a list of schemas.
pub(super) const LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// Keywords whose value holds schemas by name.
pub(super) const BY_NAME: [&str; 5] = [
    "properties",
    "patternProperties",
    "dependentSchemas",
    "$defs",
    "definitions",
];

/// Calls back for every direct sub-schema, with its path below the schema, in the order of the text.
pub(super) fn for_each<'a>(schema: &'a Map<String, Value>, mut each: impl FnMut(Step<'a>)) {
    for (keyword, value) in schema {
        match value {
            Value::Array(list) if LIST.contains(&keyword.as_str()) || keyword == "items" => {
                for (index, schema) in list.iter().enumerate() {
                    each(Step {
                        keyword,
                        place: Place::Index(index),
                        schema,
                    });
                }
            }
            Value::Object(by_name) if BY_NAME.contains(&keyword.as_str()) => {
                for (name, schema) in by_name {
                    each(Step {
                        keyword,
                        place: Place::Name(name),
                        schema,
                    });
                }
            }
            schema if ONE.contains(&keyword.as_str()) => {
                each(Step {
                    keyword,
                    place: Place::Here,
                    schema,
                });
            }
            _ => {}
        }
    }
}

/// The same, to change them.
pub(super) fn for_each_mut(
    schema: &mut Map<String, Value>,
    mut each: impl FnMut(&str, &mut Value),
) {
    for (keyword, value) in schema {
        match value {
            Value::Array(list) if LIST.contains(&keyword.as_str()) || keyword == "items" => {
                for schema in list {
                    each(keyword, schema);
                }
            }
            Value::Object(by_name) if BY_NAME.contains(&keyword.as_str()) => {
                for (_, schema) in by_name {
                    each(keyword, schema);
                }
            }
            schema if ONE.contains(&keyword.as_str()) => each(keyword, schema),
            _ => {}
        }
    }
}

/// One sub-schema and how it is reached.
pub(super) struct Step<'a> {
    pub(super) keyword: &'a str,
    pub(super) place: Place<'a>,
    pub(super) schema: &'a Value,
}

/// Where below its keyword a sub-schema is.
pub(super) enum Place<'a> {
    Here,
    Index(usize),
    Name(&'a str),
}

impl Step<'_> {
    /// The JSON pointer of the sub-schema, given that of its parent.
    pub(super) fn pointer(&self, parent: &str) -> String {
        match &self.place {
            Place::Here => format!("{parent}/{}", self.keyword),
            Place::Index(index) => format!("{parent}/{}/{index}", self.keyword),
            Place::Name(name) => {
                let name = name.replace('~', "~0").replace('/', "~1");
                format!("{parent}/{}/{name}", self.keyword)
            }
        }
    }
}
