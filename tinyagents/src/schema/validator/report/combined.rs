//! What is wrong by a list of values, and by schemas that are combined.

use std::sync::Arc;

use serde_json::Value;

use super::{NOTHING, Report};
use crate::schema::validator::{
    accept::{accepts_any, count_fitting},
    alternatives::{Meant, meant},
    choices::Choices,
    describe::{describe_any, describe_values},
    echo::{echo, echo_with_kind},
    fix,
    node::{Combined, Node, NodeId},
    path::Path,
    types::TypeSet,
};

impl Report<'_> {
    pub(super) fn visit_combined(
        &mut self,
        node: &Node,
        combined: &Combined,
        value: &Value,
        path: &Path<'_>,
    ) {
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
                let got = "a value that fits several".into();
                self.add(node, path, expected, got, "make it fit only one".into());
            } else if fitting.surely + fitting.perhaps == 0 {
                self.visit_alternatives(node, branches, value, path);
            }
        }
    }

    fn add_choice(&mut self, node: &Node, choices: &Choices, value: &Value, path: &Path<'_>) {
        let fix = fix::for_choice(choices.listed(), value, self.candidates());
        self.add(
            node,
            path,
            Arc::clone(choices.says()),
            echo(value).into(),
            fix,
        );
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
                        echo(found).into(),
                        fix::for_choice(&values, found, self.candidates()),
                    ),
                    None => (NOTHING.into(), fix::ADD.into()),
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
                self.add(node, path, expected, echo_with_kind(value).into(), fix);
            }
            Meant::Several(ids) => {
                let expected = describe_any(self.nodes, &ids).into();
                let fix = fix::for_alternatives(self.nodes, &ids, value, path.is_optional());
                self.add(node, path, expected, echo_with_kind(value).into(), fix);
            }
        }
    }
}
