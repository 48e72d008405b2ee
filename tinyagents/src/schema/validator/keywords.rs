//! The keywords of one schema object, read with their types checked.

use serde_json::{Map, Number, Value};

use super::{pattern::Pattern, types::TypeSet};
use crate::schema::SchemaError;

/// Keywords that the validator enforces. A `$ref` alone is an alias only while none of these stands beside it.
const ENFORCED: [&str; 23] = [
    "type",
    "properties",
    "patternProperties",
    "required",
    "additionalProperties",
    "items",
    "prefixItems",
    "additionalItems",
    "enum",
    "const",
    "allOf",
    "anyOf",
    "oneOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
];

/// Keywords that can refuse a value but are passed over here. `format` is one where an implementation chooses so.
pub(super) const PASSED_OVER: [&str; 20] = [
    "not",
    "if",
    "then",
    "else",
    "format",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "patternProperties",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
    "$recursiveRef",
];

/// One schema object and where it is.
#[derive(Clone, Copy)]
pub(super) struct Keywords<'s, 'p> {
    map: &'s Map<String, Value>,
    path: &'p str,
}

impl<'s, 'p> Keywords<'s, 'p> {
    pub(super) fn new(map: &'s Map<String, Value>, path: &'p str) -> Self {
        Self { map, path }
    }

    pub(super) fn get(&self, keyword: &str) -> Option<&'s Value> {
        self.map.get(keyword)
    }

    pub(super) fn any_enforced(&self) -> bool {
        ENFORCED
            .iter()
            .any(|keyword| self.map.contains_key(*keyword))
    }

    pub(super) fn any_passed_over(&self) -> bool {
        PASSED_OVER
            .iter()
            .any(|keyword| self.map.contains_key(*keyword))
    }

    pub(super) fn invalid(&self, keyword: &'static str, expected: &'static str) -> SchemaError {
        SchemaError::InvalidKeyword {
            path: self.path.to_owned(),
            keyword,
            expected,
        }
    }

    pub(super) fn text(&self, keyword: &'static str) -> Result<Option<&'s str>, SchemaError> {
        self.read(keyword, "a string", Value::as_str)
    }

    pub(super) fn number(&self, keyword: &'static str) -> Result<Option<&'s Number>, SchemaError> {
        self.read(keyword, "a number", Value::as_number)
    }

    pub(super) fn object(
        &self,
        keyword: &'static str,
    ) -> Result<Option<&'s Map<String, Value>>, SchemaError> {
        self.read(keyword, "an object", Value::as_object)
    }

    pub(super) fn list(&self, keyword: &'static str) -> Result<Option<&'s [Value]>, SchemaError> {
        self.read(keyword, "an array", |value| {
            value.as_array().map(Vec::as_slice)
        })
    }

    /// A list of schemas with at least one in it.
    pub(super) fn schemas(
        &self,
        keyword: &'static str,
    ) -> Result<Option<&'s [Value]>, SchemaError> {
        self.read(keyword, "an array with at least one schema", |value| {
            value
                .as_array()
                .map(Vec::as_slice)
                .filter(|list| !list.is_empty())
        })
    }

    /// A number of characters or items; `2.0` counts as 2.
    pub(super) fn count(&self, keyword: &'static str) -> Result<Option<usize>, SchemaError> {
        self.read(keyword, "a whole number, 0 or more", |value| {
            if let Some(count) = value.as_u64() {
                return Some(usize::try_from(count).unwrap_or(usize::MAX));
            }
            let float = value
                .as_f64()
                .filter(|float| *float >= 0.0 && float.fract() == 0.0)?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole and not negative; beyond the range it saturates, and nothing is that long"
            )]
            Some(float as usize)
        })
    }

    /// A regular expression that stands in this schema.
    pub(super) fn pattern(&self, source: &str) -> Result<Pattern, SchemaError> {
        Pattern::new(source).map_err(|error| SchemaError::InvalidPattern {
            path: self.path.to_owned(),
            pattern: source.to_owned(),
            source: error.into(),
        })
    }

    /// `required`, as names.
    pub(super) fn required(&self) -> Result<Vec<&'s str>, SchemaError> {
        let names = self.read("required", "an array of strings", |value| {
            value.as_array()?.iter().map(Value::as_str).collect()
        })?;
        Ok(names.unwrap_or_default())
    }

    /// `type`, a name or a list of names.
    pub(super) fn types(&self) -> Result<TypeSet, SchemaError> {
        let names = match self.map.get("type") {
            None => return Ok(TypeSet::ANY),
            Some(name @ Value::String(_)) => std::slice::from_ref(name),
            Some(Value::Array(names)) if !names.is_empty() => names,
            Some(_) => return Err(self.invalid("type", "a type name or a list of them")),
        };
        names.iter().try_fold(TypeSet::NONE, |types, name| {
            let name = name
                .as_str()
                .ok_or_else(|| self.invalid("type", "a type name or a list of them"))?;
            let ty = TypeSet::named(name).ok_or_else(|| SchemaError::UnknownType {
                path: self.path.to_owned(),
                name: name.to_owned(),
            })?;
            Ok(types.or(ty))
        })
    }

    fn read<T>(
        &self,
        keyword: &'static str,
        expected: &'static str,
        convert: impl FnOnce(&'s Value) -> Option<T>,
    ) -> Result<Option<T>, SchemaError> {
        self.map
            .get(keyword)
            .map(|value| convert(value).ok_or_else(|| self.invalid(keyword, expected)))
            .transpose()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with<T>(schema: &Value, read: impl FnOnce(Keywords<'_, '_>) -> T) -> T {
        let map = schema.as_object().expect("an object");
        read(Keywords::new(map, ""))
    }

    #[test]
    fn counts_may_be_written_as_whole_floats() {
        for (value, count) in [(json!(2), 2), (json!(2.0), 2), (json!(1e300), usize::MAX)] {
            let read = with(&json!({ "minItems": value }), |keywords| {
                keywords.count("minItems").ok().flatten()
            });
            assert_eq!(read, Some(count));
        }
        for value in [json!(-1), json!(0.5), json!("2"), json!(null)] {
            assert!(with(&json!({ "minItems": value }), |keywords| {
                keywords.count("minItems").is_err()
            }));
        }
    }

    #[test]
    fn types_are_one_name_or_several() {
        for (value, types) in [
            (json!("string"), TypeSet::STRING),
            (json!(["string", "null"]), TypeSet::STRING.or(TypeSet::NULL)),
        ] {
            let read = with(&json!({ "type": value }), |keywords| keywords.types().ok());
            assert_eq!(read, Some(types));
        }
        for value in [
            json!("dict"),
            json!([]),
            json!([1]),
            json!(null),
            json!("String"),
        ] {
            assert!(with(&json!({ "type": value }), |keywords| keywords
                .types()
                .is_err()));
        }
    }
}
