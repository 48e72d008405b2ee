//! The bounds that `#[arg(..)]` can put on a value: one table for the schema and for the check.

use regex::Regex;
use serde_json::{Map, Value, json};

use super::fault::{Mismatch, shortened};

/// A number as the author wrote it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Int(i128),
    /// Any other number.
    Float(f64),
}

impl Number {
    fn of(value: &serde_json::Number) -> Self {
        value.as_i128().map_or_else(
            || Self::Float(value.as_f64().unwrap_or(f64::NAN)),
            Self::Int,
        )
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "compared with a float, as JSON Schema does"
    )]
    fn as_f64(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    fn to_json(self) -> Value {
        match self {
            Self::Int(value) => i64::try_from(value)
                .map(Value::from)
                .or_else(|_| u64::try_from(value).map(Value::from))
                .unwrap_or_else(|_| json!(self.as_f64())),
            Self::Float(value) => json!(value),
        }
    }

    fn compare(self, other: Self) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => Some(left.cmp(&right)),
            (left, right) => left.as_f64().partial_cmp(&right.as_f64()),
        }
    }

    fn is_multiple_of(self, step: Self) -> bool {
        match (self, step) {
            (Self::Int(value), Self::Int(step)) => step != 0 && value % step == 0,
            (value, step) => {
                // A quotient such as 0.3 / 0.1 misses its whole number by rounding, and by no more than that.
                let quotient = value.as_f64() / step.as_f64();
                let rounding = 4.0 * f64::EPSILON * quotient.abs().max(1.0);
                (quotient - quotient.round()).abs() <= rounding.min(0.25)
            }
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
        }
    }
}

/// Whether two values are the same by JSON Schema's rules: `1` and `1.0` are one number.
pub(super) fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            Number::of(left).compare(Number::of(right)) == Some(std::cmp::Ordering::Equal)
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| is_same(l, r))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, l)| right.get(name).is_some_and(|r| is_same(l, r)))
        }
        (left, right) => left == right,
    }
}

/// A pattern as it is written, and compiled.
pub(super) struct Pattern {
    text: &'static str,
    /// `None` for one that is too large to compile, which the macro can't see; it then matches nothing.
    regex: Option<Regex>,
}

impl Pattern {
    pub(super) fn new(text: &'static str) -> Self {
        Self {
            text,
            regex: Regex::new(text).ok(),
        }
    }

    fn is_match(&self, value: &str) -> bool {
        self.regex
            .as_ref()
            .is_some_and(|regex| regex.is_match(value))
    }
}

/// What a parameter's values are held to, beside their type.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    pub(super) minimum: Option<Number>,
    pub(super) maximum: Option<Number>,
    pub(super) exclusive_minimum: Option<Number>,
    pub(super) exclusive_maximum: Option<Number>,
    pub(super) multiple_of: Option<Number>,
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    pub(super) min_items: Option<u64>,
    pub(super) max_items: Option<u64>,
    pub(super) pattern: Option<&'static str>,
}

impl Bounds {
    pub(super) const NONE: Self = Self {
        minimum: None,
        maximum: None,
        exclusive_minimum: None,
        exclusive_maximum: None,
        multiple_of: None,
        min_length: None,
        max_length: None,
        min_items: None,
        max_items: None,
        pattern: None,
    };

    /// Writes the bounds into the parameter's schema, over those of its type.
    pub(super) fn write(&self, schema: &mut Map<String, Value>) {
        if self.exclusive_minimum.is_some() {
            schema.remove("minimum");
        }
        if self.exclusive_maximum.is_some() {
            schema.remove("maximum");
        }
        let numbers = [
            ("minimum", self.minimum),
            ("exclusiveMinimum", self.exclusive_minimum),
            ("maximum", self.maximum),
            ("exclusiveMaximum", self.exclusive_maximum),
            ("multipleOf", self.multiple_of),
        ];
        let sizes = [
            ("minLength", self.min_length),
            ("maxLength", self.max_length),
            ("minItems", self.min_items),
            ("maxItems", self.max_items),
        ];
        let written = numbers
            .into_iter()
            .filter_map(|(key, number)| Some((key, number?.to_json())))
            .chain(
                sizes
                    .into_iter()
                    .filter_map(|(key, size)| Some((key, size?.into()))),
            )
            .chain(self.pattern.map(|pattern| ("pattern", pattern.into())));
        for (key, value) in written {
            schema.insert(key.to_owned(), value);
        }
    }

