//! What is wrong with the names of an object, and with their values.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{FEW, NOTHING, Report};
use crate::schema::validator::{
    fix,
    node::{Additional, Node, ObjectRules},
    path::Path,
    properties::Property,
};

impl Report<'_> {
    pub(super) fn visit_object(
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
                    self.visit_whole(id, value, &path.property(name, !property.required));
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
        self.add(
            node,
            &path.undeclared(name),
            Arc::clone(&rules.names),
            "an unknown property".into(),
            fix,
        );
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
