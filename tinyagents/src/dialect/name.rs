//! The ways of speaking tools.

use serde::{Deserialize, Serialize};

/// One complete way of speaking tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Dialect {
    /// The provider's own channel: the request carries the schemas, the response the calls.
    #[default]
    Native,
    /// `<tool_call>{"name":"search","arguments":{"query":"rust"}}</tool_call>`.
    Json,
    /// `<search><query>rust</query></search>`.
    Xml,
    /// `search("rust", 5)`: by place, trailing optional arguments left out.
    #[serde(rename = "ptype", alias = "pformat", alias = "p_type")]
    PType,
    /// `search(query="rust", limit=5)`.
    Python,
    /// `search({ query: "rust", limit: 5 })`.
    #[serde(rename = "type_script", alias = "typescript")]
    TypeScript,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Native,
        Self::Json,
        Self::Xml,
        Self::PType,
        Self::Python,
        Self::TypeScript,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_is_read_by_every_name_that_it_goes_by() {
        for (name, dialect) in [
            ("native", Dialect::Native),
            ("json", Dialect::Json),
            ("xml", Dialect::Xml),
            ("ptype", Dialect::PType),
            ("pformat", Dialect::PType),
            ("p_type", Dialect::PType),
            ("python", Dialect::Python),
            ("type_script", Dialect::TypeScript),
            ("typescript", Dialect::TypeScript),
        ] {
            let read: Dialect = serde_json::from_value(name.into()).unwrap();
            assert_eq!(read, dialect, "{name}");
        }
    }
}
