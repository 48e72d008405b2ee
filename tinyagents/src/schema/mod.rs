//! JSON Schema: the compiled validator that every call's arguments pass, and what it says when they do not.
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

mod error;
mod schema_error;
mod validator;

pub use error::ArgumentError;
pub use schema_error::SchemaError;
pub use validator::{
    MAX_ARGUMENT_DEPTH, MAX_ARGUMENT_VALUES, MAX_COMPOSITION, MAX_FAULTS, MAX_SCHEMA_DEPTH,
    MAX_SCHEMA_NODES, Validator,
};
