//! What bounds the work on one schema.

/// How deep sub-schemas are looked at; what lies deeper is left open. `serde_json` reads no text of more than 127 levels,
/// and a sub-schema takes at least one.
pub(super) const MAX_DEPTH: usize = 100;

/// How many sub-schemas are copied for references; once they are used up, a reference is left open.
pub(super) const MAX_NODES: usize = 10_000;

/// How often a recursive reference is followed where references can't stay.
pub(super) const MAX_UNROLLED: usize = 2;

/// How many objects deep strict mode goes: `OpenAI`'s guide *Structured Outputs* says 10 levels of nesting.
pub(in crate::schema) const MAX_STRICT_LEVELS: usize = 10;

/// How often a reference that leads to a reference is followed.
pub(super) const MAX_HOPS: usize = 32;
