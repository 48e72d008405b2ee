//! A walk through a prepared schema that knows how far from the arguments it is.

use serde_json::{Map, Value};

use crate::schema::children;

/// How deep a walk goes; a prepared schema is never deeper.
const MAX_DEPTH: usize = 256;

/// Calls back for every sub-schema, with the number of properties and items that lead to it: 1 is an argument. The root
/// itself is 0; what is in `$defs` counts as nested.
pub(super) fn walk(schema: &mut Value, mut each: impl FnMut(&mut Map<String, Value>, usize)) {
    if let Value::Object(root) = schema {
        visit(root, 0, MAX_DEPTH, &mut each);
    }
}

fn visit(
    schema: &mut Map<String, Value>,
    distance: usize,
    depth: usize,
    each: &mut impl FnMut(&mut Map<String, Value>, usize),
) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    each(schema, distance);
    children::for_each_mut(schema, |keyword, child| {
        let further = match keyword {
            "anyOf" | "oneOf" | "allOf" | "not" | "if" | "then" | "else" => 0,
            "$defs" | "definitions" => 2,
            _ => 1,
        };
        if let Value::Object(child) = child {
            visit(child, distance + further, depth, each);
        }
    });
}
