//! One sub-schema, compiled: what its keywords say, with everything that can be computed beforehand computed.

use std::sync::Arc;

use super::{
    choices::Choices, number_rules::NumberRules, pattern::Pattern, plain::Plain,
    properties::PropertyTable, text_rules::TextRules, types::TypeSet,
};

/// Index of a node in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodeId(u32);

impl NodeId {
    /// The schema itself is always the first node.
    pub(super) const ROOT: Self = Self(0);

    pub(super) fn from_index(index: usize) -> Option<Self> {
        u32::try_from(index).ok().map(Self)
    }

    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A compiled sub-schema.
///
/// The rules of one JSON type are together, since a value has one type and the rules of others are silent on it.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) types: TypeSet,
    /// The scalars that are known to be accepted.
    pub(super) plain: Plain,
    /// Reached on more than one way, so that one value may be met here more than once.
    pub(super) shared: bool,
    /// Lies above a keyword that is not enforced: accepting is then no proof that the whole schema would.
    pub(super) partial: bool,
    pub(super) number: Option<Box<NumberRules>>,
    pub(super) text: Option<Box<TextRules>>,
    pub(super) array: Option<Box<ArrayRules>>,
    pub(super) object: Option<Box<ObjectRules>>,
    pub(super) combined: Option<Box<Combined>>,
    /// JSON pointer of the sub-schema.
    pub(super) path: Arc<str>,
    /// What it asks for, in words.
    pub(super) says: Arc<str>,
}

impl Node {
    /// A schema that allows everything.
    pub(super) fn open(path: String) -> Self {
        Self {
            types: TypeSet::ANY,
            plain: Plain::NONE,
            shared: false,
            partial: false,
            number: None,
            text: None,
            array: None,
            object: None,
            combined: None,
            path: path.into(),
            says: Arc::default(),
        }
    }

    /// The types that the node's own keywords ask nothing further of.
    fn unruled_types(&self) -> TypeSet {
        let ruled = [
            (self.number.is_some(), TypeSet::NUMBER),
            (self.text.is_some(), TypeSet::STRING),
        ];
        let ruled = ruled.into_iter().filter(|(is_ruled, _)| *is_ruled);
        ruled.fold(self.types, |plain, (_, types)| plain.without(types))
    }

    /// The scalars that are known to be accepted, given all nodes' own keywords.
    fn plain_scalars(&self, nodes: &[Self]) -> Plain {
        let Some(combined) = &self.combined else {
            return Plain::of(self);
        };
        let Some(branches) = combined
            .any_of
            .as_ref()
            .filter(|_| combined.is_only_any_of())
        else {
            return Plain::NONE;
        };
        let simple = branches.iter().map(|id| &nodes[id.index()]);
        let simple = simple.filter(|branch| branch.combined.is_none());
        let allowed = simple.fold(TypeSet::NONE, |all, branch| all.or(branch.unruled_types()));
        Plain::of_types(self.unruled_types().and(allowed))
    }

    /// The schemas that apply to the same value as this one.
    pub(super) fn in_place(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.combined
            .iter()
            .flat_map(|combined| {
                [
                    &combined.all_of[..],
                    combined.any_of.as_deref().unwrap_or_default(),
                    combined.one_of.as_deref().unwrap_or_default(),
                ]
            })
            .flatten()
            .copied()
    }

    /// The schemas that apply to the properties and items of the value.
    pub(super) fn inside(&self) -> impl Iterator<Item = NodeId> + '_ {
        let items = self
            .array
            .iter()
            .flat_map(|rules| rules.prefix.iter().copied().chain(rules.rest));
        let properties = self.object.iter().flat_map(|rules| {
            let additional = match rules.additional {
                Additional::Schema(id) => Some(id),
                Additional::Allowed | Additional::Denied => None,
            };
            rules.properties.nodes().chain(additional)
        });
        items.chain(properties)
    }
}

/// Notes which values every node accepts at once, also where the node is referred to.
pub(super) fn mark_plain(nodes: &mut [Node]) {
    let plain: Vec<Plain> = nodes.iter().map(|node| node.plain_scalars(nodes)).collect();
    for (node, scalars) in nodes.iter_mut().zip(&plain) {
        node.plain = *scalars;
        if let Some(rules) = &mut node.array
            && let Some(rest) = rules.rest
        {
            rules.plain = plain[rest.index()];
        }
        for property in node
            .object
            .iter_mut()
            .flat_map(|rules| rules.properties.listed_mut())
        {
            if let Some(id) = property.node {
                property.plain = plain[id.index()];
            }
        }
    }
}

/// `items`, `prefixItems`, `minItems`, `maxItems`.
#[derive(Debug)]
pub(super) struct ArrayRules {
    pub(super) prefix: Box<[NodeId]>,
    /// For the items after the prefix.
    pub(super) rest: Option<NodeId>,
    /// [`Node::plain`] of `rest`, kept here to save the look.
    pub(super) plain: Plain,
    pub(super) min: usize,
    pub(super) max: usize,
}

/// `properties`, `required`, `additionalProperties`.
#[derive(Debug)]
pub(super) struct ObjectRules {
    pub(super) properties: PropertyTable,
    pub(super) additional: Additional,
    /// The names in `patternProperties`: those that match are not additional.
    pub(super) patterns: Box<[Pattern]>,
    /// The names that are declared, in words.
    pub(super) names: Arc<str>,
}

/// What `additionalProperties` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Additional {
    Allowed,
    Denied,
    Schema(NodeId),
}

/// What applies to a value of any type beyond its type.
#[derive(Debug, Default)]
pub(super) struct Combined {
    /// `enum` and `const`; the value must be in each.
    pub(super) choices: Vec<Choices>,
    /// `allOf`, and `$ref` beside other keywords.
    pub(super) all_of: Vec<NodeId>,
    pub(super) any_of: Option<Box<[NodeId]>>,
    pub(super) one_of: Option<Box<[NodeId]>>,
    /// There is more than `choices`.
    pub(super) applies_schemas: bool,
}

impl Combined {
    fn is_only_any_of(&self) -> bool {
        self.choices.is_empty() && self.all_of.is_empty() && self.one_of.is_none()
    }
}
