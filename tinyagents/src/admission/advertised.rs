//! What the model may call this turn.

use std::collections::HashSet;
use std::sync::Arc;

use tinytools::ToolExposure;

use crate::registry::RegisteredTool;

/// Which tools the model was told of this turn.
#[derive(Clone, Debug)]
pub(crate) enum Advertised {
    /// All `Direct` ones.
    Direct,
    /// All `Direct` ones, and those of these names that a search has found.
    DirectAnd(Arc<HashSet<String>>),
    /// Those of these names.
    Only(Arc<HashSet<String>>),
}

impl Advertised {
    pub(super) fn contains(&self, tool: &RegisteredTool) -> bool {
        tool.is_for_models()
            && match self {
                Self::Direct => tool.exposure() == ToolExposure::Direct,
                Self::DirectAnd(found) => {
                    tool.exposure() == ToolExposure::Direct || found.contains(tool.shown_name())
                }
                Self::Only(names) => names.contains(tool.shown_name()),
            }
    }
}
