//! Yes or no: the path that a valid call takes. Nothing here allocates, but for what the guard does.

use serde_json::{Map, Number, Value};

use super::{
    choices::Choices,
    guard::Guard,
    node::{Additional, ArrayRules, Combined, Node, NodeId, ObjectRules},
    types::TypeSet,
};

/// Whether the value fits the node.
///
/// How deep this recurses has been bounded: see [`MAX_COMPOSITION`](super::MAX_COMPOSITION). The functions that recurse
/// use plain loops, since every closure in between would take stack of its own.
#[expect(
    clippy::inline_always,
    reason = "most values are scalars, and are decided where they are met"
)]
#[inline(always)]
pub(super) fn accepts<G: Guard>(nodes: &[Node], guard: &mut G, id: NodeId, value: &Value) -> bool {
    nodes[id.index()].plain.admits(value) || accepts_ruled(nodes, guard, id, value)
}

/// The same for a value that isn't [`plain`](Node::plain).
#[expect(
    clippy::inline_always,
    reason = "there are four callers, and a call costs"
)]
#[inline(always)]
fn accepts_ruled<G: Guard>(nodes: &[Node], guard: &mut G, id: NodeId, value: &Value) -> bool {
    match value {
        Value::Object(_) | Value::Array(_) => accepts_guarded(nodes, guard, id, value),
        _ if nodes[id.index()].applies_schemas() => accepts_guarded(nodes, guard, id, value),
        _ => nodes[id.index()].accepts_scalar(value),
    }
}

#[inline(never)]
fn accepts_guarded<G: Guard>(nodes: &[Node], guard: &mut G, id: NodeId, value: &Value) -> bool {
    let node = &nodes[id.index()];
    if let Some(known) = guard.enter(node, id, value) {
        return known;
    }
    let mut fits = match value {
        Value::String(text) => node.accepts_text(text),
        Value::Number(number) => node.accepts_number(number),
        Value::Bool(_) => node.types.has(TypeSet::BOOLEAN),
        Value::Null => node.types.has(TypeSet::NULL),
        Value::Object(map) => {
            node.types.has(TypeSet::OBJECT)
                && match &node.object {
                    Some(rules) => {
                        guard.open(map.len()) && {
                            let fits = accepts_object(nodes, guard, rules, map);
                            guard.close();
                            fits
                        }
                    }
                    None => guard.skip(value),
                }
        }
        Value::Array(items) => {
            node.types.has(TypeSet::ARRAY)
                && match &node.array {
                    Some(rules) => {
                        guard.open(items.len()) && {
                            let fits = accepts_array(nodes, guard, rules, items);
                            guard.close();
                            fits
                        }
                    }
                    None => guard.skip(value),
                }
        }
    };
    if fits && let Some(combined) = &node.combined {
        fits = accepts_combined(nodes, guard, combined, value);
    }
    guard.leave(node, id, value, fits);
    fits
}

fn accepts_object<G: Guard>(
    nodes: &[Node],
    guard: &mut G,
    rules: &ObjectRules,
    map: &Map<String, Value>,
) -> bool {
    let mut required = rules.properties.required();
    if map.len() < required {
        return false;
    }
    let mut likely = 0;
    for (name, value) in map {
        let mut declared = None;
        if let Some((place, property)) = rules.properties.find(name, likely) {
            likely = place + 1;
            required -= usize::from(property.required);
            if property.plain.admits(value) {
                continue;
            }
            declared = property.node;
        }
        let fits = match declared {
            Some(id) => accepts_ruled(nodes, guard, id, value),
            None => match rules.additional_for(name) {
                Additional::Allowed => guard.skip(value),
                Additional::Denied => false,
                Additional::Schema(id) => accepts(nodes, guard, id, value),
            },
        };
        if !fits {
            return false;
        }
    }
    // Names in an object are distinct, so that counting them is enough.
    required == 0
}

fn accepts_array<G: Guard>(
    nodes: &[Node],
    guard: &mut G,
    rules: &ArrayRules,
    items: &[Value],
) -> bool {
    if items.len() < rules.min || items.len() > rules.max {
        return false;
    }
    let (first, rest) = items.split_at(items.len().min(rules.prefix.len()));
    for (id, item) in rules.prefix.iter().zip(first) {
        if !accepts(nodes, guard, *id, item) {
            return false;
        }
    }
    for item in rest {
        let fits = match rules.rest {
            Some(id) => rules.plain.admits(item) || accepts_ruled(nodes, guard, id, item),
            None => guard.skip(item),
        };
        if !fits {
            return false;
        }
    }
    true
}

