//! Every sub-schema, fitted to what the provider takes.

use serde_json::{Map, Value, json};

use super::limits::{MAX_DEPTH, MAX_STRICT_LEVELS};
use super::{constants, hints, inline, merge, strict, types, unions};
use crate::schema::rules::{Keywords, References, Rules};

/// Fits sub-schemas to rules.
#[derive(Clone, Copy)]
pub(super) struct Fitter<'a> {
    pub(super) rules: &'a Rules,
    pub(super) definitions: &'a Map<String, Value>,
}

impl Fitter<'_> {
    /// Fits the root, which is a plain object already.
    pub(super) fn root(&self, root: Map<String, Value>) -> Map<String, Value> {
        let is_described = root.contains_key("description");
        let mut root = match self.rules.keywords {
            Keywords::Any => self.passed_through(root, MAX_DEPTH, 0),
            Keywords::Only(_) => self.object(root, MAX_DEPTH, 0),
        };
        if self.rules.root_keywords.is_some() || !is_described {
            // What was told of a rule of the root is about no argument.
            root.shift_remove("description");
        }
        root
    }

    /// Fits a definition or a sub-schema, inside so many objects.
    pub(super) fn fit(&self, schema: Value, level: usize) -> Value {
        self.schema(schema, MAX_DEPTH, level)
    }

    fn schema(&self, schema: Value, depth: usize, level: usize) -> Value {
        let Some(depth) = depth.checked_sub(1) else {
            return self.anything();
        };
        match (schema, self.rules.keywords) {
            (Value::Bool(true), Keywords::Any) => json!({}),
            (Value::Bool(false), Keywords::Any) => json!({ "not": {} }),
            (Value::Bool(false), Keywords::Only(_)) => json!({ "type": "null" }),
            (Value::Object(schema), Keywords::Any) => {
                Value::Object(self.passed_through(schema, depth, level))
            }
            (Value::Object(schema), Keywords::Only(_)) => self.fitted(schema, depth, level),
            _ => self.anything(),
        }
    }

    /// A provider that takes all of JSON Schema still wants some things written one way.
    fn passed_through(
        &self,
        mut schema: Map<String, Value>,
        depth: usize,
        level: usize,
    ) -> Map<String, Value> {
        schema.shift_remove("nullable");
        if self.rules.needs_items && types::has(&schema, "array") && !schema.contains_key("items") {
            schema.insert("items".to_owned(), json!({}));
        }
        crate::schema::children::for_each_mut(&mut schema, |keyword, child| {
            // `false` closes an object or a list; as a property it is a schema like any other.
            if child.is_object() || keyword == "properties" {
                *child = self.schema(child.take(), depth, level);
            }
        });
        schema
    }

    fn fitted(&self, mut schema: Map<String, Value>, depth: usize, level: usize) -> Value {
        if schema.contains_key("$ref") {
            if self.rules.references == References::Bare && schema.len() > 1 {
                // Nothing may stand beside it, so it gives way, or what stands beside it does.
                return match inline::inlined_alone(&schema, self.definitions) {
                    Some(inlined) => self.schema(inlined, depth, level),
                    None => json!({ "$ref": schema.get("$ref") }),
                };
            }
            return Value::Object(schema);
        }
        merge::merge_all_of(&mut schema, self.definitions);
        unions::settle(&mut schema, self.rules, self.definitions);
        constants::settle(&mut schema, self.rules);
        if !schema.contains_key("anyOf") && !schema.contains_key("type") {
            match types::implied(&schema) {
                Some(ty) => {
                    schema.insert("type".to_owned(), json!(ty));
                }
                None => return self.described_anything(&schema),
            }
        }
        if level >= MAX_STRICT_LEVELS && self.rules.strict && types::has(&schema, "object") {
            return self.described_anything(&schema);
        }
        if !self.rules.type_lists && schema.get("type").is_some_and(Value::is_array) {
            unions::split_types(&mut schema, self.rules);
        }
        if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
            for branch in branches.iter_mut() {
                *branch = self.schema(branch.take(), depth, level);
            }
            return unions::finished(schema, self.rules);
        }
        Value::Object(self.object(schema, depth, level))
    }

    /// A sub-schema with a type of its own, or some: its keywords, its properties, its items.
    fn object(
        &self,
        mut schema: Map<String, Value>,
        depth: usize,
        level: usize,
    ) -> Map<String, Value> {
        types::keep_own_keywords(&mut schema);
        self.fit_items(&mut schema, depth, level);
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            for property in properties.values_mut() {
                *property = self.schema(property.take(), depth, level + 1);
            }
        }
        if self.rules.declares_required {
            self.declare_required(&mut schema);
        }
        if self.rules.strict && types::has(&schema, "object") {
            strict::close(&mut schema);
        }
        hints::keep_taken(&mut schema, self.rules);
        schema
    }

    fn fit_items(&self, schema: &mut Map<String, Value>, depth: usize, level: usize) {
        if !types::has(schema, "array") {
            return;
        }
        // A list whose places differ becomes one whose items may be what any place holds.
        let mut items: Vec<Value> = match schema.shift_remove("prefixItems") {
            Some(Value::Array(prefix)) => prefix,
            _ => Vec::new(),
        };
        let rest = schema.shift_remove("items");
        match rest {
            Some(Value::Bool(false)) if !items.is_empty() => {}
            Some(rest) => items.push(rest),
            None => items.push(Value::Bool(true)),
        }
        let mut different: Vec<Value> = Vec::with_capacity(items.len());
        for item in items {
            if !different.contains(&item) {
                different.push(item);
            }
        }
        let item = match different.pop() {
            Some(only) if different.is_empty() => only,
            Some(last) => {
                different.push(last);
                json!({ "anyOf": different })
            }
            None => Value::Bool(true),
        };
        schema.insert("items".to_owned(), self.schema(item, depth, level));
    }

    /// A property that is required and not declared may be anything.
    fn declare_required(&self, schema: &mut Map<String, Value>) {
        let Some(Value::Array(required)) = schema.get("required") else {
            return;
        };
        let missing: Vec<String> = required
            .iter()
            .filter_map(Value::as_str)
            .filter(|name| {
                schema
                    .get("properties")
                    .is_none_or(|properties| properties.get(name).is_none())
            })
            .map(ToOwned::to_owned)
            .collect();
        if missing.is_empty() {
            return;
        }
        let properties = schema
            .entry("properties")
            .or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(properties) = properties {
            for name in missing {
                properties.insert(name, self.anything());
            }
        }
    }

    /// What says least under these rules.
    fn anything(&self) -> Value {
        if matches!(self.rules.keywords, Keywords::Any) {
            return json!({});
        }
        if self.rules.strict {
            return json!({ "type": ["string", "number", "boolean", "null"] });
        }
        let one = [
            json!({ "type": "string" }),
            json!({ "type": "number" }),
            json!({ "type": "boolean" }),
            json!({ "type": "object" }),
        ];
        let items = json!({ "anyOf": one });
        let array = json!({ "type": "array", "items": items });
        json!({ "anyOf": one.into_iter().chain([array]).collect::<Vec<_>>() })
    }

    /// The same, with the words of the sub-schema that it stands for.
    fn described_anything(&self, schema: &Map<String, Value>) -> Value {
        let mut anything = self.anything();
        if let (Some(words), Value::Object(anything)) = (schema.get("description"), &mut anything) {
            anything.insert("description".to_owned(), words.clone());
            if anything.contains_key("anyOf") {
                return unions::finished(std::mem::take(anything), self.rules);
            }
        }
        anything
    }
}
