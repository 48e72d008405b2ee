//! Calls that leave the loop without an answer.

mod hash;
mod requests;

pub use requests::{DeferredToolRequests, PendingCall};

pub(crate) use hash::hash_json;