fn accepts_combined<G: Guard>(
    nodes: &[Node],
    guard: &mut G,
    combined: &Combined,
    value: &Value,
) -> bool {
    for choices in &combined.choices {
        if !choices.contain(value) {
            return false;
        }
    }
    for id in &combined.all_of {
        if !accepts(nodes, guard, *id, value) {
            return false;
        }
    }
    if let Some(branches) = &combined.any_of
        && !accepts_any(nodes, guard, branches, value)
    {
        return false;
    }
    if let Some(branches) = &combined.one_of {
        return count_fitting(nodes, guard, branches, value).is_right();
    }
    true
}

pub(super) fn accepts_any<G: Guard>(
    nodes: &[Node],
    guard: &mut G,
    branches: &[NodeId],
    value: &Value,
) -> bool {
    for id in branches {
        if accepts(nodes, guard, *id, value) {
            return true;
        }
    }
    false
}

/// How many branches of a `oneOf` a value fits.
pub(super) struct Fitting {
    /// Of those that are enforced in full.
    pub(super) surely: usize,
    /// Of those with a keyword that is not enforced, and might have said no.
    pub(super) perhaps: usize,
}

impl Fitting {
    /// Only what is certain may refuse a value: two sure ones, or none at all.
    fn is_right(&self) -> bool {
        self.surely == 1 || (self.surely == 0 && self.perhaps > 0)
    }
}

pub(super) fn count_fitting<G: Guard>(
    nodes: &[Node],
    guard: &mut G,
    branches: &[NodeId],
    value: &Value,
) -> Fitting {
    let mut fitting = Fitting {
        surely: 0,
        perhaps: 0,
    };
    for id in branches {
        if accepts(nodes, guard, *id, value) {
            if nodes[id.index()].partial {
                fitting.perhaps += 1;
            } else {
                fitting.surely += 1;
            }
        }
        if fitting.surely > 1 {
            break;
        }
    }
    fitting
}

impl Node {
    /// Whether it is a scalar that the node accepts, as far as the node itself goes.
    #[inline(never)]
    pub(super) fn accepts_scalar(&self, value: &Value) -> bool {
        let fits = match value {
            Value::String(text) => {
                return self.accepts_text(text)
                    && self
                        .choices()
                        .iter()
                        .all(|listed| listed.contain_text(text));
            }
            Value::Number(number) => self.accepts_number(number),
            Value::Bool(_) => self.types.has(TypeSet::BOOLEAN),
            Value::Null => self.types.has(TypeSet::NULL),
            Value::Object(_) | Value::Array(_) => false,
        };
        fits && self.choices().iter().all(|listed| listed.contain(value))
    }

    /// The closed lists that a value must be in.
    #[inline]
    fn choices(&self) -> &[Choices] {
        self.combined
            .as_ref()
            .map_or(&[], |combined| &combined.choices)
    }

    /// Whether other schemas apply to the same value.
    #[inline]
    pub(super) fn applies_schemas(&self) -> bool {
        self.combined
            .as_ref()
            .is_some_and(|combined| combined.applies_schemas)
    }

    #[inline]
    fn accepts_number(&self, number: &Number) -> bool {
        self.types.admits_number(number)
            && match &self.number {
                Some(rules) => rules.accept(number),
                None => true,
            }
    }

    #[inline]
    fn accepts_text(&self, text: &str) -> bool {
        self.types.has(TypeSet::STRING)
            && match &self.text {
                Some(rules) => rules.accept(text),
                None => true,
            }
    }
}

impl ArrayRules {
    /// What applies to the item at a place.
    #[inline]
    pub(super) fn for_item(&self, index: usize) -> Option<NodeId> {
        self.prefix.get(index).copied().or(self.rest)
    }
}

impl ObjectRules {
    /// What applies to a name that `properties` does not list.
    pub(super) fn additional_for(&self, name: &str) -> Additional {
        if self.patterns.iter().any(|pattern| pattern.matches(name)) {
            Additional::Allowed
        } else {
            self.additional
        }
    }
}
