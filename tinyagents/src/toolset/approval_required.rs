//! Tools whose calls a person has to approve.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tinytools::Tool;

use super::adaptor::{Adaptor, Change};
use super::tool_set::is_approved;
use super::{ToolExposureExplanation, ToolSet};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::registry::ToolView;

type Needs = dyn Fn(&dyn Tool) -> bool + Send + Sync;

/// The tools; calls of those that a predicate accepts have to be approved, whatever the tools' own policies say.
#[derive(Clone)]
pub struct ApprovalRequiredToolSet {
    inner: Arc<dyn ToolSet>,
    needs: Arc<Needs>,
}

impl ApprovalRequiredToolSet {
    /// The tools of `inner`; calls of those that `needs` accepts have to be approved.
    pub fn new(
        inner: impl ToolSet + 'static,
        needs: impl Fn(&dyn Tool) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            inner: Arc::new(inner),
            needs: Arc::new(needs),
        }
    }
}

impl Adaptor for ApprovalRequiredToolSet {
    type Plan = ();

    fn inner(&self) -> &Arc<dyn ToolSet> {
        &self.inner
    }

    fn around(&self, inner: Arc<dyn ToolSet>) -> Self {
        Self {
            inner,
            needs: Arc::clone(&self.needs),
        }
    }

    fn adapt(
        &self,
        tool: &Arc<dyn Tool>,
        (): &mut (),
        _: &RunContext,
    ) -> Result<Change, TinyAgentsError> {
        if !(self.needs)(tool.as_ref()) {
            return Ok(Change::Kept);
        }
        let guarded = Arc::new(ToolView::of(tool).requiring_approval());
        let tool = ToolView::identity(tool.as_ref()).to_owned();
        Ok(Change::Shown(
            guarded,
            ToolExposureExplanation::ApprovalRequired { tool },
        ))
    }

    fn check(&self, tool: &dyn Tool, _: &Value, ctx: &RunContext) -> Result<(), TinyAgentsError> {
        if ToolView::behind(tool).is_some_and(ToolView::needs_approval) && !is_approved(ctx) {
            let metadata = Value::Null;
            return Err(TinyAgentsError::ApprovalRequired { metadata });
        }
        Ok(())
    }
}

impl fmt::Debug for ApprovalRequiredToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApprovalRequiredToolSet")
            .field("inner", &self.inner.name())
            .finish_non_exhaustive()
    }
}
