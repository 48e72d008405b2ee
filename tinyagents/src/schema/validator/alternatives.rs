//! Which branch of an `anyOf` or `oneOf` a value that fits none of them was meant for.

use serde_json::{Map, Value};

use super::node::{Node, NodeId};

/// What can be said about a value that fits no branch.
pub(super) enum Meant<'n> {
    /// This one: it is the only one of the right kind, so that its own faults are the answer.
    Branch(NodeId),
    /// An object whose `name` should tell the branches apart, but names none of them.
    Tag {
        name: &'n str,
        values: Vec<&'n Value>,
    },
    /// Any of these.
    Several(Vec<NodeId>),
    /// None: the value is of another type than all of them.
    Another,
}

pub(super) fn meant<'n>(nodes: &'n [Node], branches: &[NodeId], value: &Value) -> Meant<'n> {
    let of_kind: Vec<NodeId> = branches
        .iter()
        .copied()
        .filter(|id| is_of_kind(nodes, *id, value))
        .collect();
    if of_kind.is_empty() {
        return Meant::Another;
    }
    if let Some((name, values)) = value
        .as_object()
        .filter(|_| of_kind.len() > 1)
        .and_then(|map| missed_tag(nodes, &of_kind, map))
    {
        return Meant::Tag { name, values };
    }
    let candidates: Vec<NodeId> = of_kind
        .iter()
        .copied()
        .filter(|id| agrees(nodes, *id, value))
        .collect();
    match (candidates.as_slice(), of_kind.as_slice()) {
        ([only], _) | ([], [only]) => Meant::Branch(*only),
        ([], _) => Meant::Several(of_kind),
        _ => Meant::Several(candidates),
    }
}

/// The node, and those that it names as parts of itself.
fn with_parts(nodes: &[Node], id: NodeId) -> impl Iterator<Item = &Node> {
    let node = &nodes[id.index()];
    let parts = node
        .combined
        .iter()
        .flat_map(|combined| &combined.all_of)
        .map(|part| &nodes[part.index()]);
    std::iter::once(node).chain(parts)
}

fn is_of_kind(nodes: &[Node], id: NodeId, value: &Value) -> bool {
    with_parts(nodes, id).all(|node| node.types.admits(value))
}

/// Whether the properties with a closed list of values, which is what tells branches apart, have one of these.
fn agrees(nodes: &[Node], id: NodeId, value: &Value) -> bool {
    with_parts(nodes, id).all(|node| {
        let chosen = node.combined.as_deref().is_none_or(|combined| {
            combined
                .choices
                .iter()
                .all(|choices| choices.contain(value))
        });
        let tagged = value
            .as_object()
            .is_none_or(|map| tags_agree(nodes, node, map));
        chosen && tagged
    })
}

fn tags_agree(nodes: &[Node], node: &Node, map: &Map<String, Value>) -> bool {
    tags(nodes, node).all(|(name, values)| map.get(name).is_none_or(|value| values.contain(value)))
}

/// The properties of a node that have a closed list of values.
fn tags<'n>(
    nodes: &'n [Node],
    node: &'n Node,
) -> impl Iterator<Item = (&'n str, &'n super::choices::Choices)> {
    node.object
        .iter()
        .flat_map(|rules| rules.properties.listed())
        .filter_map(|property| {
            let combined = nodes[property.node?.index()].combined.as_deref()?;
            Some((property.name(), combined.choices.first()?))
        })
}

/// A property that has a closed list of values in every branch, and in the object a value from none of them, or none.
fn missed_tag<'n>(
    nodes: &'n [Node],
    branches: &[NodeId],
    map: &Map<String, Value>,
) -> Option<(&'n str, Vec<&'n Value>)> {
    let (first, others) = branches.split_first()?;
    with_parts(nodes, *first)
        .flat_map(|node| tags(nodes, node))
        .find_map(|(name, choices)| {
            let found = map.get(name);
            let mut values: Vec<&Value> = choices.listed().iter().collect();
            let mut missed = found.is_none_or(|found| !choices.contain(found));
            for other in others {
                let (_, choices) = with_parts(nodes, *other)
                    .flat_map(|node| tags(nodes, node))
                    .find(|(other_name, _)| *other_name == name)?;
                missed &= found.is_none_or(|found| !choices.contain(found));
                values.extend(choices.listed());
            }
            missed.then_some((name, values))
        })
}
