//! What a dialect has to know.

use super::{json, native, ptype, python, typescript, xml};
use crate::dialect::Dialect;
use crate::model::{ToolCall, ToolSchema};

/// One dialect.
pub(super) trait Speech: Sync {
    /// How calls are to be written, for the model.
    fn protocol(&self) -> &'static str;

    /// The declaration of one tool.
    fn entry(&self, schema: &ToolSchema) -> String;

    /// A call of this tool; `None` where the syntax has no way to say it.
    fn call(&self, call: &ToolCall, schema: &ToolSchema) -> Option<String>;
}

pub(super) fn speech(dialect: Dialect) -> &'static dyn Speech {
    match dialect {
        Dialect::Native => &native::Native,
        Dialect::Json => &json::Json,
        Dialect::Xml => &xml::Xml,
        Dialect::PType => &ptype::PType,
        Dialect::Python => &python::Python,
        Dialect::TypeScript => &typescript::TypeScript,
    }
}
