//! One sub-schema.

use serde_json::{Map, Value};

use super::Linter;
use super::root::pointer;
use crate::schema::prepare::{foreign_keyword, takes_format};
use crate::schema::rules::{Keywords, References};
use crate::schema::shape;

/// Keywords that stand for a type, where one is needed.
const INSTEAD_OF_TYPE: [&str; 2] = ["anyOf", "$ref"];

impl<'a> Linter<'a> {
    pub(super) fn check_node(&mut self, schema: &'a Map<String, Value>, path: &str) {
        for (keyword, value) in schema {
            self.check_keyword(schema, keyword, value, path);
        }
        self.check_type(schema, path);
        self.check_items(schema, path);
        self.check_required(schema, path);
        if self.rules.strict {
            self.check_closed(schema, path);
        }
        if self.rules.lone_unions && schema.contains_key("anyOf") && schema.len() > 1 {
            self.refused(
                path,
                "nothing may stand beside `anyOf`; move it into the branches",
            );
        }
    }

    fn check_keyword(
        &mut self,
        schema: &Map<String, Value>,
        keyword: &str,
        value: &'a Value,
        path: &str,
    ) {
        let place = format!("{path}{}", pointer(keyword));
        // The root's own rules have named it.
        let is_root_keyword = !path.is_empty() || self.rules.root_keywords.is_none();
        if !self.rules.takes(keyword) {
            if keyword == "default" && !self.rules.strict {
                // The reference of the Gemini API: it is there so that it is no unknown field, and has no effect.
                self.ignored(&place, "`default` has no effect; say it in the description");
            } else if is_root_keyword {
                let message = format!("`{keyword}` is not taken by {}", self.target);
                self.refused(&place, message);
            }
            return;
        }
        if let Some(expected) = shape::fault(keyword, value) {
            let message = format!("`{keyword}` must be {expected}");
            self.refused(&place, message);
            return;
        }
        if self.rules.own_keywords && foreign_keyword(schema, keyword).is_some() {
            let message = format!("`{keyword}` says nothing about the type beside it; remove it");
            self.refused(&place, message);
            return;
        }
        match (keyword, value) {
            ("nullable", _) if matches!(self.rules.keywords, Keywords::Any) => {
                // A word of OpenAPI 3.0, which JSON Schema doesn't know.
                self.ignored(&place, "`nullable` has no effect; add the type `null`");
            }
            ("$ref", Value::String(reference)) => {
                self.check_reference(schema, reference, &place);
            }
            ("enum", Value::Array(values)) if self.rules.text_enums => {
                self.check_texts(schema, values, &place);
            }
            ("format", format) if !takes_format(schema, self.rules, format) => {
                let message =
                    format!("the format {format} is not known here; say it in the description");
                self.refused(&place, message);
            }
            ("type", Value::Array(_)) if !self.rules.type_lists => {
                self.refused(&place, "`type` must be one name; write `anyOf`");
            }
            ("items", Value::Bool(_)) if self.rules.object_properties && self.rules.needs_type => {
                self.refused(&place, "`items` must be an object");
            }
            _ => {}
        }
    }

    /// A reference that leads out of the schema, or nowhere, is refused by every provider: nobody fetches it.
    fn check_reference(&mut self, schema: &Map<String, Value>, reference: &str, place: &str) {
        if self.rules.references == References::Inlined {
            self.refused(place, "`$ref` is not followed; put its target here");
            return;
        }
        let target = reference
            .strip_prefix('#')
            .and_then(|pointer| self.root.pointer(pointer));
        if target.is_none() {
            self.refused(
                place,
                "`$ref` leads nowhere; define its target in this schema",
            );
        }
        if self.rules.references == References::Bare && schema.len() > 1 {
            self.refused(place, "nothing may stand beside `$ref`");
        }
    }

    fn check_texts(&mut self, schema: &Map<String, Value>, values: &[Value], place: &str) {
        let are_texts = values
            .iter()
            .all(|value| value.as_str().is_some_and(|text| !text.is_empty()));
        if !are_texts {
            self.refused(place, "`enum` may hold texts alone, none of them empty");
        } else if schema.get("type").is_none_or(|ty| ty != "string") {
            self.refused(place, "`enum` needs `\"type\": \"string\"` beside it");
        }
    }

    fn check_type(&mut self, schema: &Map<String, Value>, path: &str) {
        if self.rules.needs_type
            && !schema.contains_key("type")
            && !INSTEAD_OF_TYPE
                .iter()
                .any(|keyword| schema.contains_key(*keyword))
        {
            self.refused(path, "a schema must have a `type` here, or `anyOf`");
        }
    }

    fn check_items(&mut self, schema: &Map<String, Value>, path: &str) {
        let is_array = match schema.get("type") {
            Some(Value::Array(names)) => names.iter().any(|name| name == "array"),
            ty => ty.is_some_and(|ty| ty == "array"),
        };
        if self.rules.needs_items && is_array && !schema.contains_key("items") {
            self.refused(path, "an array must say what its items are; add `items`");
        }
    }

    fn check_required(&mut self, schema: &Map<String, Value>, path: &str) {
        let Some(Value::Array(required)) = schema.get("required") else {
            return;
        };
        if !self.rules.declares_required {
            return;
        }
        for (index, name) in required.iter().enumerate() {
            let Some(name) = name.as_str() else { continue };
            let is_declared = schema
                .get("properties")
                .is_some_and(|properties| properties.get(name).is_some());
            if !is_declared {
                let message = format!("`{name}` is required, so it must be in `properties` too");
                self.refused(&format!("{path}/required/{index}"), message);
            }
        }
    }

    /// `OpenAI`'s guide *Structured Outputs*: "all fields must be required", "additionalProperties: false must always be set
    /// in objects".
    fn check_closed(&mut self, schema: &Map<String, Value>, path: &str) {
        let is_object = match schema.get("type") {
            Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
            ty => ty.is_some_and(|ty| ty == "object"),
        };
        if !is_object {
            return;
        }
        if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            self.refused(
                path,
                "an object must be closed; add `\"additionalProperties\": false`",
            );
        }
        let Some(Value::Object(properties)) = schema.get("properties") else {
            return;
        };
        let required = schema.get("required").and_then(Value::as_array);
        for name in properties.keys() {
            if !required.is_some_and(|required| required.iter().any(|known| known == name)) {
                let place = format!("{path}/properties{}", pointer(name));
                self.refused(
                    &place,
                    "must be required; let it be `null` if it is optional",
                );
            }
        }
    }

    pub(super) fn check_boolean(&mut self, keyword: &str, path: &str) {
        let is_property = keyword == "properties";
        let needs_object = matches!(keyword, "anyOf" | "prefixItems") && self.rules.needs_type;
        if (is_property && self.rules.object_properties) || needs_object {
            self.refused(path, "must be an object; write `{}` for `true`");
        }
    }
}
