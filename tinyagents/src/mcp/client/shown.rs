//! What a set makes of a server's list.

use std::collections::HashMap;
use std::sync::Arc;

use tinytools::Tool;

use super::definition::Definition;
use super::listing::Listing;
use super::pins::Pins;
use super::server::Server;
use super::tool::McpTool;
use super::{McpChange, McpLeftOut};
use crate::registry::{RegisteredTool, ToolView};
use crate::toolset::{ExposedTools, ToolExposureExplanation};

/// What a set makes of a server's list: its tools, and why others are not among them.
#[derive(Default)]
pub(super) struct Shown {
    listing: Arc<Listing>,
    /// The tools themselves, by the hash of their definition; `Err` for one that can't be shown.
    made: HashMap<String, Result<Arc<dyn Tool>, McpLeftOut>>,
    pub(super) exposed: ExposedTools,
    pub(super) left_out: Vec<McpLeftOut>,
    pub(super) changes: Vec<McpChange>,
}

impl Shown {
    /// Whether the list is the one that this was made of.
    pub(super) fn is_of(&self, listing: &Arc<Listing>) -> bool {
        Arc::ptr_eq(&self.listing, listing)
    }

    pub(super) fn listing(&self) -> &Arc<Listing> {
        &self.listing
    }

    /// Makes the tools of a list. One that was made before stays what it is, so that nothing is compiled again for it.
    pub(super) fn new(
        listing: Arc<Listing>,
        before: &Self,
        server: &Arc<Server>,
        is_trusted: bool,
        pins: &mut Pins,
    ) -> Self {
        let mut shown = Self {
            left_out: listing.left_out.clone(),
            ..Self::default()
        };
        for definition in &listing.definitions {
            let key = format!("{} {}", definition.hash, definition.name);
            let made = before.made.get(&key).cloned();
            let made = made.unwrap_or_else(|| make(server, definition, is_trusted));
            match &made {
                Ok(tool) => shown.show(Arc::clone(tool), definition, pins),
                Err(left_out) => shown.left_out.push(left_out.clone()),
            }
            shown.made.insert(key, made);
        }
        for McpLeftOut { tool, reason } in &shown.left_out {
            shown
                .exposed
                .explanations
                .push(ToolExposureExplanation::LeftOut {
                    tool: tool.clone(),
                    reason: reason.clone(),
                });
        }
        shown.listing = listing;
        shown
    }

    fn show(&mut self, tool: Arc<dyn Tool>, definition: &Definition, pins: &mut Pins) {
        let name = || definition.name.to_string();
        let explanations = &mut self.exposed.explanations;
        if definition.outside != definition.name.as_str() {
            explanations.push(ToolExposureExplanation::Renamed {
                tool: name(),
                from: definition.outside.clone(),
                to: name(),
            });
        }
        let Some(change) = pins.check(definition) else {
            self.exposed.tools.push(tool);
            return;
        };
        explanations.push(ToolExposureExplanation::ApprovalRequired { tool: name() });
        self.changes.push(change);
        let view = ToolView::of(&tool).requiring_approval();
        self.exposed.tools.push(Arc::new(view));
    }
}

/// Makes a tool, and sees that it can be compiled: one that can't would take all the others with it.
fn make(
    server: &Arc<Server>,
    definition: &Arc<Definition>,
    is_trusted: bool,
) -> Result<Arc<dyn Tool>, McpLeftOut> {
    let tool: Arc<dyn Tool> = Arc::new(McpTool::new(server, definition, is_trusted));
    match RegisteredTool::renewed(Arc::clone(&tool), None) {
        Ok(_) => Ok(tool),
        Err(error) => {
            let reason = format!("{:#}", anyhow::Error::from(error));
            Err(McpLeftOut::new(&definition.outside, reason))
        }
    }
}
