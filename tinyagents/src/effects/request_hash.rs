//! How a transcript's call is recognised.

use serde_json::json;

use crate::deferred::hash_json;
use crate::model::ToolCall;

/// SHA-256 over what the model wrote: two calls of one id and one hash ask for the same.
pub(super) fn request_hash(call: &ToolCall) -> String {
    hash_json(&json!([call.name, call.arguments]))
}
