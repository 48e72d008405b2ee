//! The tool that finds tools.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt as _;
use serde_json::Value;
use tinytools::{
    Tool, ToolCallOptions, ToolPolicy, ToolResult, ToolRunContext, anyhow, async_trait,
};

use super::bridge::search_schema;
use super::index::ToolIndex;
use super::{TOOL_SEARCH, ToolDiscoveryPolicy, found};
use crate::context::RunContext;
use crate::events::AgentEvent;
use crate::model::ToolSchema;
use crate::registry::RegisteredTool;

/// Searches the tools of one turn, and brings what it finds into the requests that follow.
pub(super) struct SearchTool {
    pub(super) policy: ToolDiscoveryPolicy,
    pub(super) index: ToolIndex,
    /// In the order of the index.
    pub(super) schemas: Arc<[ToolSchema]>,
    pub(super) tools: Arc<[Arc<RegisteredTool>]>,
}

/// Positions of what was found, and what went wrong with the host's ranking.
struct Ranked {
    found: Vec<usize>,
    ranker_error: Option<String>,
}

impl SearchTool {
    fn limit(&self, args: &Value) -> usize {
        let asked = match args.get("limit").and_then(Value::as_i64) {
            Some(asked) => usize::try_from(asked).unwrap_or(1),
            None => self.policy.default_limit,
        };
        asked.min(self.policy.max_limit).max(1)
    }

    async fn rank(&self, query: &str, limit: usize, ctx: Option<&RunContext>) -> Ranked {
        let (Some(ranker), Some(ctx)) = (&self.policy.ranker, ctx) else {
            return Ranked {
                found: self.index.search(query, limit),
                ranker_error: None,
            };
        };
        // The host's code: a panic in it is a failed ranking, not a failed search.
        let asked = AssertUnwindSafe(ranker.rank(query, &self.schemas, limit, ctx)).catch_unwind();
        let error = match asked.await {
            Ok(Ok(names)) => {
                let mut found = Vec::with_capacity(limit);
                for name in names {
                    let mut schemas = self.schemas.iter();
                    if let Some(position) = schemas.position(|schema| schema.name == name)
                        && !found.contains(&position)
                    {
                        found.push(position);
                    }
                }
                found.truncate(limit);
                return Ranked {
                    found,
                    ranker_error: None,
                };
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it panicked".to_owned(),
        };
        Ranked {
            found: self.index.search(query, limit),
            ranker_error: Some(error),
        }
    }
}

#[async_trait]
impl Tool for SearchTool {
    fn name(&self) -> &'static str {
        TOOL_SEARCH
    }

    fn description(&self) -> &'static str {
        ""
    }

    fn parameters_schema(&self) -> Value {
        search_schema("").parameters
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::read_only()
    }

    fn is_concurrency_safe(&self, _: &Value) -> bool {
        true
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        self.execute_with_context(args, ToolCallOptions::default(), None)
            .await
    }

    async fn execute_with_context(
        &self,
        args: Value,
        _: ToolCallOptions,
        ctx: Option<&dyn ToolRunContext>,
    ) -> anyhow::Result<ToolResult> {
        let query = args
            .get("query")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let ctx: Option<&RunContext> = ctx.and_then(|ctx| ctx.get_ref());
        let Ranked {
            found,
            ranker_error,
        } = self.rank(query, self.limit(&args), ctx).await;
        let schemas: Vec<&ToolSchema> = found
            .iter()
            .filter_map(|position| self.schemas.get(*position))
            .collect();
        if let Some(ctx) = ctx {
            ctx.run_tools()
                .promote(schemas.iter().map(|schema| schema.name.as_str()));
            ctx.emit_with(|| AgentEvent::ToolSearched {
                query: query.to_owned(),
                found: found
                    .iter()
                    .filter_map(|position| self.tools.get(*position))
                    .map(|tool| tool.name().to_owned())
                    .collect(),
                ranker_error: ranker_error.clone(),
            });
        }
        let note = match (schemas.is_empty(), ranker_error.is_some()) {
            (true, _) => Some("no match; try other words"),
            (false, true) => Some("ranked by words alone: the usual ranking failed"),
            (false, false) => None,
        };
        Ok(found::answer(&schemas, note))
    }
}
