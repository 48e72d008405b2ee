//! Calls that leave the loop without an answer.

mod deferral;
mod hash;
mod requests;

pub use requests::{DeferredToolRequests, PendingCall};

pub(crate) use deferral::Deferral;
pub(crate) use hash::hash_json;
