//! What is known of the schemas of a walk.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};

use serde_json::{Map, Value};

use super::admits::admits_null;
use crate::admission::subschema::{MAX_DEPTH, list};
use crate::schema::Validator;

/// What has been found out of each schema, by its address. A list may ask the same of a schema with each of its items, and
/// a stranger's schema may have long answers.
pub(super) struct Known<'a> {
    root: &'a Value,
    admits_null: HashMap<*const Value, bool>,
    required: HashMap<*const Map<String, Value>, HashSet<&'a str>>,
    rules: HashMap<*const Map<String, Value>, Option<Validator>>,
    hashes: HashMap<*const Value, u64>,
    hasher: RandomState,
}

/// What may be said of a text or a number besides its type and its values.
const RULES: [&str; 9] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
];

impl<'a> Known<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        Self {
            root,
            admits_null: HashMap::new(),
            required: HashMap::new(),
            rules: HashMap::new(),
            hashes: HashMap::new(),
            hasher: RandomState::new(),
        }
    }

    /// Whether the schema lets `null` through, or may do so.
    pub(super) fn admits_null(&mut self, schema: &'a Value) -> bool {
        *self
            .admits_null
            .entry(std::ptr::from_ref(schema))
            .or_insert_with(|| admits_null(self.root, schema, MAX_DEPTH))
    }

    /// Whether an object has to have the property.
    pub(super) fn is_required(&mut self, schema: &'a Map<String, Value>, name: &str) -> bool {
        let names = self.required.entry(std::ptr::from_ref(schema));
        let names = names.or_insert_with(|| {
            let names = list(schema, "required").iter();
            names.filter_map(Value::as_str).collect()
        });
        names.contains(name)
    }

    /// The rules of a text or a number; none where they don't compile.
    pub(super) fn rules(&mut self, schema: &'a Map<String, Value>) -> Option<&Validator> {
        let rules = self.rules.entry(std::ptr::from_ref(schema));
        let rules = rules.or_insert_with(|| Validator::compile(&rules_of(schema)).ok());
        rules.as_ref()
    }

    /// A hash by which a schema is told from others: to compare them takes a look at all of both.
    pub(super) fn hash(&mut self, schema: &'a Value) -> u64 {
        let hash = self.hashes.entry(std::ptr::from_ref(schema));
        *hash.or_insert_with(|| self.hasher.hash_one(schema))
    }
}

/// Whether a schema says anything of a text or a number besides its type and its values.
pub(super) fn has_rules(schema: &Map<String, Value>) -> bool {
    RULES.iter().any(|rule| schema.contains_key(*rule))
}

fn rules_of(schema: &Map<String, Value>) -> Value {
    let rules = RULES.into_iter().filter_map(|rule| {
        let wanted = schema.get(rule)?;
        Some((rule.to_owned(), wanted.clone()))
    });
    Value::Object(rules.collect())
}
