//! How a transcript's call is recognised.

use crate::deferred::{Part, hash_parts};
use crate::model::ToolCall;

/// SHA-256 over what the model wrote: two calls of one id and one hash ask for the same.
pub(super) fn request_hash(call: &ToolCall) -> String {
    hash_parts(&[Part::Text(&call.name), Part::Json(&call.arguments)])
}
