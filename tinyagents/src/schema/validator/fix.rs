//! What to do about a fault, in half a sentence.

use std::borrow::{Borrow, Cow};

use serde_json::Value;

use super::{
    closest::closest,
    describe::show,
    echo::{count, quote_after},
    node::{ArrayRules, Node, NodeId},
    types::TypeSet,
};

/// For a value that is missing.
pub(super) const ADD: &str = "add it, it is required";

/// For a value of the wrong type.
pub(super) fn for_type(types: TypeSet, value: &Value, optional: bool) -> Cow<'static, str> {
    let wants = |ty| types.has(ty);
    let fix = match value {
        _ if types == TypeSet::NONE => "leave it out",
        Value::Null if optional => "leave it out",
        Value::String(text) if is_quoted(types, text) => "remove the quotes",
        Value::String(text) if wants(TypeSet::OBJECT) && text.trim_start().starts_with('{') => {
            "send the object itself, not as a string"
        }
        Value::String(text) if wants(TypeSet::ARRAY) && text.trim_start().starts_with('[') => {
            "send the array itself, not as a string"
        }
        Value::Number(_) | Value::Bool(_) if wants(TypeSet::STRING) => "put it in quotes",
        Value::Number(_) if wants(TypeSet::INTEGER) => "send a whole number",
        Value::Null => "send a value that is not null",
        Value::Array(items) if items.len() == 1 && !wants(TypeSet::OBJECT) => {
            "send the item without `[ ]`"
        }
        _ if wants(TypeSet::ARRAY) && !value.is_object() => "put it in `[ ]`",
        _ if wants(TypeSet::STRING) => "send a string",
        _ if wants(TypeSet::NUMBER) => "send a number",
        _ if wants(TypeSet::INTEGER) => "send a whole number",
        _ if wants(TypeSet::BOOLEAN) => "send true or false",
        _ if wants(TypeSet::OBJECT) => "send an object",
        _ if wants(TypeSet::ARRAY) => "send an array",
        _ => "send null",
    };
    fix.into()
}

/// Whether the text says a value of these types, with quotes around it.
fn is_quoted(types: TypeSet, text: &str) -> bool {
    // Longer texts are no number; they need not be read, nor those that begin like none of these.
    text.len() <= 32
        && text.starts_with(|first: char| first.is_ascii_digit() || "-tfn".contains(first))
        && serde_json::from_str::<Value>(text).is_ok_and(|value| types.admits(&value))
}

/// For an array of the wrong size.
pub(super) fn for_size(rules: &ArrayRules, size: usize) -> Cow<'static, str> {
    if size < rules.min {
        format!("add {}", count(rules.min - size, "item")).into()
    } else {
        format!("remove {}", count(size.saturating_sub(rules.max), "item")).into()
    }
}

/// For a value that is not in the list; compares a text with the first `candidates`.
pub(super) fn for_choice(
    values: &[impl Borrow<Value>],
    value: &Value,
    candidates: usize,
) -> Cow<'static, str> {
    if let [only] = values {
        return ["send ", &show(only.borrow())].concat().into();
    }
    let texts = values
        .iter()
        .take(candidates)
        .filter_map(|listed| listed.borrow().as_str());
    match value.as_str().and_then(|text| closest(text, texts)) {
        Some(near) => quote_after("send ", near).into(),
        None => "choose one of these".into(),
    }
}

/// For a property that is not declared.
pub(super) fn for_unknown_name<'a>(
    name: &str,
    declared: impl Iterator<Item = &'a str>,
) -> Cow<'static, str> {
    match closest(name, declared) {
        Some(near) => ["rename it to `", near, "`"].concat().into(),
        None => "remove it".into(),
    }
}

/// For a value that fits none of several schemas.
pub(super) fn for_alternatives(
    nodes: &[Node],
    ids: &[NodeId],
    value: &Value,
    optional: bool,
) -> Cow<'static, str> {
    let types = ids
        .iter()
        .fold(TypeSet::NONE, |types, id| types.or(nodes[id.index()].types));
    if types.admits(value) {
        "fit one of these".into()
    } else {
        for_type(types, value, optional)
    }
}
