//! Why a schema cannot be compiled.

/// A schema that the validator refuses, because it cannot be sure what the schema allows.
///
/// `path` is the JSON pointer of the offending sub-schema; the root is the empty pointer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// Something that is neither an object nor a boolean stands where a schema is expected.
    #[error("schema `#{path}` is {found}; a schema is an object, `true` or `false`")]
    NotASchema {
        /// Where.
        path: String,
        /// What stands there instead.
        found: &'static str,
    },
    /// A keyword that is enforced has a value that it cannot have.
    #[error("`{keyword}` in schema `#{path}` must be {expected}")]
    InvalidKeyword {
        /// Where.
        path: String,
        /// The keyword.
        keyword: &'static str,
        /// What the keyword accepts.
        expected: &'static str,
    },
    /// `type` names something that is not a JSON type.
    #[error(
        "unknown type `{name}` in schema `#{path}`; the types are null, boolean, integer, number, string, array and object"
    )]
    UnknownType {
        /// Where.
        path: String,
        /// The name that was given.
        name: String,
    },
    /// A regular expression that is malformed, or needs look-around or back-references.
    #[error(
        "pattern `{pattern}` in schema `#{path}` is not supported; use one without look-around and back-references"
    )]
    InvalidPattern {
        /// Where.
        path: String,
        /// The pattern as written.
        pattern: String,
        /// What the regex engine said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A `$ref` that leads outside the schema, or to an anchor, or lies inside an embedded `$id`.
    #[error(
        "`$ref` `{reference}` in schema `#{path}` is not local; only `#` and JSON pointers such as `#/$defs/…` are followed"
    )]
    ExternalReference {
        /// Where.
        path: String,
        /// The reference as written.
        reference: String,
    },
    /// A local `$ref` that leads nowhere.
    #[error(
        "`$ref` `{reference}` in schema `#{path}` points to nothing; define its target in this schema"
    )]
    UnresolvedReference {
        /// Where.
        path: String,
        /// The reference as written.
        reference: String,
    },
    /// References that come back to themselves without descending into the value.
    #[error(
        "schema `#{path}` refers back to itself without a property or item in between; break the circle"
    )]
    ReferenceLoop {
        /// A schema on the circle.
        path: String,
    },
    /// A keyword that only the feature `full-schema` enforces has a value that it cannot have, or leads outside the schema.
    #[error("schema `#{path}` cannot be enforced in full; {source}")]
    Unenforceable {
        /// Where.
        path: String,
        /// What the validator of that feature said.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The schema is nested deeper than [`MAX_SCHEMA_DEPTH`](super::MAX_SCHEMA_DEPTH).
    #[error("the schema is nested more than {limit} levels deep; move parts of it to `$defs`")]
    TooDeep {
        /// The limit, in levels of JSON.
        limit: usize,
    },
    /// More than [`MAX_COMPOSITION`](super::MAX_COMPOSITION) combinations apply to one value, each inside the other.
    #[error(
        "schema `#{path}` is combined by more than {limit} nested `allOf`, `anyOf`, `oneOf` or `$ref`; flatten it"
    )]
    TooComposed {
        /// The innermost schema.
        path: String,
        /// The limit, in nested combinations.
        limit: usize,
    },
    /// The schema has more sub-schemas than [`MAX_SCHEMA_NODES`](super::MAX_SCHEMA_NODES).
    #[error("the schema has more than {limit} sub-schemas; split the tool or loosen its schema")]
    TooLarge {
        /// The limit, in sub-schemas.
        limit: usize,
    },
}
