//! All that is wrong, in words. Runs only for a value that has been found invalid.

use std::{borrow::Cow, collections::HashSet, sync::Arc};

use serde_json::{Map, Value};

use super::{
    accept::{accepts_any, count_fitting},
    alternatives::{Meant, meant},
    choices::Choices,
    describe::{describe_any, describe_rules, describe_values},
    echo::{count, echo, echo_with_kind},
    fix,
    graph::Shape,
    guard::{Memo, address},
    limits::MAX_FAULTS,
    node::{Additional, ArrayRules, Combined, Node, NodeId, ObjectRules},
    path::Path,
    properties::Property,
    types::TypeSet,
};
use crate::schema::ArgumentError;

/// Room for the faults of most calls.
const TYPICAL_FAULTS: usize = 8;

/// Up to so many faults, a new one is compared with each; up to so many names, one is compared with each.
const FEW: usize = 32;

/// Most faults for which the nearest name is looked for.
const MAX_HINTS: usize = 32;

/// Most names to look among.
const MAX_CANDIDATES: usize = 256;

/// What was found where something is missing. There is nothing in it to redact.
const NOTHING: &str = "nothing";

/// The faults found so far.
pub(super) struct Report<'a> {
    nodes: &'a [Node],
    shape: Shape,
    /// Top-level arguments whose values must not be repeated.
    redacted: &'a [&'a str],
    memo: Memo,
    /// Shared nodes whose faults with a value are in the report already.
    visited: HashSet<(NodeId, usize)>,
    faults: Vec<ArgumentError>,
}

