//! What a schema asks for, in a few words.

use std::{borrow::Borrow, fmt::Display};

use serde_json::Value;

use super::{
    clip::{clip, list},
    echo::quote,
    node::{ArrayRules, Node, NodeId},
    number_rules::{Bound, NumberRules},
    properties::Property,
    text_rules::TextRules,
    types::TypeSet,
};

/// Longest list of names or values, in characters.
const MAX_LIST_CHARS: usize = 64;

/// Longest pattern that is repeated, in characters.
const MAX_PATTERN_CHARS: usize = 48;

/// How many schemas deep to look for something to say.
const MAX_LEVELS: usize = 3;

/// Puts into words what each node asks for.
pub(super) fn describe_all(nodes: &mut [Node]) {
    for index in 0..nodes.len() {
        if let Some(id) = NodeId::from_index(index) {
            nodes[index].says = describe(nodes, id).into();
        }
    }
}

/// The names that an object may have, such as ``one of `city`, `days` ``.
pub(super) fn names(properties: &[Property]) -> String {
    let mut declared = properties
        .iter()
        .filter(|property| property.node.is_some())
        .map(|property| code(property.name()))
        .peekable();
    let total = declared.clone().count();
    if declared.peek().is_none() {
        return "no properties".to_owned();
    }
    let word = if total == 1 { "only" } else { "one of" };
    format!("{word} {}", list(total, declared, MAX_LIST_CHARS))
}

/// What a node asks for, such as `an integer from 1 to 14` or `a string or null`.
fn describe(nodes: &[Node], id: NodeId) -> String {
    describe_within(nodes, id, MAX_LEVELS).unwrap_or_else(|| "a value".to_owned())
}

/// What several nodes ask for, one of them to be met.
pub(super) fn describe_any(nodes: &[Node], ids: &[NodeId]) -> String {
    any_within(nodes, ids, MAX_LEVELS).unwrap_or_else(|| "a value".to_owned())
}

/// The values that are allowed, such as `one of "a", "b"`.
pub(super) fn describe_values(values: &[impl Borrow<Value>]) -> String {
    match values {
        [] => "no value".to_owned(),
        [only] => show(only.borrow()),
        several => {
            let shown = several.iter().map(|value| show(value.borrow()));
            format!("one of {}", list(several.len(), shown, MAX_LIST_CHARS))
        }
    }
}

/// A value of the schema.
pub(super) fn show(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        _ => clip(&value.to_string(), MAX_LIST_CHARS).into_owned(),
    }
}

fn describe_within(nodes: &[Node], id: NodeId, levels: usize) -> Option<String> {
    let node = &nodes[id.index()];
    if let Some(choices) = node
        .combined
        .as_deref()
        .and_then(|combined| combined.choices.first())
    {
        return Some(choices.says().as_ref().to_owned());
    }
    if node.types != TypeSet::ANY {
        return Some(by_type(node));
    }
    let combined = node.combined.as_deref();
    let levels = levels.checked_sub(1)?;
    let alternatives = combined.and_then(|combined| {
        combined
            .any_of
            .as_deref()
            .or(combined.one_of.as_deref())
            .and_then(|ids| any_within(nodes, ids, levels))
    });
    alternatives
        .or_else(|| {
            combined?
                .all_of
                .iter()
                .find_map(|id| describe_within(nodes, *id, levels))
        })
        .or_else(|| by_rules(node))
}

/// `None` when one of the nodes says nothing: then the others are not all there is.
fn any_within(nodes: &[Node], ids: &[NodeId], levels: usize) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    for id in ids {
        let described = describe_within(nodes, *id, levels)?;
        if !words.contains(&described) {
            words.push(described);
        }
        if words.len() > 4 {
            break;
        }
    }
    Some(words.join(" or "))
}

fn by_type(node: &Node) -> String {
    let whole_number = node.types.has(TypeSet::INTEGER) && !node.types.has(TypeSet::NUMBER);
    let words: Vec<String> = [
        (TypeSet::STRING, text(node.text.as_deref())),
        (TypeSet::NUMBER, number("a number", node.number.as_deref())),
        (
            TypeSet::INTEGER,
            number("an integer", node.number.as_deref()),
        ),
        (TypeSet::BOOLEAN, "a boolean".to_owned()),
        (TypeSet::OBJECT, object(node)),
        (TypeSet::ARRAY, array(node.array.as_deref())),
        (TypeSet::NULL, "null".to_owned()),
    ]
    .into_iter()
    .filter(|(ty, _)| node.types.has(*ty) && (*ty != TypeSet::INTEGER || whole_number))
    .map(|(_, words)| words)
    .collect();
    if words.is_empty() {
        "no value".to_owned()
    } else {
        words.join(" or ")
    }
}

