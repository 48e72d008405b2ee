//! What a server says of one tool.

use rmcp::model::{Tool as Declared, ToolAnnotations};
use serde_json::{Value, json};

use super::McpLimits;
use crate::clip::clip_bytes;
use crate::deferred::hash_json;
use crate::registry::ToolName;

/// Longest name of a tool that a server may give; the protocol itself asks for at most 128.
const MAX_NAME_BYTES: usize = 256;
/// Longest title.
const MAX_TITLE_BYTES: usize = 256;

/// What a server says of one tool, cut to the limits.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    /// The server's name for it.
    pub(super) outside: String,
    /// Ours.
    pub(super) name: ToolName,
    pub(super) title: Option<String>,
    pub(super) description: String,
    pub(super) parameters: Value,
    pub(super) output_schema: Option<Value>,
    pub(super) annotations: Option<ToolAnnotations>,
    /// SHA-256 over all the server said of it, in full.
    pub(super) hash: String,
}

impl Definition {
    pub(super) fn new(declared: Declared, name: ToolName, limits: &McpLimits) -> Self {
        let title = declared.title.clone().or_else(|| {
            let annotations = declared.annotations.as_ref();
            annotations.and_then(|annotations| annotations.title.clone())
        });
        let description = declared.description.as_deref().or(title.as_deref());
        Self {
            hash: hash(&declared),
            name,
            description: clip_bytes(
                description.unwrap_or_default(),
                limits.max_description_bytes,
            ),
            title: title.map(|title| clip_bytes(&title, MAX_TITLE_BYTES)),
            parameters: Value::Object((*declared.input_schema).clone()),
            output_schema: declared
                .output_schema
                .map(|schema| Value::Object((*schema).clone())),
            annotations: declared.annotations,
            outside: declared.name.into_owned(),
        }
    }
}

fn hash(declared: &Declared) -> String {
    hash_json(&json!({
        "name": declared.name,
        "title": declared.title,
        "description": declared.description,
        "inputSchema": declared.input_schema,
        "outputSchema": declared.output_schema,
        "annotations": declared.annotations,
    }))
}

/// What keeps a tool from being shown, whatever it does.
pub(super) fn fault(declared: &Declared, limits: &McpLimits) -> Option<String> {
    if declared.name.is_empty() {
        return Some("it has no name".to_owned());
    }
    if declared.name.len() > MAX_NAME_BYTES {
        return Some(format!("its name has more than {MAX_NAME_BYTES} bytes"));
    }
    let schemas = [
        ("arguments", Some(&declared.input_schema)),
        ("output", declared.output_schema.as_ref()),
    ];
    schemas.into_iter().find_map(|(of, schema)| {
        let bytes = serde_json::to_string(schema?).map_or(usize::MAX, |text| text.len());
        (bytes > limits.max_schema_bytes).then(|| {
            format!(
                "the schema of its {of} has more than {} bytes",
                limits.max_schema_bytes
            )
        })
    })
}
