//! Tools that a model has to search for.
//!
//! A tool whose exposure is [`Deferred`](tinytools::ToolExposure::Deferred) isn't part of the first request. Two small
//! tools stand for all of them: `tool_search` finds them and shows their schemas, `tool_call` calls one by name. What was
//! found is part of the requests that follow, after everything that was there, so that the provider's cache of the
//! beginning stays good.
//!
//! A call through `tool_call` is unwrapped before anything looks at it: middlewares, lists, policies, events and the
//! ledger see the tool that is really called.

mod bridge;
mod found;
mod index;
mod manifest;
mod policy;
mod ranker;
mod search_tool;
mod turn_discovery;
mod words;

pub use policy::ToolDiscoveryPolicy;
pub use ranker::ToolRanker;

pub(crate) use bridge::{TOOL_CALL, TOOL_SEARCH, unwrapped};
pub(crate) use found::names_found;
pub(crate) use turn_discovery::{Discovery, DiscoveryKey};
