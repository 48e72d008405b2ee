//! Whether a result is what its tool has promised.

use serde_json::Value;
use tinytools::{ToolContent, ToolResult};

use crate::registry::RegisteredTool;
use crate::schema::Validator;

/// Checks a successful result against the tool's `output_schema`. What is told of a violation names places and
/// expectations, never a value: it is for the host, which may not have asked for contents.
pub(super) fn check(tool: &RegisteredTool, result: &mut ToolResult) -> Result<(), String> {
    let Some(validator) = tool.output_validator() else {
        return Ok(());
    };
    let mut blocks = result.content.iter();
    if let Some(json) = blocks.find_map(|block| match block {
        ToolContent::Json { json } => Some(json),
        _ => None,
    }) {
        return check_value(validator, json);
    }
    match result.content.as_mut_slice() {
        [] => check_value(validator, &Value::Null),
        // A structured result may be told as text: a string as it is, anything else as JSON.
        [ToolContent::Text { text }] => {
            let string = Value::String(std::mem::take(text));
            let is_valid = validator.is_valid(&string);
            if let Value::String(whole) = string {
                *text = whole;
            }
            if is_valid {
                return Ok(());
            }
            match serde_json::from_str(text) {
                Ok(value) => check_value(validator, &value),
                Err(_) => Err(nothing_structured()),
            }
        }
        _ => Err(nothing_structured()),
    }
}

fn nothing_structured() -> String {
    "the result breaks the output schema: it has no structured content".to_owned()
}

fn check_value(validator: &Validator, value: &Value) -> Result<(), String> {
    if validator.is_valid(value) {
        return Ok(());
    }
    let faults = validator.validate(value).err().unwrap_or_default();
    // A path may hold names of undeclared properties, which are content; the schema's own path doesn't.
    let places: Vec<String> = faults
        .iter()
        .take(MAX_PLACES)
        .map(|fault| format!("`{}`", fault.schema_path))
        .collect();
    Err(format!(
        "the result breaks the output schema at {}",
        places.join(", ")
    ))
}

/// The first faults say enough.
const MAX_PLACES: usize = 5;
