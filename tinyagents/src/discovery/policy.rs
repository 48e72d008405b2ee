//! How tools are searched for.

use std::fmt;
use std::sync::Arc;

use super::ToolRanker;

/// How a model finds tools that are not part of the first request.
///
/// ```
/// use tinyagents::{RunPolicy, ToolDiscoveryPolicy};
///
/// let discovery = ToolDiscoveryPolicy { default_limit: 3, ..ToolDiscoveryPolicy::default() };
/// let policy = RunPolicy { discovery, ..RunPolicy::default() };
/// assert!(policy.discovery.enabled);
/// ```
#[derive(Clone)]
pub struct ToolDiscoveryPolicy {
    /// Whether there is anything to search with. Without it `Deferred` tools are not there for a model. Default: `true`.
    pub enabled: bool,
    /// Most tokens, at four bytes each, of the list of tools in the description of `tool_search`. Where names and first
    /// sentences don't fit there are names alone, and where these don't, a count. Within the budget, too, sentences are
    /// shortened where the first request would otherwise cost more than 15 % of what all schemas together
    /// cost; but not for a list of less than 2 KB. Default: 4,000.
    pub manifest_token_budget: usize,
    /// How many tools a search shows when the model doesn't say. Default: 5.
    pub default_limit: usize,
    /// Most tools that a search shows. Default: 20.
    pub max_limit: usize,
    /// The host's own ranking. Default: none, BM25 over names, descriptions, properties, families and tags.
    pub ranker: Option<Arc<dyn ToolRanker>>,
}

impl Default for ToolDiscoveryPolicy {
    fn default() -> Self {
        Self {
            enabled: true,
            manifest_token_budget: 4_000,
            default_limit: 5,
            max_limit: 20,
            ranker: None,
        }
    }
}

/// Equal settings and one and the same ranker.
impl PartialEq for ToolDiscoveryPolicy {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            enabled,
            manifest_token_budget,
            default_limit,
            max_limit,
            ranker,
        } = self;
        let is_same_ranker = match (ranker, &other.ranker) {
            (None, None) => true,
            (Some(own), Some(other)) => std::ptr::addr_eq(Arc::as_ptr(own), Arc::as_ptr(other)),
            _ => false,
        };
        is_same_ranker
            && *enabled == other.enabled
            && *manifest_token_budget == other.manifest_token_budget
            && *default_limit == other.default_limit
            && *max_limit == other.max_limit
    }
}

impl Eq for ToolDiscoveryPolicy {}

impl fmt::Debug for ToolDiscoveryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolDiscoveryPolicy")
            .field("enabled", &self.enabled)
            .field("manifest_token_budget", &self.manifest_token_budget)
            .field("default_limit", &self.default_limit)
            .field("max_limit", &self.max_limit)
            .field("ranker", &self.ranker.is_some())
            .finish()
    }
}
