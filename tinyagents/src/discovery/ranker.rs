//! A host's own ranking.

use tinytools::async_trait;

use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::model::ToolSchema;

/// A host's own way to rank tools for a query: embeddings, or a model.
#[async_trait]
pub trait ToolRanker: Send + Sync {
    /// Names of the tools that fit the query, the best first.
    ///
    /// `tools` are those that the model may find in this turn, as it would be shown them; other names are passed over,
    /// and what is more than `limit` isn't shown.
    ///
    /// # Errors
    /// Whatever keeps it from ranking: the tools are then ranked by BM25, and the model and the event
    /// [`ToolSearched`](crate::AgentEvent::ToolSearched) are told so.
    async fn rank(
        &self,
        query: &str,
        tools: &[ToolSchema],
        limit: usize,
        ctx: &RunContext,
    ) -> Result<Vec<String>, TinyAgentsError>;
}
