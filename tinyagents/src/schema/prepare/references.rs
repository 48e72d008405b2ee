//! References, gathered into one place.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Map, Value};

use super::Gathered;
use super::limits::{MAX_DEPTH, MAX_HOPS, MAX_NODES};
use crate::schema::children::{self, BY_NAME, LIST, ONE};
use crate::schema::shape::is_schema;

/// Keywords beside `$ref` that the older drafts ignore no more than the newer ones: they say nothing about a value.
const ANNOTATIONS: [&str; 5] = ["description", "title", "default", "examples", "deprecated"];

/// Keywords of identity, which have no meaning once references lead to `$defs`.
const IDENTITY: [&str; 7] = [
    "$schema",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "$vocabulary",
    "$comment",
];

/// Copies a schema so that every `$ref` in it is `#/$defs/NAME`, or `#` where that may stay. What a reference leads to is
/// copied to the definitions, wherever it was; what leads nowhere, or out of the schema, is left open.
pub(super) fn gather(schema: &Value, keeps_root: bool) -> Gathered {
    let mut gatherer = Gatherer {
        original: schema,
        keeps_root,
        ignores_neighbours: ignores_neighbours(schema),
        names: HashMap::new(),
        taken: HashSet::new(),
        queue: VecDeque::new(),
        left: MAX_NODES,
    };
    let root = match gatherer.copy(schema, MAX_DEPTH) {
        Value::Object(root) => root,
        _ => Map::new(),
    };
    let mut definitions = Map::new();
    while let Some((name, target)) = gatherer.queue.pop_front() {
        let copy = gatherer.copy(target, MAX_DEPTH);
        definitions.insert(name, copy);
    }
    let circles: Vec<String> = definitions
        .keys()
        .filter(|name| resolve(&definitions[*name], &definitions).is_none())
        .cloned()
        .collect();
    for name in circles {
        definitions.insert(name, Value::Object(Map::new()));
    }
    Gathered { root, definitions }
}

/// What a schema is when its references are followed; `None` for a circle of references, and for one to the root.
pub(super) fn resolve<'a>(
    mut schema: &'a Value,
    definitions: &'a Map<String, Value>,
) -> Option<&'a Value> {
    for _ in 0..MAX_HOPS {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
            return Some(schema);
        };
        schema = target(reference, definitions)?;
    }
    None
}

/// The definition that a gathered reference leads to.
pub(super) fn target<'a>(
    reference: &str,
    definitions: &'a Map<String, Value>,
) -> Option<&'a Value> {
    definitions.get(reference.strip_prefix("#/$defs/")?)
}

/// Those definitions that the root still refers to, each as `fitted` makes it.
pub(super) fn reachable(
    root: &Map<String, Value>,
    definitions: &Map<String, Value>,
    fitted: impl Fn(Value) -> Value,
) -> Map<String, Value> {
    let mut found = Map::new();
    let mut queue = VecDeque::new();
    references_in(root, MAX_DEPTH, &mut queue);
    while let Some(name) = queue.pop_front() {
        if found.contains_key(&name) {
            continue;
        }
        let Some(definition) = definitions.get(&name) else {
            continue;
        };
        let fitted = fitted(definition.clone());
        if let Value::Object(fitted) = &fitted {
            references_in(fitted, MAX_DEPTH, &mut queue);
        }
        found.insert(name, fitted);
    }
    found
}

/// Adds the names of the definitions that a schema refers to.
fn references_in(schema: &Map<String, Value>, depth: usize, names: &mut VecDeque<String>) {
    let reference = schema.get("$ref").and_then(Value::as_str);
    if let Some(name) = reference.and_then(|reference| reference.strip_prefix("#/$defs/")) {
        names.push_back(name.to_owned());
    }
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    children::for_each(schema, |step| {
        if let Value::Object(schema) = step.schema {
            references_in(schema, depth, names);
        }
    });
}

/// Drafts 4, 6 and 7 ignore what stands beside `$ref`; without `$schema`, `definitions` are their mark.
fn ignores_neighbours(root: &Value) -> bool {
    match root.get("$schema").and_then(Value::as_str) {
        Some(draft) => ["draft-04", "draft-06", "draft-07"]
            .iter()
            .any(|old| draft.contains(old)),
        None => root.get("definitions").is_some() && root.get("$defs").is_none(),
    }
}

struct Gatherer<'a> {
    original: &'a Value,
    keeps_root: bool,
    ignores_neighbours: bool,
    names: HashMap<String, Option<String>>,
    taken: HashSet<String>,
    queue: VecDeque<(String, &'a Value)>,
    left: usize,
}

impl Gatherer<'_> {
    fn copy(&mut self, schema: &Value, depth: usize) -> Value {
        let Value::Object(schema) = schema else {
            return schema.clone();
        };
        let mut copy = Map::new();
        let (Some(depth), Some(left)) = (depth.checked_sub(1), self.left.checked_sub(1)) else {
            return Value::Object(copy);
        };
        self.left = left;
        let has_reference = schema.get("$ref").is_some_and(Value::is_string);
        for (keyword, value) in schema {
            let keyword = keyword.as_str();
            if IDENTITY.contains(&keyword)
                || ["$defs", "definitions"].contains(&keyword)
                || (has_reference
                    && self.ignores_neighbours
                    && keyword != "$ref"
                    && !ANNOTATIONS.contains(&keyword))
            {
                continue;
            }
            let value = match value {
                Value::String(reference) if keyword == "$ref" => match self.refer(reference) {
                    Some(reference) => Value::String(reference),
                    None => continue,
                },
                Value::Array(list) if LIST.contains(&keyword) || keyword == "items" => {
                    list.iter().map(|schema| self.copy(schema, depth)).collect()
                }
                Value::Object(by_name) if BY_NAME.contains(&keyword) => by_name
                    .iter()
                    .map(|(name, schema)| (name.clone(), self.copy(schema, depth)))
                    .collect(),
                schema if ONE.contains(&keyword) => self.copy(schema, depth),
                other => other.clone(),
            };
            copy.insert(keyword.to_owned(), value);
        }
        Value::Object(copy)
    }

    /// What a reference is called from now on; `None` if it leads nowhere.
    fn refer(&mut self, reference: &str) -> Option<String> {
        if reference == "#" && self.keeps_root {
            return Some(reference.to_owned());
        }
        if let Some(known) = self.names.get(reference) {
            return known.as_ref().map(|name| format!("#/$defs/{name}"));
        }
        let pointer = reference.strip_prefix('#').and_then(percent_decoded);
        let target = pointer
            .as_deref()
            .and_then(|pointer| self.original.pointer(pointer))
            .filter(|target| is_schema(target));
        let name = target.map(|target| {
            let last = pointer
                .as_deref()
                .and_then(|pointer| pointer.rsplit('/').next());
            let name = self.free_name(last.unwrap_or_default());
            self.queue.push_back((name.clone(), target));
            name
        });
        let answer = name.as_ref().map(|name| format!("#/$defs/{name}"));
        self.names.insert(reference.to_owned(), name);
        answer
    }

    fn free_name(&mut self, wanted: &str) -> String {
        let plain: String = wanted
            .chars()
            .filter(|letter| letter.is_ascii_alphanumeric() || "_.-".contains(*letter))
            .collect();
        let plain = if plain.is_empty() {
            "root".to_owned()
        } else {
            plain
        };
        let mut name = plain.clone();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{plain}_{number}");
        }
        name
    }
}

/// A fragment of a URI as text; `None` where its escapes are no UTF-8.
fn percent_decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}
