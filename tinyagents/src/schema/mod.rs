//! JSON Schema: the compiled validator that every call's arguments pass, what it says when they do not, and what becomes
//! of a schema on its way to a provider: [`prepare`], [`lint`], [`SchemaCompaction`].
//!
//! ```
//! use serde_json::json;
//! use tinyagents::schema::Validator;
//!
//! let validator = Validator::compile(&json!({
//!     "type": "object",
//!     "properties": { "days": { "type": "integer", "minimum": 1, "maximum": 14 } },
//!     "additionalProperties": false
//! }))?;
//!
//! assert!(validator.is_valid(&json!({ "days": 3.0 })));
//! let faults = validator.validate(&json!({ "days": 30 })).unwrap_err();
//! assert_eq!(faults[0].to_string(), "days: expected an integer from 1 to 14, got 30; send at most 14");
//! # Ok::<(), tinyagents::schema::SchemaError>(())
//! ```

mod children;
mod compaction;
mod error;
mod finding;
mod lint;
mod preparation;
mod prepare;
mod rules;
mod schema_error;
mod shape;
mod target;
mod validator;

pub use compaction::SchemaCompaction;
pub use error::ArgumentError;
pub use finding::{Finding, FindingEffect};
pub(crate) use lint::lint_count;
pub use lint::{lint, lint_tool};
pub use preparation::SchemaPreparation;
pub use prepare::prepare;
pub use schema_error::SchemaError;
pub use target::SchemaTarget;
pub(crate) use validator::is_within_depth;
pub use validator::{
    MAX_ARGUMENT_DEPTH, MAX_ARGUMENT_VALUES, MAX_COMPOSITION, MAX_FAULTS, MAX_SCHEMA_DEPTH,
    MAX_SCHEMA_NODES, Validator,
};

pub(crate) use prepare::{ArgumentNames, type_of};
