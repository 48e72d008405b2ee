//! The explicit bounds of schemas and arguments.

use std::borrow::Cow;

use serde_json::Value;

use crate::schema::ArgumentError;

/// Deepest nesting of arguments, counting arrays and objects: the depth that `serde_json` reads from text. Less under a
/// schema whose combinations nest: see [`Validator::max_depth`](super::Validator::max_depth).
pub const MAX_ARGUMENT_DEPTH: usize = 128;

/// Most values in the arguments of one call, counting every scalar, array and object.
pub const MAX_ARGUMENT_VALUES: usize = 16 * 1024 * 1024;

/// Most faults in one report.
pub const MAX_FAULTS: usize = 10_000;

/// Deepest nesting of a schema, counting arrays and objects; what a `$ref` leads to is counted where it is written.
pub const MAX_SCHEMA_DEPTH: usize = 128;

/// Most sub-schemas that one schema applies, each counted once however often it is referred to.
pub const MAX_SCHEMA_NODES: usize = 65_536;

/// Most `allOf`, `anyOf`, `oneOf` and accompanied `$ref`, each directly inside the other, that apply to one value.
pub const MAX_COMPOSITION: usize = 31;

/// Most nodes that a walk is inside of at once. Each takes up to 1.8 KB of stack without optimisation, and threads of
/// tests and runtimes have 2 MB.
const MAX_NODES_ON_STACK: usize = 512;

/// Arguments that are too deep or too large to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excess {
    Depth,
    Values,
}

impl Excess {
    pub(super) fn into_fault(self, max_depth: usize) -> ArgumentError {
        let (expected, got, fix) = match self {
            Self::Depth => (
                format!("at most {max_depth} levels of nesting"),
                "more levels",
                "send flatter arguments",
            ),
            Self::Values => (
                format!("at most {MAX_ARGUMENT_VALUES} values"),
                "more values",
                "send less at once",
            ),
        };
        ArgumentError {
            path: String::new(),
            expected: expected.into(),
            got: got.into(),
            fix: Cow::Borrowed(fix),
            schema_path: "".into(),
        }
    }
}

/// How deep arguments may nest where up to `composition` combinations, one inside the other, apply to each value.
pub(super) fn max_depth(composition: usize) -> usize {
    MAX_ARGUMENT_DEPTH.min(MAX_NODES_ON_STACK / (composition + 1))
}

/// Counts the values, unless they exceed the limits for arguments.
pub(super) fn measure(value: &Value, max_depth: usize) -> Result<usize, Excess> {
    let mut values = 1;
    count_inside(value, max_depth, &mut values)?;
    Ok(values)
}

/// Whether arrays and objects nest at most `levels` deep.
pub(crate) fn is_within_depth(value: &Value, levels: usize) -> bool {
    count_inside(value, levels, &mut 1) != Err(Excess::Depth)
}

/// Adds the values inside an array or object, at most `levels` deep, to those counted before.
pub(super) fn count_inside(value: &Value, levels: usize, values: &mut usize) -> Result<(), Excess> {
    // The recursion ends here whatever the value is.
    let open = |inside: usize, values: &mut usize| {
        let levels = levels.checked_sub(1).ok_or(Excess::Depth)?;
        *values = values.saturating_add(inside);
        if *values > MAX_ARGUMENT_VALUES {
            return Err(Excess::Values);
        }
        Ok(levels)
    };
    match value {
        Value::Array(items) => {
            let levels = open(items.len(), values)?;
            for item in items {
                if is_container(item) {
                    count_inside(item, levels, values)?;
                }
            }
        }
        Value::Object(map) => {
            let levels = open(map.len(), values)?;
            for item in map.values() {
                if is_container(item) {
                    count_inside(item, levels, values)?;
                }
            }
        }
        _ => {}
    }
    Ok(())
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn nested(levels: usize) -> Value {
        (0..levels).fold(json!(1), |inner, _| json!([inner]))
    }

    #[test]
    fn every_value_is_counted_once() {
        assert_eq!(measure(&json!(1), 0), Ok(1));
        assert_eq!(measure(&json!({ "a": [1, 2, {}], "b": null }), 3), Ok(6));
    }

    #[test]
    fn the_depth_limit_is_inclusive() {
        assert_eq!(measure(&nested(9), 9), Ok(10));
        assert_eq!(measure(&nested(10), 9), Err(Excess::Depth));
    }

    #[test]
    fn combinations_cost_depth_only_when_there_are_many() {
        assert_eq!(max_depth(0), MAX_ARGUMENT_DEPTH);
        assert_eq!(max_depth(3), MAX_ARGUMENT_DEPTH);
        assert_eq!(max_depth(MAX_COMPOSITION), 16);
    }
}
