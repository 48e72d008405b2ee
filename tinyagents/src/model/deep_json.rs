//! JSON values that are written so that they can be read again, however deep they are nested.
//!
//! `serde_json` writes any depth and reads 127 levels of arrays and objects, and a value that is kept has those of a
//! transcript or of requests around it: what was read from a model as text could be written and never read again.
//!
//! A value of more than 100 levels is written as an object with one key, `$deep_json`, that has the value's members as
//! JSON text. What looks like that by itself is written so, too. Arguments of a call that runs have at most 128 levels; what
//! is deeper is written as its text, and stays one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use tinytools::{ToolContent, ToolResult};

use super::strict_json;
use crate::schema::{MAX_ARGUMENT_DEPTH, is_within_depth};

const KEY: &str = "$deep_json";
/// Leaves 27 levels for what is around it.
const MOST_LEVELS: usize = 100;

/// What has JSON values in it whose depth is not known.
pub(crate) trait Nested: Clone {
    fn values(&self) -> impl Iterator<Item = &Value>;
    fn values_mut(&mut self) -> impl Iterator<Item = &mut Value>;
}

impl Nested for Value {
    fn values(&self) -> impl Iterator<Item = &Value> {
        std::iter::once(self)
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        std::iter::once(self)
    }
}

impl Nested for Option<Value> {
    fn values(&self) -> impl Iterator<Item = &Value> {
        self.iter()
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.iter_mut()
    }
}

impl Nested for BTreeMap<String, Value> {
    fn values(&self) -> impl Iterator<Item = &Value> {
        Self::values(self)
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        Self::values_mut(self)
    }
}

impl Nested for Map<String, Value> {
    fn values(&self) -> impl Iterator<Item = &Value> {
        Self::values(self)
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        Self::values_mut(self)
    }
}

impl Nested for Vec<Map<String, Value>> {
    fn values(&self) -> impl Iterator<Item = &Value> {
        self.iter().flat_map(Map::values)
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.iter_mut().flat_map(Map::values_mut)
    }
}

impl Nested for Vec<ToolContent> {
    fn values(&self) -> impl Iterator<Item = &Value> {
        self.iter().filter_map(|block| match block {
            ToolContent::Json { json: value } | ToolContent::Other(value) => Some(value),
            _ => None,
        })
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.iter_mut().filter_map(|block| match block {
            ToolContent::Json { json: value } | ToolContent::Other(value) => Some(value),
            _ => None,
        })
    }
}

impl Nested for ToolResult {
    fn values(&self) -> impl Iterator<Item = &Value> {
        let blocks = self.content.values().chain(self.follow_up.values());
        blocks.chain(self.metadata.values())
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let blocks = self.content.values_mut();
        let blocks = blocks.chain(self.follow_up.values_mut());
        blocks.chain(self.metadata.values_mut())
    }
}

pub(crate) fn serialize<S: Serializer>(
    nested: &(impl Nested + Serialize),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    held(nested).serialize(serializer)
}

pub(crate) fn deserialize<'de, T: Nested + Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let mut nested = T::deserialize(deserializer)?;
    nested.values_mut().for_each(restore);
    Ok(nested)
}

/// The text of a value that is kept by itself.
#[cfg(feature = "sqlite")]
pub(crate) fn to_text(value: &Value) -> String {
    held(value).to_string()
}

/// The value of such a text.
#[cfg(feature = "sqlite")]
pub(crate) fn from_text(text: &str) -> Result<Value, serde_json::Error> {
    deserialize(&mut serde_json::Deserializer::from_str(text))
}

/// The form in which it is written.
fn held<T: Nested>(nested: &T) -> Cow<'_, T> {
    let needs_form =
        |value: &Value| !is_within_depth(value, MOST_LEVELS) || held_in(value).is_some();
    if !nested.values().any(needs_form) {
        return Cow::Borrowed(nested);
    }
    let mut nested = nested.clone();
    for value in nested.values_mut().filter(|value| needs_form(value)) {
        *value = form_of(value);
    }
    Cow::Owned(nested)
}

fn form_of(value: &Value) -> Value {
    let text = |value: &Value| Value::String(value.to_string());
    if !is_within_depth(value, MAX_ARGUMENT_DEPTH) {
        return text(value);
    }
    let members = match value {
        Value::Array(items) => items.iter().map(text).collect(),
        Value::Object(map) => {
            let members = map.iter().map(|(key, value)| (key.clone(), text(value)));
            Value::Object(members.collect())
        }
        scalar => return scalar.clone(),
    };
    Value::Object(Map::from_iter([(KEY.to_owned(), members)]))
}

/// The members of a value that is held in that form, or looks as if it were.
fn held_in(value: &Value) -> Option<&Value> {
    let object = value.as_object().filter(|object| object.len() == 1);
    object?.get(KEY)
}

/// Undoes [`form_of`]; what no version has written stays as it is.
fn restore(value: &mut Value) {
    let read = |text: &Value| strict_json::parse(text.as_str()?).ok();
    let restored = match held_in(value) {
        Some(Value::Array(items)) => items
            .iter()
            .map(read)
            .collect::<Option<_>>()
            .map(Value::Array),
        Some(Value::Object(map)) => {
            let members = map
                .iter()
                .map(|(key, text)| Some((key.clone(), read(text)?)));
            members.collect::<Option<_>>().map(Value::Object)
        }
        _ => None,
    };
    if let Some(restored) = restored {
        *value = restored;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Kept {
        #[serde(with = "super")]
        arguments: Value,
    }

    fn deep(levels: usize) -> Value {
        (1..levels).fold(json!([1]), |value, level| {
            if level % 2 == 0 {
                json!([value, level])
            } else {
                json!({ "a": value, "b": "\"\\" })
            }
        })
    }

    fn again(arguments: Value) -> Value {
        let text = serde_json::to_string(&Kept { arguments }).unwrap();
        serde_json::from_str::<Kept>(&text).unwrap().arguments
    }

    #[test]
    fn whatever_arguments_a_call_can_have_is_read_as_it_was_written() {
        for levels in 1..=MAX_ARGUMENT_DEPTH {
            assert_eq!(again(deep(levels)), deep(levels), "{levels}");
            let held = serde_json::to_value(Kept {
                arguments: deep(levels),
            })
            .unwrap();
            assert!(is_within_depth(&held, MOST_LEVELS + 1), "{levels}");
        }
        for like in [
            json!({ KEY: ["1"] }),
            json!({ KEY: { "a": "1" } }),
            json!({ KEY: { KEY: ["1"] } }),
            json!({ KEY: "text" }),
            json!({ KEY: [] }),
            json!({ KEY: [1] }),
            json!({ KEY: ["1"], "a": 1 }),
            json!([{ KEY: ["1"] }]),
            json!(KEY),
            json!(null),
        ] {
            assert_eq!(again(like.clone()), like);
        }
    }

    #[test]
    fn what_is_deeper_than_that_is_text() {
        let deep = deep(MAX_ARGUMENT_DEPTH + 1);
        assert_eq!(again(deep.clone()), Value::String(deep.to_string()));
    }

    #[test]
    fn what_nobody_has_written_so_is_left_as_it_is() {
        for text in [
            r#"{"arguments":{"$deep_json":["{"]}}"#,
            r#"{"arguments":{"$deep_json":[1]}}"#,
            r#"{"arguments":{"$deep_json":{"a":"{\"b\":1,\"b\":2}"}}}"#,
        ] {
            let read: Kept = serde_json::from_str(text).unwrap();
            assert!(held_in(&read.arguments).is_some(), "{text}");
        }
    }
}
