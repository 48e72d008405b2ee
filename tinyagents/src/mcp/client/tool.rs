//! One tool of a server.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tinytools::{
    PermissionLevel, Tool, ToolCallOptions, ToolPolicy, ToolResult, ToolRunContext, anyhow,
    async_trait,
};

use super::annotations::{permission_level, policy};
use super::definition::Definition;
use super::server::Server;

/// One tool of a server, as it was defined at one moment. A call of it that finds another definition is not made.
pub(super) struct McpTool {
    pub(super) server: Arc<Server>,
    pub(super) definition: Arc<Definition>,
    pub(super) policy: ToolPolicy,
}

impl McpTool {
    pub(super) fn new(
        server: &Arc<Server>,
        definition: &Arc<Definition>,
        is_trusted: bool,
    ) -> Self {
        Self {
            policy: policy(definition, is_trusted, &server.opener.limits),
            server: Arc::clone(server),
            definition: Arc::clone(definition),
        }
    }
}

#[async_trait]
impl Tool for McpTool {
    fn name(&self) -> &str {
        self.definition.name.as_str()
    }

    fn description(&self) -> &str {
        &self.definition.description
    }

    fn parameters_schema(&self) -> Value {
        self.definition.parameters.clone()
    }

    fn output_schema(&self) -> Option<Value> {
        self.definition.output_schema.clone()
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        self.run(args, None).await
    }

    async fn execute_with_context(
        &self,
        args: Value,
        _: ToolCallOptions,
        ctx: Option<&dyn ToolRunContext>,
    ) -> anyhow::Result<ToolResult> {
        self.run(args, ctx).await
    }

    fn policy(&self) -> ToolPolicy {
        self.policy.clone()
    }

    /// The worst, where nothing is known.
    fn permission_level(&self) -> PermissionLevel {
        permission_level(&self.policy)
    }

    fn family(&self) -> Option<&str> {
        Some(&self.server.opener.name)
    }

    fn is_concurrency_safe(&self, _: &Value) -> bool {
        self.policy.side_effects.read_only
    }

    /// So it is, where nothing else is known.
    fn external_effect(&self) -> bool {
        !self.policy.side_effects.read_only
    }
}

impl fmt::Debug for McpTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpTool")
            .field("name", &self.definition.name)
            .field("server", &self.server.opener.name)
            .finish_non_exhaustive()
    }
}