    /// The first bound that `value` breaks. A bound says nothing of values of another type.
    pub(super) fn check(&self, value: &Value, pattern: Option<&Pattern>) -> Result<(), Mismatch> {
        match value {
            Value::Number(number) => self.check_number(Number::of(number)),
            Value::String(text) => self.check_text(text, pattern),
            Value::Array(items) => check_size(items.len(), self.min_items, self.max_items, "items"),
            _ => Ok(()),
        }
    }

    fn check_number(&self, number: Number) -> Result<(), Mismatch> {
        use std::cmp::Ordering::{Greater, Less};
        let order = |bound: Number| number.compare(bound);
        let wrong = |relation: &str, bound: Number| {
            Mismatch::wrong(format!("{relation} {bound}"), number.to_string())
        };
        match *self {
            Self {
                minimum: Some(bound),
                ..
            } if order(bound) == Some(Less) => Err(wrong("a number not less than", bound)),
            Self {
                maximum: Some(bound),
                ..
            } if order(bound) == Some(Greater) => Err(wrong("a number not greater than", bound)),
            Self {
                exclusive_minimum: Some(bound),
                ..
            } if order(bound) != Some(Greater) => Err(wrong("a number greater than", bound)),
            Self {
                exclusive_maximum: Some(bound),
                ..
            } if order(bound) != Some(Less) => Err(wrong("a number less than", bound)),
            Self {
                multiple_of: Some(step),
                ..
            } if !number.is_multiple_of(step) => Err(wrong("a multiple of", step)),
            _ => Ok(()),
        }
    }

    fn check_text(&self, text: &str, pattern: Option<&Pattern>) -> Result<(), Mismatch> {
        if self.min_length.is_some() || self.max_length.is_some() {
            // JSON Schema counts characters, not bytes.
            check_size(
                text.chars().count(),
                self.min_length,
                self.max_length,
                "characters",
            )?;
        }
        match pattern {
            Some(pattern) if !pattern.is_match(text) => Err(Mismatch::wrong(
                format!("a text that matches `{}`", pattern.text),
                format!("{:?}", shortened(text)),
            )),
            _ => Ok(()),
        }
    }
}

fn check_size(size: usize, min: Option<u64>, max: Option<u64>, what: &str) -> Result<(), Mismatch> {
    let wrong = |relation: &str, bound: u64| {
        Mismatch::wrong(format!("{relation} {bound} {what}"), size.to_string())
    };
    let size = size as u64;
    match (min, max) {
        (Some(min), _) if size < min => Err(wrong("at least", min)),
        (_, Some(max)) if size > max => Err(wrong("at most", max)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn is_multiple(value: f64, step: f64) -> bool {
        Number::Float(value).is_multiple_of(Number::Float(step))
    }

    #[test]
    fn a_multiple_is_missed_by_rounding_alone() {
        assert!(
            is_multiple(0.3, 0.1) && is_multiple(12_345_678.91, 0.01) && is_multiple(19.99, 0.01)
        );
        assert!(!is_multiple(12_345_678.905, 0.01) && !is_multiple(0.35, 0.1));
        assert!(Number::Int(9).is_multiple_of(Number::Int(3)));
        assert!(!Number::Int(1).is_multiple_of(Number::Int(0)));
    }

    #[test]
    fn numbers_are_the_same_however_they_are_written() {
        assert!(is_same(&json!(1.0), &json!(1)));
        assert!(is_same(&json!([{ "a": 2 }]), &json!([{ "a": 2.0 }])));
        assert!(!is_same(&json!(1), &json!("1")) && !is_same(&json!([1]), &json!([1, 1])));
    }

    #[test]
    fn a_pattern_that_is_too_large_matches_nothing() {
        assert!(!Pattern::new(r"\w{5000}{500}").is_match("a"));
        assert!(Pattern::new("^a").is_match("ab"));
    }
}
