//! Tools under other names.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use tinytools::Tool;

use super::adaptor::{Adaptor, Change};
use super::prefixed::shown_as;
use super::{ToolExposureExplanation, ToolSet, ToolSetError};
use crate::context::RunContext;
use crate::error::TinyAgentsError;
use crate::registry::ToolView;

/// The tools, some under other names. A name that isn't there is passed over, since what a set shows may vary; a new
/// name that another tool has is an error.
#[derive(Clone)]
pub struct RenamedToolSet {
    inner: Arc<dyn ToolSet>,
    names: Arc<[(String, String)]>,
}

impl RenamedToolSet {
    /// The tools of `inner`, renamed by pairs of the old and the new name.
    pub fn new<F: Into<String>, T: Into<String>>(
        inner: impl ToolSet + 'static,
        names: impl IntoIterator<Item = (F, T)>,
    ) -> Self {
        let names = names.into_iter();
        Self {
            inner: Arc::new(inner),
            names: names.map(|(from, to)| (from.into(), to.into())).collect(),
        }
    }

    fn new_name(&self, from: &str) -> Option<&str> {
        let pair = self.names.iter().find(|(old, _)| old == from);
        pair.map(|(_, to)| to.as_str())
    }

    /// A pair must not take what another pair has taken, nor begin where another one does.
    fn check_pairs(&self) -> Result<(), ToolSetError> {
        for (position, (from, to)) in self.names.iter().enumerate() {
            let earlier = self.names.iter().take(position);
            let clash = earlier
                .into_iter()
                .find(|(old, new)| old == from || new == to);
            if let Some((old, _)) = clash {
                return Err(ToolSetError::RenameClash {
                    from: from.clone(),
                    to: to.clone(),
                    taken_by: format!("what `{old}` is renamed to already"),
                });
            }
        }
        Ok(())
    }
}

impl Adaptor for RenamedToolSet {
    /// The names that stay.
    type Plan = HashSet<String>;

    fn inner(&self) -> &Arc<dyn ToolSet> {
        &self.inner
    }

    fn around(&self, inner: Arc<dyn ToolSet>) -> Self {
        Self {
            inner,
            names: Arc::clone(&self.names),
        }
    }

    fn plan(
        &self,
        tools: &[Arc<dyn Tool>],
        _: &RunContext,
    ) -> Result<HashSet<String>, TinyAgentsError> {
        self.check_pairs()?;
        let names = tools.iter().map(|tool| tool.name());
        let kept = names.filter(|name| self.new_name(name).is_none());
        Ok(kept.map(str::to_owned).collect())
    }

    fn adapt(
        &self,
        tool: &Arc<dyn Tool>,
        kept: &mut HashSet<String>,
        _: &RunContext,
    ) -> Result<Change, TinyAgentsError> {
        let Some(to) = self.new_name(tool.name()) else {
            return Ok(Change::Kept);
        };
        let from = tool.name().to_owned();
        let to = to.to_owned();
        if kept.contains(&to) {
            let taken_by = "a tool that is there".to_owned();
            return Err(ToolSetError::RenameClash { from, to, taken_by }.into());
        }
        let shown = shown_as(tool, &to)?;
        let tool = ToolView::identity(tool.as_ref()).to_owned();
        Ok(Change::Shown(
            shown,
            ToolExposureExplanation::Renamed { tool, from, to },
        ))
    }
}

impl fmt::Debug for RenamedToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenamedToolSet")
            .field("inner", &self.inner.name())
            .field("names", &self.names)
            .finish()
    }
}
