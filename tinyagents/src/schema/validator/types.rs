//! The set of JSON types that a schema allows.

use serde_json::{Number, Value};

/// A set of JSON types. `number` is the union of whole and fractional numbers, so that `integer` is a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TypeSet(u8);

impl TypeSet {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(1 << 1);
    pub(super) const INTEGER: Self = Self(1 << 2);
    const FRACTION: Self = Self(1 << 3);
    pub(super) const STRING: Self = Self(1 << 4);
    pub(super) const ARRAY: Self = Self(1 << 5);
    pub(super) const OBJECT: Self = Self(1 << 6);
    pub(super) const NUMBER: Self = Self::INTEGER.or(Self::FRACTION);
    pub(super) const ANY: Self = Self((1 << 7) - 1);

    /// The set that a name in `type` stands for.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all of `other` is in here.
    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether a number is allowed as far as the type goes; 3.0 is an integer.
    #[inline]
    pub(super) fn admits_number(self, number: &Number) -> bool {
        self.has(Self::NUMBER) || (self.has(Self::INTEGER) && is_whole(number))
    }

    pub(super) fn admits(self, value: &Value) -> bool {
        match value {
            Value::Null => self.has(Self::NULL),
            Value::Bool(_) => self.has(Self::BOOLEAN),
            Value::Number(number) => self.admits_number(number),
            Value::String(_) => self.has(Self::STRING),
            Value::Array(_) => self.has(Self::ARRAY),
            Value::Object(_) => self.has(Self::OBJECT),
        }
    }
}

fn is_whole(number: &Number) -> bool {
    number.is_i64()
        || number.is_u64()
        || number
            .as_f64()
            .is_some_and(|float| float.is_finite() && float.fract() == 0.0)
}

/// What kind of value it is, with its article.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_whole_float_is_an_integer_and_every_integer_a_number() {
        for whole in [
            json!(3),
            json!(3.0),
            json!(-0.0),
            json!(1e300),
            json!(u64::MAX),
        ] {
            assert!(TypeSet::INTEGER.admits(&whole), "{whole}");
            assert!(TypeSet::NUMBER.admits(&whole), "{whole}");
        }
        assert!(!TypeSet::INTEGER.admits(&json!(3.5)));
        assert!(!TypeSet::NUMBER.admits(&json!("3")));
    }

    #[test]
    fn a_union_admits_what_its_parts_admit() {
        let union = TypeSet::STRING.or(TypeSet::NULL);
        assert!(union.admits(&json!(null)) && union.admits(&json!("x")));
        assert!(!union.admits(&json!(true)));
        assert!(TypeSet::ANY.has(union) && !TypeSet::NONE.has(union));
    }
}
