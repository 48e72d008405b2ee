//! The scalars that a node is known to accept: most of those that are sent, decided by one comparison each.

use serde_json::Value;

use super::{node::Node, types::TypeSet};

/// The scalars that a node is known to accept. What isn't among them takes a longer look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain {
    /// `null` and booleans.
    types: TypeSet,
    /// Texts by their length in bytes, from the shortest to the longest.
    texts: (usize, usize),
    /// Whole numbers from the first to the last.
    ints: (i64, i64),
    /// Floats between these; the ends take a longer look.
    floats: (f64, f64),
}

impl Plain {
    /// No value.
    pub(super) const NONE: Self = Self {
        types: TypeSet::NONE,
        texts: (1, 0),
        ints: (1, 0),
        floats: (f64::INFINITY, f64::NEG_INFINITY),
    };

    /// Every scalar of these types; a float that is a whole number takes a longer look.
    pub(super) fn of_types(types: TypeSet) -> Self {
        let mut plain = Self {
            types,
            ..Self::NONE
        };
        if types.has(TypeSet::STRING) {
            plain.texts = (0, usize::MAX);
        }
        if types.has(TypeSet::INTEGER) {
            plain.ints = (i64::MIN, i64::MAX);
        }
        if types.has(TypeSet::NUMBER) {
            plain.floats = (f64::NEG_INFINITY, f64::INFINITY);
        }
        plain
    }

    /// Those that the node's own types and rules accept.
    pub(super) fn of(node: &Node) -> Self {
        let mut plain = Self::of_types(node.types);
        if let Some(rules) = &node.text
            && node.types.has(TypeSet::STRING)
        {
            plain.texts = rules.plain_bytes();
        }
        if let Some(rules) = &node.number {
            if node.types.has(TypeSet::INTEGER) {
                plain.ints = rules.plain_ints();
            }
            if node.types.has(TypeSet::NUMBER) {
                plain.floats = rules.plain_floats();
            }
        }
        plain
    }

    #[inline]
    pub(super) fn admits(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.texts.0 <= text.len() && text.len() <= self.texts.1,
            Value::Number(number) => {
                if let Some(int) = number.as_i64() {
                    self.ints.0 <= int && int <= self.ints.1
                } else {
                    // A whole number beyond `i64` may be rounded, but never past a float.
                    number
                        .as_f64()
                        .is_some_and(|float| self.floats.0 < float && float < self.floats.1)
                }
            }
            Value::Bool(_) => self.types.has(TypeSet::BOOLEAN),
            Value::Null => self.types.has(TypeSet::NULL),
            Value::Object(_) | Value::Array(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::schema::validator::{compile::compile, node::mark_plain};

    #[test]
    fn what_is_plain_is_accepted_by_the_longer_look_too() {
        let schemas = [
            json!({ "type": "integer", "minimum": -3, "exclusiveMaximum": 7 }),
            json!({ "type": "integer", "minimum": 0.5 }),
            json!({ "type": "integer", "minimum": i64::MAX }),
            json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 9.5 }),
            json!({ "type": "number", "maximum": u64::MAX }),
            json!({ "type": "number", "maximum": 18_446_744_073_709_551_616.0 }),
            json!({ "type": "number", "multipleOf": 2 }),
            json!({ "minimum": 1, "minLength": 3 }),
            json!({ "type": "string", "minLength": 2, "maxLength": 5 }),
            json!({ "type": "string", "minLength": 4, "maxLength": 2 }),
            json!({ "type": ["string", "null"], "pattern": "^a" }),
            json!({ "type": ["boolean", "integer"] }),
            json!({ "type": "string", "enum": ["ab"] }),
            json!(false),
        ];
        let numbers = [-4, -3, 0, 1, 6, 7, i64::MAX - 1, i64::MAX, i64::MIN];
        let floats = [-3.5, -0.0, 0.1, 6.5, 7.0, 9.5, 9.6, 1e300];
        let texts = [
            "",
            "a",
            "ab",
            "äö",
            "abc",
            "abcde",
            "abcdef",
            "💩",
            "💩💩",
            "💩💩💩💩💩",
        ];
        let mut values = vec![
            json!(null),
            json!(true),
            json!(u64::MAX),
            json!(1_u64 << 63),
        ];
        values.extend(numbers.map(|number| json!(number)));
        values.extend(floats.map(|float| json!(float)));
        values.extend(texts.map(|text| json!(text)));
        let mut plain = 0;
        for schema in schemas {
            let mut nodes = compile(&schema).unwrap_or_else(|error| unreachable!("{error}"));
            mark_plain(&mut nodes);
            let root = &nodes[0];
            for value in &values {
                if root.plain.admits(value) {
                    plain += 1;
                    assert!(root.accepts_scalar(value), "{schema} {value}");
                }
            }
        }
        assert!(plain > 40, "{plain}");
    }
}
