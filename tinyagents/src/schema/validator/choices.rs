//! `enum` and `const`: the values that are allowed, and equality as JSON Schema has it.

use std::cmp::Ordering;
use std::sync::Arc;

use serde_json::Value;

use super::{
    describe::describe_values,
    key::{Ends, Key},
    number::Num,
};

/// Up to so many texts, comparing with each is faster than a binary search.
const FEW: usize = 12;

/// A closed list of values.
#[derive(Debug)]
pub(super) struct Choices {
    listed: Box<[Value]>,
    /// The values once more if all are texts, in order if they are many; else empty.
    texts: Box<[Key]>,
    /// The values in words.
    says: Arc<str>,
}

impl Choices {
    pub(super) fn new(listed: &[Value]) -> Self {
        let texts: Option<Vec<Key>> = listed
            .iter()
            .map(|value| value.as_str().map(Key::new))
            .collect();
        let mut texts = texts.unwrap_or_default();
        if texts.len() > FEW {
            texts.sort_unstable_by(|left, right| {
                left.order(Ends::of(right.as_str()), right.as_str())
            });
        }
        Self {
            listed: listed.into(),
            texts: texts.into_boxed_slice(),
            says: describe_values(listed).into(),
        }
    }

    /// The values, in the order of the schema.
    pub(super) fn listed(&self) -> &[Value] {
        &self.listed
    }

    /// What is asked for, such as `one of "a", "b"`.
    pub(super) fn says(&self) -> &Arc<str> {
        &self.says
    }

    pub(super) fn contain(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.contain_text(text),
            _ if self.texts.is_empty() => self.listed.iter().any(|listed| equal(listed, value)),
            _ => false,
        }
    }

    pub(super) fn contain_text(&self, text: &str) -> bool {
        if self.texts.is_empty() {
            return self.listed.iter().any(|listed| listed == text);
        }
        let ends = Ends::of(text);
        if self.texts.len() <= FEW {
            self.texts.iter().any(|listed| listed.is(ends, text))
        } else {
            self.texts
                .binary_search_by(|listed| listed.order(ends, text))
                .is_ok()
        }
    }
}

/// Whether two values are the same JSON: 1 is 1.0, the order of properties does not count.
///
/// Recurses no deeper than the shallower of the two, which here is always a part of a schema.
fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            Num::of(left).compare(Num::of(right)) == Some(Ordering::Equal)
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, left)| right.get(name).is_some_and(|right| equal(left, right)))
        }
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_equal_by_value_and_objects_in_any_order() {
        assert!(equal(&json!(1), &json!(1.0)));
        assert!(equal(
            &json!({ "a": [1], "b": 2 }),
            &json!({ "b": 2.0, "a": [1.0] })
        ));
        assert!(!equal(&json!(1), &json!(true)));
        assert!(!equal(&json!([0]), &json!([false])));
        assert!(!equal(&json!({ "a": 1 }), &json!({ "a": 1, "b": 2 })));
        assert!(!equal(
            &json!(9_007_199_254_740_993_u64),
            &json!(9_007_199_254_740_992.0)
        ));
    }

    #[test]
    fn a_long_list_of_texts_is_the_same_as_a_short_one() {
        let names: Vec<Value> = (0..100).rev().map(|n| json!(format!("name{n}"))).collect();
        let choices = Choices::new(&names);
        assert!(names.iter().all(|name| choices.contain(name)));
        assert!(!choices.contain(&json!("name100")) && !choices.contain(&json!(1)));
        assert_eq!(choices.listed()[0], "name99");
    }
}