impl<'a> Report<'a> {
    pub(super) fn new(nodes: &'a [Node], shape: Shape, redacted: &'a [&'a str]) -> Self {
        Self {
            nodes,
            shape,
            redacted,
            memo: Memo::default(),
            visited: HashSet::new(),
            faults: Vec::with_capacity(TYPICAL_FAULTS),
        }
    }

    /// The faults of a value, in its own order, each once.
    pub(super) fn of(mut self, value: &Value) -> Vec<ArgumentError> {
        self.visit(NodeId::ROOT, value, &Path::ROOT);
        if self.shape.composition > 0 && self.faults.len() > FEW {
            self.forget_repeated();
        }
        self.faults
    }

    /// Schemas that are combined may ask for the same.
    fn forget_repeated(&mut self) {
        let mut seen = HashSet::with_capacity(self.faults.len());
        let repeated: Vec<bool> = self
            .faults
            .iter()
            .map(|fault| !seen.insert((fault.path.as_str(), &*fault.expected)))
            .collect();
        let mut repeated = repeated.into_iter();
        self.faults.retain(|_| repeated.next() != Some(true));
    }

    /// Recurses as [`accepts`](super::accept::accepts) does.
    #[inline]
    fn visit(&mut self, id: NodeId, value: &Value, path: &Path<'_>) {
        let node = self.node(id);
        let fits =
            node.plain.admits(value) || (!node.applies_schemas() && node.accepts_scalar(value));
        if !fits {
            self.visit_whole(id, value, path);
        }
    }

    #[inline(never)]
    fn visit_whole(&mut self, id: NodeId, value: &Value, path: &Path<'_>) {
        let node = self.node(id);
        if self.faults.len() >= MAX_FAULTS {
            return;
        }
        if self.shape.ambiguous && node.shared && !self.visited.insert((id, address(value))) {
            return;
        }
        if !node.types.admits(value) {
            // The other keywords would only say again that this is something else.
            let fix = fix::for_type(node.types, value, path.is_optional());
            self.add(
                node,
                path,
                Arc::clone(&node.says),
                echo_with_kind(value),
                fix,
            );
            return;
        }
        match value {
            Value::Number(number) => {
                if let Some(rules) = node.number.as_deref()
                    && !rules.accept(number)
                {
                    let expected = rules_of(node, value);
                    self.add(node, path, expected, echo(value), rules.fix(number).into());
                }
            }
            Value::String(text) => self.visit_text(node, value, text, path),
            Value::Array(items) => {
                if let Some(rules) = node.array.as_deref() {
                    self.visit_array(node, rules, value, items, path);
                }
            }
            Value::Object(map) => {
                if let Some(rules) = node.object.as_deref() {
                    self.visit_object(node, rules, map, path);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
        if let Some(combined) = node.combined.as_deref() {
            self.visit_combined(node, combined, value, path);
        }
    }

    fn visit_text(&mut self, node: &Node, value: &Value, text: &str, path: &Path<'_>) {
        let Some(rules) = node.text.as_deref() else {
            return;
        };
        if rules.accept(text) {
            return;
        }
        let got = if rules.accept_length(text) {
            echo(value)
        } else {
            count(text.chars().count(), "character")
        };
        let expected = rules_of(node, value);
        self.add(node, path, expected, got, rules.fix(text));
    }

    fn visit_array(
        &mut self,
        node: &Node,
        rules: &ArrayRules,
        value: &Value,
        items: &[Value],
        path: &Path<'_>,
    ) {
        if items.len() < rules.min || items.len() > rules.max {
            let got = count(items.len(), "item");
            let fix = fix::for_size(rules, items.len());
            self.add(node, path, rules_of(node, value), got, fix);
        }
        for (index, item) in items.iter().enumerate() {
            if index >= rules.prefix.len() && rules.plain.admits(item) {
                continue;
            }
            if let Some(id) = rules.for_item(index) {
                self.visit(id, item, &path.index(index));
            }
        }
    }

    fn visit_object(
        &mut self,
        node: &Node,
        rules: &ObjectRules,
        map: &Map<String, Value>,
        path: &Path<'_>,
    ) {
        let mut likely = 0;
        let mut required = rules.properties.required();
        for (name, value) in map {
            if let Some((place, property)) = rules.properties.find(name, likely) {
                likely = place + 1;
                required -= usize::from(property.required);
                if property.plain.admits(value) {
                    continue;
                }
                if let Some(id) = property.node {
                    self.visit(id, value, &path.property(name, !property.required));
                    continue;
                }
            }
            match rules.additional_for(name) {
                Additional::Allowed => {}
                Additional::Denied => self.add_unknown(node, rules, name, path),
                Additional::Schema(id) => self.visit(id, value, &path.undeclared(name)),
            }
        }
        if required == 0 {
            return;
        }
        for property in rules.properties.listed() {
            if property.required && !has(map, property) {
                let (node, expected) = match property.node.map(|id| self.node(id)) {
                    Some(inner) => (inner, Arc::clone(&inner.says)),
                    None => (node, Arc::from("a value")),
                };
                let path = path.property(property.name(), false);
                self.add(node, &path, expected, NOTHING.into(), fix::ADD.into());
            }
        }
    }

    fn add_unknown(&mut self, node: &Node, rules: &ObjectRules, name: &str, path: &Path<'_>) {
        let declared = rules
            .properties
            .listed()
            .iter()
            .filter(|property| property.node.is_some())
            .map(Property::name)
            .take(self.candidates());
        let fix = fix::for_unknown_name(name, declared);
        let got = "an unknown property".to_owned();
        self.add(
            node,
            &path.undeclared(name),
            Arc::clone(&rules.names),
            got,
            fix,
        );
    }

    fn visit_combined(&mut self, node: &Node, combined: &Combined, value: &Value, path: &Path<'_>) {
        for choices in &combined.choices {
            if !choices.contain(value) {
                self.add_choice(node, choices, value, path);
            }
        }
        for id in &combined.all_of {
            self.visit(*id, value, path);
        }
        if let Some(branches) = combined.any_of.as_deref()
            && !accepts_any(self.nodes, &mut self.memo, branches, value)
        {
            self.visit_alternatives(node, branches, value, path);
        }
        if let Some(branches) = combined.one_of.as_deref() {
            let fitting = count_fitting(self.nodes, &mut self.memo, branches, value);
            if fitting.surely > 1 {
                let expected = format!("exactly one of {} alternatives", branches.len()).into();
                let got = "a value that fits several".to_owned();
                self.add(node, path, expected, got, "make it fit only one".into());
            } else if fitting.surely + fitting.perhaps == 0 {
                self.visit_alternatives(node, branches, value, path);
            }
        }
    }

    fn add_choice(&mut self, node: &Node, choices: &Choices, value: &Value, path: &Path<'_>) {
        let fix = fix::for_choice(choices.listed(), value, self.candidates());
        self.add(node, path, Arc::clone(choices.says()), echo(value), fix);
    }

    fn visit_alternatives(
        &mut self,
        node: &Node,
        branches: &[NodeId],
        value: &Value,
        path: &Path<'_>,
    ) {
        match meant(self.nodes, branches, value) {
            Meant::Branch(id) => self.visit(id, value, path),
            Meant::Tag { name, values } => {
                let expected = describe_values(&values).into();
                let (got, fix) = match value.get(name) {
                    Some(found) => (
                        echo(found),
                        fix::for_choice(&values, found, self.candidates()),
                    ),
                    None => (NOTHING.to_owned(), fix::ADD.into()),
                };
                self.add(node, &path.property(name, false), expected, got, fix);
            }
            Meant::Another => {
                // A schema without a type of its own says what its branches ask for.
                let expected = if node.types == TypeSet::ANY {
                    Arc::clone(&node.says)
                } else {
                    describe_any(self.nodes, branches).into()
                };
                let fix = fix::for_alternatives(self.nodes, branches, value, path.is_optional());
                self.add(node, path, expected, echo_with_kind(value), fix);
            }
            Meant::Several(ids) => {
                let expected = describe_any(self.nodes, &ids).into();
                let fix = fix::for_alternatives(self.nodes, &ids, value, path.is_optional());
                self.add(node, path, expected, echo_with_kind(value), fix);
            }
        }
    }

    fn add(
        &mut self,
        node: &Node,
        path: &Path<'_>,
        expected: Arc<str>,
        got: String,
        fix: Cow<'static, str>,
    ) {
        let redacted = path.is_under(self.redacted);
        let mut fault = ArgumentError {
            path: path.render(redacted),
            expected,
            got,
            fix,
            schema_path: Arc::clone(&node.path),
        };
        if redacted && fault.got != NOTHING {
            fault.redact();
        }
        // Up to a few, this is faster than to hash them all in the end.
        let is_repeated = self.shape.composition > 0
            && self.faults.len() <= FEW
            && self
                .faults
                .iter()
                .any(|before| before.path == fault.path && before.expected == fault.expected);
        if !is_repeated {
            self.faults.push(fault);
        }
    }

    fn node(&self, id: NodeId) -> &'a Node {
        &self.nodes[id.index()]
    }

    /// How many names to compare a wrong one with. After the first faults nobody reads on, and looking for the nearest
    /// name is the one thing here whose cost is more than schema × instance.
    fn candidates(&self) -> usize {
        if self.faults.len() < MAX_HINTS {
            MAX_CANDIDATES
        } else {
            0
        }
    }
}

/// Comparing a few names is faster than hashing one.
fn has(map: &Map<String, Value>, property: &Property) -> bool {
    if map.len() <= FEW {
        map.keys().any(|name| *name == property.name())
    } else {
        map.contains_key(property.name())
    }
}

/// What the node asks of a value of this type.
fn rules_of(node: &Node, value: &Value) -> Arc<str> {
    // A schema that says nothing but its type and the rules for it has said so already.
    if node.combined.is_none() && node.types != TypeSet::ANY {
        Arc::clone(&node.says)
    } else {
        describe_rules(node, value).into()
    }
}
