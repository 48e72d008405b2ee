//! Fewer tools.

use std::fmt;
use std::sync::Arc;

use tinytools::Tool;

use super::ToolSet;
use super::adaptor::{Adaptor, Change};
use crate::context::RunContext;
use crate::error::TinyAgentsError;

type Keep = dyn Fn(&dyn Tool, &RunContext) -> bool + Send + Sync;

/// The tools that a predicate accepts. It sees a tool as the inner set shows it, and the context of the turn.
#[derive(Clone)]
pub struct FilteredToolSet {
    inner: Arc<dyn ToolSet>,
    keep: Arc<Keep>,
}

impl FilteredToolSet {
    /// The tools of `inner` that `keep` accepts.
    pub fn new(
        inner: impl ToolSet + 'static,
        keep: impl Fn(&dyn Tool, &RunContext) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            inner: Arc::new(inner),
            keep: Arc::new(keep),
        }
    }
}

impl Adaptor for FilteredToolSet {
    type Plan = ();

    fn inner(&self) -> &Arc<dyn ToolSet> {
        &self.inner
    }

    fn around(&self, inner: Arc<dyn ToolSet>) -> Self {
        Self {
            inner,
            keep: Arc::clone(&self.keep),
        }
    }

    fn adapt(
        &self,
        tool: &Arc<dyn Tool>,
        (): &mut (),
        ctx: &RunContext,
    ) -> Result<Change, TinyAgentsError> {
        let is_kept = (self.keep)(tool.as_ref(), ctx);
        Ok(if is_kept {
            Change::Kept
        } else {
            Change::Dropped
        })
    }
}

impl fmt::Debug for FilteredToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilteredToolSet")
            .field("inner", &self.inner.name())
            .finish_non_exhaustive()
    }
}
