//! References giving way to what they lead to.

use serde_json::{Map, Value, json};

use super::limits::{MAX_DEPTH, MAX_NODES, MAX_UNROLLED};
use super::{Gathered, merge, references};
use crate::schema::children;

/// Replaces every reference in the root. A recursive one is unrolled a few times and then left open.
pub(super) fn inline(gathered: &mut Gathered) {
    let mut inliner = Inliner {
        definitions: &gathered.definitions,
        path: Vec::new(),
        left: MAX_NODES,
    };
    let root = std::mem::take(&mut gathered.root);
    if let Value::Object(root) = inliner.inlined(Value::Object(root), MAX_DEPTH) {
        gathered.root = root;
    }
    gathered.definitions.clear();
}

/// One sub-schema with its reference, and those of the definition, replaced; `None` where it is part of a circle.
pub(super) fn inlined_alone(
    schema: &Map<String, Value>,
    definitions: &Map<String, Value>,
) -> Option<Value> {
    let reference = schema.get("$ref").and_then(Value::as_str)?;
    let target = references::target(reference, definitions)?;
    let is_plain = target.get("$ref").is_none() && !refers(target, reference, definitions);
    let (Value::Object(target), true) = (target, is_plain) else {
        return None;
    };
    let mut merged = schema.clone();
    merged.shift_remove("$ref");
    merge::first_wins(&mut merged, target.clone());
    Some(Value::Object(merged))
}

/// Whether a schema leads to a reference, by however many others.
fn refers(schema: &Value, wanted: &str, definitions: &Map<String, Value>) -> bool {
    let mut seen: Vec<String> = Vec::new();
    let mut waiting: Vec<&Value> = vec![schema];
    while let Some(schema) = waiting.pop() {
        let Value::Object(schema) = schema else {
            continue;
        };
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            if reference == wanted || reference == "#" {
                return true;
            }
            if !seen.iter().any(|seen| seen == reference) {
                seen.push(reference.to_owned());
                waiting.extend(references::target(reference, definitions));
            }
        }
        children::for_each(schema, |step| waiting.push(step.schema));
    }
    false
}

struct Inliner<'a> {
    definitions: &'a Map<String, Value>,
    /// The references that are being followed.
    path: Vec<String>,
    left: usize,
}

impl Inliner<'_> {
    fn inlined(&mut self, schema: Value, depth: usize) -> Value {
        let Value::Object(mut schema) = schema else {
            return schema;
        };
        let (Some(depth), Some(left)) = (depth.checked_sub(1), self.left.checked_sub(1)) else {
            return json!({});
        };
        self.left = left;
        if let Some(Value::String(reference)) = schema.shift_remove("$ref") {
            let target = references::target(&reference, self.definitions);
            let followed = self
                .path
                .iter()
                .filter(|known| **known == reference)
                .count();
            match target {
                Some(Value::Object(target)) if followed < MAX_UNROLLED && self.left > 0 => {
                    merge::first_wins(&mut schema, target.clone());
                    self.path.push(reference);
                    let inlined = self.inlined(Value::Object(schema), depth);
                    self.path.pop();
                    return inlined;
                }
                Some(Value::Object(target)) => {
                    // What is left of it: whether it is an object, an array or something else.
                    for keyword in ["type", "description"] {
                        if let (Some(value), false) =
                            (target.get(keyword), schema.contains_key(keyword))
                        {
                            schema.insert(keyword.to_owned(), value.clone());
                        }
                    }
                }
                Some(Value::Bool(allows)) if schema.is_empty() => return Value::Bool(*allows),
                _ => {}
            }
        }
        children::for_each_mut(&mut schema, |_, child| {
            *child = self.inlined(child.take(), depth);
        });
        Value::Object(schema)
    }
}
