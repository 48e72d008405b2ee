//! Several sets as one.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tinytools::{Tool, ToolResult, async_trait};

use super::{ExposedTools, ToolSet, ToolSetError};
use crate::context::RunContext;
use crate::error::TinyAgentsError;

/// The tools of several sets, in their order. A name that two of them show is an error that names both.
///
/// Instructions that several of them give in the same words are given once.
#[derive(Clone, Default)]
pub struct CombinedToolSet {
    members: Vec<Arc<dyn ToolSet>>,
}

impl CombinedToolSet {
    /// A set of these members.
    #[must_use]
    pub fn new(members: Vec<Arc<dyn ToolSet>>) -> Self {
        Self { members }
    }

    /// What each member shows. A member is told by its place and its name: many are of one type.
    async fn listed(&self, ctx: &RunContext) -> Result<Vec<ExposedTools>, TinyAgentsError> {
        let mut owners: HashMap<String, usize> = HashMap::new();
        let mut listed = Vec::with_capacity(self.members.len());
        for (position, member) in self.members.iter().enumerate() {
            let exposed = member.exposed(ctx).await?;
            for tool in &exposed.tools {
                if let Some(first) = owners.insert(tool.name().to_owned(), position) {
                    return Err(ToolSetError::NameConflict {
                        name: tool.name().to_owned(),
                        first: self.describe(first),
                        second: self.describe(position),
                    }
                    .into());
                }
            }
            listed.push(exposed);
        }
        Ok(listed)
    }

    fn describe(&self, position: usize) -> String {
        let name = self.members.get(position).map(ToolSet::name);
        format!("member {} ({})", position + 1, name.unwrap_or_default())
    }
}

#[async_trait]
impl ToolSet for CombinedToolSet {
    async fn tools(&self, ctx: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        self.exposed(ctx).await.map(|exposed| exposed.tools)
    }

    async fn exposed(&self, ctx: &RunContext) -> Result<ExposedTools, TinyAgentsError> {
        let mut all = ExposedTools::default();
        for exposed in self.listed(ctx).await? {
            all.tools.extend(exposed.tools);
            all.explanations.extend(exposed.explanations);
        }
        Ok(all)
    }

    async fn call(
        &self,
        name: &str,
        args: Value,
        ctx: &RunContext,
    ) -> Result<ToolResult, TinyAgentsError> {
        let listed = self.listed(ctx).await?;
        let owner = listed.iter().zip(&self.members).find(|(exposed, _)| {
            let mut tools = exposed.tools.iter();
            tools.any(|tool| tool.name() == name)
        });
        match owner {
            Some((_, member)) => member.call(name, args, ctx).await,
            None => Err(TinyAgentsError::ToolNotFound(name.to_owned())),
        }
    }

    fn instructions(&self) -> Option<String> {
        let mut said: Vec<String> = Vec::new();
        for instructions in self.members.iter().filter_map(ToolSet::instructions) {
            if !said.contains(&instructions) {
                said.push(instructions);
            }
        }
        (!said.is_empty()).then(|| said.join("\n\n"))
    }

    async fn for_run(&self, ctx: &RunContext) -> Result<Option<Arc<dyn ToolSet>>, TinyAgentsError> {
        let mut members = self.members.clone();
        let mut has_changed = false;
        for member in &mut members {
            if let Some(own) = member.for_run(ctx).await? {
                *member = own;
                has_changed = true;
            }
        }
        Ok(has_changed.then(|| -> Arc<dyn ToolSet> { Arc::new(Self::new(members)) }))
    }
}

impl fmt::Debug for CombinedToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members: Vec<String> = self.members.iter().map(ToolSet::name).collect();
        f.debug_tuple("CombinedToolSet").field(&members).finish()
    }
}