/// What is asked of a value by the rules for its own type, for a schema that says more than that.
pub(super) fn describe_rules(node: &Node, value: &Value) -> String {
    let noun = if node.types.has(TypeSet::NUMBER) {
        "a number"
    } else {
        "an integer"
    };
    match value {
        Value::Number(_) => number(noun, node.number.as_deref()),
        Value::String(_) => text(node.text.as_deref()),
        _ => array(node.array.as_deref()),
    }
}

/// For a schema without `type` that still says something of one type.
fn by_rules(node: &Node) -> Option<String> {
    if let Some(rules) = node.number.as_deref() {
        Some(number("a number", Some(rules)))
    } else if let Some(rules) = node.text.as_deref() {
        Some(text(Some(rules)))
    } else if let Some(rules) = node.array.as_deref() {
        Some(array(Some(rules)))
    } else {
        node.object.is_some().then(|| object(node))
    }
}

fn number(noun: &str, rules: Option<&NumberRules>) -> String {
    let Some(rules) = rules else {
        return noun.to_owned();
    };
    let mut words = noun.to_owned();
    let mut say = |text: String| {
        words.push(' ');
        words.push_str(&text);
    };
    let low = |bound: &Bound| {
        let word = if bound.exclusive {
            "above"
        } else {
            "of at least"
        };
        format!("{word} {}", bound.value)
    };
    let high = |bound: &Bound| {
        let word = if bound.exclusive {
            "below"
        } else {
            "of at most"
        };
        format!("{word} {}", bound.value)
    };
    match (&rules.low, &rules.high) {
        (Some(from), Some(to)) if !from.exclusive && !to.exclusive => {
            say(format!("from {} to {}", from.value, to.value));
        }
        (Some(from), Some(to)) => say(format!("{} and {}", low(from), high(to))),
        (Some(from), None) => say(low(from)),
        (None, Some(to)) => say(high(to)),
        (None, None) => {}
    }
    if let Some(divisor) = &rules.multiple_of {
        say(format!("divisible by {}", divisor.value));
    }
    words
}

fn text(rules: Option<&TextRules>) -> String {
    let Some(rules) = rules else {
        return "a string".to_owned();
    };
    let mut words = "a string".to_owned();
    if let Some(range) = range(rules.min, rules.max, "character") {
        words.push_str(" of ");
        words.push_str(&range);
    }
    if let Some(pattern) = &rules.pattern {
        words.push_str(" matching `");
        words.push_str(&clip(pattern.source(), MAX_PATTERN_CHARS));
        words.push('`');
    }
    words
}

fn array(rules: Option<&ArrayRules>) -> String {
    rules
        .and_then(|rules| range(rules.min, rules.max, "item"))
        .map_or_else(
            || "an array".to_owned(),
            |range| format!("an array of {range}"),
        )
}

fn object(node: &Node) -> String {
    let required = node.object.iter().flat_map(|rules| {
        rules
            .properties
            .listed()
            .iter()
            .filter(|property| property.required)
    });
    let names: Vec<String> = required.map(|property| code(property.name())).collect();
    if names.is_empty() {
        "an object".to_owned()
    } else {
        format!(
            "an object with {}",
            list(names.len(), names, MAX_LIST_CHARS)
        )
    }
}

fn range(min: usize, max: usize, noun: &str) -> Option<String> {
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    match (min, max) {
        (0, usize::MAX) => None,
        (min, usize::MAX) => Some(format!("at least {min} {noun}{}", plural(min))),
        (0, max) => Some(format!("at most {max} {noun}{}", plural(max))),
        (min, max) if min == max => Some(format!("{min} {noun}{}", plural(min))),
        (min, max) => Some(format!("{min} to {max} {noun}s")),
    }
}

/// A name of the schema, quoted as code.
pub(super) fn code(name: impl Display) -> String {
    format!("`{name}`")
}
