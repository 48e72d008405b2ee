//! Makes schemas, and keeps in them only what tells a model something.

use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

use super::normalize::names_type;
use super::param::Param;

/// The schema of an arguments object.
pub(super) fn of_arguments(params: &[Param]) -> Value {
    let mut generator = generator();
    let mut properties = Map::new();
    for param in params {
        properties.insert(param.name.to_owned(), of_param(param, &mut generator));
    }
    let required: Vec<&str> = params
        .iter()
        .filter(|param| param.is_required())
        .map(|param| param.name)
        .collect();
    let mut root = Map::new();
    root.insert("type".to_owned(), "object".into());
    root.insert("properties".to_owned(), properties.into());
    root.insert("required".to_owned(), required.into());
    root.insert("additionalProperties".to_owned(), false.into());
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        root.insert("$defs".to_owned(), definitions.into());
    }
    let mut root = Value::Object(root);
    clean(&mut root);
    for param in params {
        finish_param(param, &mut root["properties"][param.name]);
    }
    root
}

/// The schema of a structured result.
pub(super) fn of_output<T: JsonSchema>() -> Value {
    let settings = generator().settings().clone().for_serialize();
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    clean(&mut schema);
    schema
}

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .into_generator()
}

fn of_param(param: &Param, generator: &mut SchemaGenerator) -> Value {
    (param.schema)(generator).to_value()
}

/// Writes what `#[arg(..)]` says over what the type says.
fn finish_param(param: &Param, property: &mut Value) {
    let Value::Object(property) = property else {
        return;
    };
    if let Some(description) = param.description {
        property.insert("description".to_owned(), description.into());
    }
    param.bounds.write(property);
    if let Some(choices) = param.choices {
        property.insert("enum".to_owned(), choices().into());
    }
    if let Some(examples) = param.examples {
        property.insert("examples".to_owned(), examples().into());
    }
    if let Some(default) = &param.default {
        property.insert("default".to_owned(), default.json());
    }
}

/// Keywords whose value is one schema.
const ONE_SCHEMA: [&str; 11] = [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value is a list of schemas.
const SCHEMA_LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// Keywords whose value is an object of schemas by name.
const NAMED_SCHEMAS: [&str; 5] = [
    "$defs",
    "definitions",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// Removes what says nothing to a model, at any depth: titles, the `format` of numbers, boolean subschemas, and the null
/// alternative of properties that may be left out.
fn clean(schema: &mut Value) {
    let Value::Object(schema) = schema else {
        if let Value::Bool(accepts) = *schema {
            *schema = if accepts {
                json!({})
            } else {
                json!({ "not": {} })
            };
        }
        return;
    };
    schema.remove("title");
    schema.remove("$schema");
    if ["integer", "number"]
        .iter()
        .any(|name| names_type(schema, name))
    {
        schema.remove("format");
    }
    for (keyword, value) in schema.iter_mut() {
        let keyword = keyword.as_str();
        match value {
            // These two are settings rather than subschemas where they are boolean.
            Value::Bool(_)
                if ["additionalProperties", "unevaluatedProperties"].contains(&keyword) => {}
            value if ONE_SCHEMA.contains(&keyword) => clean(value),
            Value::Array(list) if SCHEMA_LISTS.contains(&keyword) => {
                list.iter_mut().for_each(clean);
            }
            Value::Object(named) if NAMED_SCHEMAS.contains(&keyword) => {
                named.values_mut().for_each(clean);
            }
            _ => {}
        }
    }
    drop_nulls_of_optional_properties(schema);
}

fn drop_nulls_of_optional_properties(schema: &mut Map<String, Value>) {
    let required = schema.get("required").and_then(Value::as_array).cloned();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    for (name, property) in properties {
        let is_required = |names: &Vec<Value>| names.iter().any(|required| required == name);
        if !required.as_ref().is_some_and(is_required)
            && let Value::Object(property) = property
        {
            drop_null(property);
        }
    }
}

/// Removes the null alternative, and the default that goes with it.
fn drop_null(schema: &mut Map<String, Value>) {
    if schema.get("default") == Some(&Value::Null) {
        schema.remove("default");
    }
    if let Some(Value::Array(types)) = schema.get_mut("type")
        && types.len() > 1
    {
        types.retain(|name| name != "null");
        if let [only] = types.as_mut_slice() {
            let only = only.take();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && values.len() > 1
    {
        values.retain(|value| !value.is_null());
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = schema.get_mut(keyword) else {
            continue;
        };
        if branches.len() > 1 {
            branches.retain(|branch| !is_null_schema(branch));
        }
        if let [Value::Object(only)] = branches.as_mut_slice() {
            let only = std::mem::take(only);
            schema.remove(keyword);
            for (key, value) in only {
                // What stands beside the union speaks of the property, and wins over what its type says.
                schema.entry(key).or_insert(value);
            }
        }
    }
}

fn is_null_schema(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null")
        || schema.get("const").is_some_and(Value::is_null)
}
