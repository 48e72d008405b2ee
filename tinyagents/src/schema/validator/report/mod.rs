//! All that is wrong, in words. Runs only for a value that has been found invalid.

mod combined;
mod object;

use std::{borrow::Cow, collections::HashSet, sync::Arc};

use serde_json::Value;

use super::{
    describe::describe_rules,
    echo::{count, echo, echo_with_kind},
    fix,
    graph::Shape,
    guard::{Memo, address},
    limits::MAX_FAULTS,
    node::{ArrayRules, Node, NodeId},
    path::Path,
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
        if !self.node(id).plain.admits(value) {
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
                echo_with_kind(value).into(),
                fix,
            );
            return;
        }
        match value {
            Value::Number(number) => {
                if let Some(rules) = node.number.as_deref()
                    && let Some(fix) = rules.fix(number)
                {
                    let expected = rules_of(node, value);
                    self.add(node, path, expected, echo(value).into(), fix.into());
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
        self.add(node, path, expected, got.into(), rules.fix(text));
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
            self.add(node, path, rules_of(node, value), got.into(), fix);
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

    fn add(
        &mut self,
        node: &Node,
        path: &Path<'_>,
        expected: Arc<str>,
        got: Cow<'static, str>,
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

/// What the node asks of a value of this type.
fn rules_of(node: &Node, value: &Value) -> Arc<str> {
    // A schema that says nothing but its type and the rules for it has said so already.
    if node.combined.is_none() && node.types != TypeSet::ANY {
        Arc::clone(&node.says)
    } else {
        describe_rules(node, value).into()
    }
}
