//! The tools of a server, as it lists them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rmcp::model::{
    ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool as Declared,
};
use serde_json::Value;
use tokio::time::Instant;

use super::connection::{Connection, NoResult};
use super::definition::{Definition, fault};
use super::{McpLeftOut, McpLimits};
use crate::clip::clip_bytes;
use crate::registry::{OutsideNames, ToolName};

/// Most pages of a list.
const MAX_PAGES: usize = 128;

/// The tools of a server, as it listed them at one moment.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) definitions: Vec<Arc<Definition>>,
    pub(super) left_out: Vec<McpLeftOut>,
    /// By the server's own names.
    hashes: HashMap<String, String>,
}

/// Why there is no list.
#[derive(Debug)]
pub(super) enum NoListing {
    TimedOut,
    Failed(String),
}

impl Listing {
    /// Asks for all pages.
    pub(super) async fn ask(
        connection: &Connection,
        limits: &McpLimits,
        until: Instant,
    ) -> Result<Self, NoListing> {
        let mut pages = Pages::new(limits);
        let mut cursor = None;
        let mut cursors = HashSet::new();
        loop {
            let params = PaginatedRequestParams::default().with_cursor(cursor.take());
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
            let page = connection.ask(request, until, &|_| ()).await;
            let next = pages.add(page.map_err(NoListing::from)?)?;
            match next {
                None => break,
                Some(_) if pages.is_full() => {
                    pages.stop("there are more tools than are taken");
                    break;
                }
                Some(next) => {
                    if cursors.len() == MAX_PAGES || !cursors.insert(next.clone()) {
                        pages.stop("the list has no end");
                        break;
                    }
                    cursor = Some(next);
                }
            }
        }
        Ok(pages.finish())
    }

    /// The hash of the definition that the tool of that outside name has now.
    pub(super) fn hash(&self, outside: &str) -> Option<&str> {
        self.hashes.get(outside).map(String::as_str)
    }
}

impl From<NoResult> for NoListing {
    fn from(reason: NoResult) -> Self {
        let text = match reason {
            NoResult::TimedOut | NoResult::NotSent => return Self::TimedOut,
            NoResult::Refused(refusal) => clip_bytes(&refusal.message, 300),
            NoResult::Gone => "it went away".to_owned(),
            NoResult::Unreadable => "its answer can't be read".to_owned(),
        };
        Self::Failed(text)
    }
}

/// The pages so far.
struct Pages<'a> {
    limits: &'a McpLimits,
    declared: Vec<Declared>,
    names: HashSet<String>,
    left_out: Vec<McpLeftOut>,
}

impl<'a> Pages<'a> {
    fn new(limits: &'a McpLimits) -> Self {
        Self {
            limits,
            declared: Vec::new(),
            names: HashSet::new(),
            left_out: Vec::new(),
        }
    }

    fn is_full(&self) -> bool {
        self.declared.len() >= self.limits.max_tools
    }

    /// Takes one page; what the next one is called.
    fn add(&mut self, page: ServerResult) -> Result<Option<String>, NoListing> {
        match page {
            ServerResult::ListToolsResult(page) => {
                for declared in page.tools {
                    self.take(declared);
                }
                Ok(page.next_cursor)
            }
            // One tool that can't be read makes the page unreadable as a whole; the others are taken all the same.
            ServerResult::CustomResult(page) => self.add_each(&page.0),
            _ => Err(NoListing::Failed(
                "its answer is no list of tools".to_owned(),
            )),
        }
    }

    fn add_each(&mut self, page: &Value) -> Result<Option<String>, NoListing> {
        let Some(tools) = page.get("tools").and_then(Value::as_array) else {
            return Err(NoListing::Failed(
                "its answer is no list of tools".to_owned(),
            ));
        };
        for tool in tools {
            match serde_json::from_value(tool.clone()) {
                Ok(declared) => self.take(declared),
                Err(error) => {
                    let name = tool.get("name").and_then(Value::as_str);
                    self.leave_out(
                        name.unwrap_or("?"),
                        format!("its definition can't be read: {error}"),
                    );
                }
            }
        }
        let next = page.get("nextCursor").and_then(Value::as_str);
        Ok(next.map(ToOwned::to_owned))
    }

    fn take(&mut self, declared: Declared) {
        let name = declared.name.as_ref();
        if let Some(fault) = fault(&declared, self.limits) {
            self.leave_out(&declared.name, fault);
        } else if self.is_full() {
            let fault = format!("only {} tools are taken", self.limits.max_tools);
            self.leave_out(&declared.name, fault);
        } else if !self.names.insert(name.to_owned()) {
            self.leave_out(
                &declared.name,
                "the server has another tool of that name".to_owned(),
            );
        } else {
            self.declared.push(declared);
        }
    }

    fn leave_out(&mut self, tool: &str, reason: String) {
        // A server may list as many broken tools as it likes.
        if self.left_out.len() < self.limits.max_tools {
            self.left_out.push(McpLeftOut::new(tool, reason));
        }
    }

    fn stop(&mut self, reason: &str) {
        self.left_out.push(McpLeftOut::new("…", reason));
    }

    fn finish(self) -> Listing {
        let names = self.declared.iter().map(|declared| declared.name.as_ref());
        let names = OutsideNames::sanitize(names, &ToolName::RESERVED);
        let mut listing = Listing {
            left_out: self.left_out,
            ..Listing::default()
        };
        for declared in self.declared {
            let Some(name) = names.canonical(&declared.name).cloned() else {
                continue;
            };
            let definition = Definition::new(declared, name, self.limits);
            listing
                .hashes
                .insert(definition.outside.clone(), definition.hash.clone());
            listing.definitions.push(Arc::new(definition));
        }
        listing
    }
}
