//! Tools under names with a prefix.

use std::fmt;
use std::sync::Arc;

use tinytools::Tool;

use super::adaptor::{Adaptor, Change};
use super::{ToolExposureExplanation, ToolSet, ToolSetError};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::registry::{ToolName, ToolView};

/// The tools under names that begin with a prefix and `_`: `gh_search` for `search`. A name that gets too long, or is
/// none for another reason, is an error.
#[derive(Clone)]
pub struct PrefixedToolSet {
    inner: Arc<dyn ToolSet>,
    prefix: String,
}

impl PrefixedToolSet {
    /// The tools of `inner` under names with `prefix`.
    pub fn new(inner: impl ToolSet + 'static, prefix: impl Into<String>) -> Self {
        Self {
            inner: Arc::new(inner),
            prefix: prefix.into(),
        }
    }
}

impl Adaptor for PrefixedToolSet {
    type Plan = ();

    fn inner(&self) -> &Arc<dyn ToolSet> {
        &self.inner
    }

    fn around(&self, inner: Arc<dyn ToolSet>) -> Self {
        Self {
            inner,
            prefix: self.prefix.clone(),
        }
    }

    fn adapt(
        &self,
        tool: &Arc<dyn Tool>,
        (): &mut (),
        _: &RunContext,
    ) -> Result<Change, TinyAgentsError> {
        let to = format!("{}_{}", self.prefix, tool.name());
        let shown = shown_as(tool, &to)?;
        let tool = ToolView::identity(tool.as_ref()).to_owned();
        Ok(Change::Shown(
            shown,
            ToolExposureExplanation::Prefixed { tool, to },
        ))
    }

    fn label(&self) -> Option<&str> {
        Some(&self.prefix)
    }
}

/// The tool under another name, which must be one.
pub(super) fn shown_as(tool: &Arc<dyn Tool>, to: &str) -> Result<Arc<dyn Tool>, ToolSetError> {
    if let Err(source) = ToolName::parse(to) {
        return Err(ToolSetError::Unnameable {
            from: tool.name().to_owned(),
            to: to.to_owned(),
            source,
        });
    }
    Ok(Arc::new(ToolView::of(tool).shown_as(to)))
}

impl fmt::Debug for PrefixedToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrefixedToolSet")
            .field("inner", &self.inner.name())
            .field("prefix", &self.prefix)
            .finish()
    }
}
