//! The adaptors as methods.

use std::sync::Arc;

use tinytools::Tool;

use super::{
    ApprovalRequiredToolSet, CombinedToolSet, FilteredToolSet, PrefixedToolSet, PreparedToolSet,
    RenamedToolSet, ToolSet,
};
use crate::context::RunContext;
use crate::model::ToolSchema;

/// The adaptors as methods of every set. Each returns a set again; what doesn't fit is told when the tools are listed.
pub trait ToolSetExt: ToolSet + Sized + 'static {
    /// The tools of both. See [`CombinedToolSet`].
    fn combined(self, other: impl ToolSet + 'static) -> Arc<dyn ToolSet> {
        Arc::new(CombinedToolSet::new(vec![Arc::new(self), Arc::new(other)]))
    }

    /// The tools that `keep` accepts. See [`FilteredToolSet`].
    fn filtered(
        self,
        keep: impl Fn(&dyn Tool, &RunContext) -> bool + Send + Sync + 'static,
    ) -> Arc<dyn ToolSet> {
        Arc::new(FilteredToolSet::new(self, keep))
    }

    /// The tools under names that begin with `prefix` and `_`. See [`PrefixedToolSet`].
    fn prefixed(self, prefix: impl Into<String>) -> Arc<dyn ToolSet> {
        Arc::new(PrefixedToolSet::new(self, prefix))
    }

    /// The tools, some under other names: pairs of the old and the new. See [`RenamedToolSet`].
    fn renamed<F: Into<String>, T: Into<String>>(
        self,
        names: impl IntoIterator<Item = (F, T)>,
    ) -> Arc<dyn ToolSet> {
        Arc::new(RenamedToolSet::new(self, names))
    }

    /// The tools with declarations that `prepare` rewrites for each turn. See [`PreparedToolSet`].
    fn prepared(
        self,
        prepare: impl Fn(Vec<ToolSchema>, &RunContext) -> Vec<ToolSchema> + Send + Sync + 'static,
    ) -> Arc<dyn ToolSet> {
        Arc::new(PreparedToolSet::new(self, prepare))
    }

    /// The tools; calls of those that `needs` accepts have to be approved. See [`ApprovalRequiredToolSet`].
    fn requiring_approval(
        self,
        needs: impl Fn(&dyn Tool) -> bool + Send + Sync + 'static,
    ) -> Arc<dyn ToolSet> {
        Arc::new(ApprovalRequiredToolSet::new(self, needs))
    }
}

impl<T: ToolSet + 'static> ToolSetExt for T {}
