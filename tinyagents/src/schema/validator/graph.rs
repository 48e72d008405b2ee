//! What can be said of the nodes together: no schema applies itself to the same value, and how expensive it can get.

use super::{
    limits::MAX_COMPOSITION,
    node::{Node, NodeId},
};
use crate::schema::SchemaError;

/// What the nodes together look like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// One node can meet one value on more than one way.
    pub(super) ambiguous: bool,
    /// How many combinations, one inside the other, apply to one value at most.
    pub(super) composition: usize,
}

/// Checks the nodes and marks those that are shared or partial.
pub(super) fn analyse(nodes: &mut [Node]) -> Result<Shape, SchemaError> {
    let composition = check_composition(nodes)?;
    mark_shared(nodes);
    mark_partial(nodes);
    Ok(Shape {
        // Without combinations a value is met by one node only; without shared nodes no node is reached twice.
        ambiguous: composition > 0 && nodes.iter().any(|node| node.shared),
        composition,
    })
}

/// Sorts the nodes so that each comes before those that apply in its place. What cannot be sorted lies on or behind a
/// circle; the position in the order bounds how deep the validator recurses without descending into the value.
fn check_composition(nodes: &[Node]) -> Result<usize, SchemaError> {
    let mut waiting = vec![0_usize; nodes.len()];
    for id in nodes.iter().flat_map(Node::in_place) {
        waiting[id.index()] += 1;
    }
    let mut level = vec![0_usize; nodes.len()];
    let mut ready: Vec<usize> = (0..nodes.len()).filter(|at| waiting[*at] == 0).collect();
    let mut sorted = 0;
    while let Some(at) = ready.pop() {
        sorted += 1;
        if level[at] > MAX_COMPOSITION {
            return Err(SchemaError::TooComposed {
                path: nodes[at].path.to_string(),
                limit: MAX_COMPOSITION,
            });
        }
        for inner in nodes[at].in_place().map(NodeId::index) {
            level[inner] = level[inner].max(level[at] + 1);
            waiting[inner] -= 1;
            if waiting[inner] == 0 {
                ready.push(inner);
            }
        }
    }
    if sorted == nodes.len() {
        return Ok(level.into_iter().max().unwrap_or(0));
    }
    Err(SchemaError::ReferenceLoop {
        path: on_circle(nodes, &waiting),
    })
}

/// Every unsorted node has an unsorted one before it, so that walking backwards long enough ends up on a circle.
fn on_circle(nodes: &[Node], waiting: &[usize]) -> String {
    let mut before = vec![None; nodes.len()];
    let mut at = 0;
    for (outer, node) in nodes.iter().enumerate() {
        if waiting[outer] > 0 {
            at = outer;
            node.in_place()
                .for_each(|inner| before[inner.index()] = Some(outer));
        }
    }
    for _ in 0..nodes.len() {
        at = before[at].unwrap_or(at);
    }
    nodes[at].path.to_string()
}

fn mark_shared(nodes: &mut [Node]) {
    let mut ways = vec![0_usize; nodes.len()];
    // The root is also reached from outside.
    if let Some(root) = ways.first_mut() {
        *root = 1;
    }
    for id in nodes
        .iter()
        .flat_map(|node| node.in_place().chain(node.inside()))
    {
        ways[id.index()] += 1;
    }
    for (node, ways) in nodes.iter_mut().zip(ways) {
        node.shared = ways > 1;
    }
}

/// Spreads `partial` from a schema to all those that it is a part of.
fn mark_partial(nodes: &mut [Node]) {
    let mut parents = vec![Vec::new(); nodes.len()];
    for (outer, node) in nodes.iter().enumerate() {
        for inner in node.in_place().chain(node.inside()) {
            parents[inner.index()].push(outer);
        }
    }
    let mut spreading: Vec<usize> = (0..nodes.len()).filter(|at| nodes[*at].partial).collect();
    while let Some(at) = spreading.pop() {
        for outer in parents[at].drain(..) {
            if !nodes[outer].partial {
                nodes[outer].partial = true;
                spreading.push(outer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::schema::validator::compile::compile;

    fn analysed(schema: &Value) -> Result<(Vec<Node>, Shape), SchemaError> {
        let mut nodes = compile(schema)?;
        let shape = analyse(&mut nodes)?;
        Ok((nodes, shape))
    }

    #[test]
    fn a_circle_through_the_value_is_fine_and_one_in_place_is_not() {
        assert!(analysed(&json!({ "properties": { "next": { "$ref": "#" } } })).is_ok());
        for schema in [
            json!({ "$ref": "#" }),
            json!({ "allOf": [{ "$ref": "#" }] }),
            json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
            json!({ "properties": { "x": { "anyOf": [{ "type": "null" }, { "$ref": "#/properties/x" }] } } }),
            json!({ "type": "object", "$ref": "#" }),
        ] {
            assert!(
                matches!(analysed(&schema), Err(SchemaError::ReferenceLoop { .. })),
                "{schema}"
            );
        }
    }

    #[test]
    fn the_error_names_a_schema_on_the_circle() {
        let schema = json!({
            "allOf": [{ "$ref": "#/$defs/a" }],
            "$defs": {
                "a": { "oneOf": [{ "$ref": "#/$defs/b" }] },
                "b": { "oneOf": [{ "$ref": "#/$defs/a" }, { "anyOf": [true] }] }
            }
        });
        match analysed(&schema) {
            Err(SchemaError::ReferenceLoop { path }) => {
                assert!(path.starts_with("/$defs/"), "{path}");
            }
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn a_tree_is_not_ambiguous_and_neither_is_recursion_without_combinations() {
        for (schema, ambiguous) in [
            (
                json!({ "anyOf": [{ "type": "string" }, { "items": { "anyOf": [true, false] } }] }),
                false,
            ),
            (json!({ "properties": { "next": { "$ref": "#" } } }), false),
            (
                json!({ "properties": { "next": { "anyOf": [{ "$ref": "#" }, { "type": "null" }] } } }),
                true,
            ),
        ] {
            assert_eq!(
                analysed(&schema).map(|(_, shape)| shape.ambiguous).ok(),
                Some(ambiguous),
                "{schema}"
            );
        }
    }

    #[test]
    fn a_schema_above_an_unenforced_keyword_is_partial() {
        let schema =
            json!({ "oneOf": [{ "items": { "items": { "not": true } } }, { "type": "null" }] });
        let nodes = analysed(&schema)
            .map(|(nodes, _)| nodes)
            .unwrap_or_default();
        let partial: Vec<&str> = nodes
            .iter()
            .filter(|node| node.partial)
            .map(|node| &*node.path)
            .collect();
        assert_eq!(
            partial,
            ["", "/oneOf/0", "/oneOf/0/items", "/oneOf/0/items/items"]
        );
    }
}
