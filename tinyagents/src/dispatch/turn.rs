//! One turn: what it advertises and can run.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tinytools::ToolExposure;

use super::BlockingPlaces;
use super::results::Reader;
use super::session::SessionGate;
use crate::admission::Advertised;
use crate::context::RunContext;
use crate::discovery::{Discovery, DiscoveryKey};
use crate::error::TinyAgentsError;
use crate::events::AgentEvent;
use crate::harness::{HostCapabilities, RunPolicy};
use crate::middleware::MiddlewareStack;
use crate::model::ToolSchema;
use crate::registry::{Catalogue, Prepared, RegisteredTool, schema_bytes};
use crate::toolset::{ShownTools, ToolSources};

/// What one turn advertises and can run. Shared with the dispatcher; taking one copies nothing.
#[derive(Clone)]
pub struct Turn {
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) policy: Arc<RunPolicy>,
    pub(super) middleware: Arc<MiddlewareStack>,
    pub(super) blocking: BlockingPlaces,
    pub(super) capabilities: HostCapabilities,
    pub(super) schemas: Arc<[ToolSchema]>,
    pub(super) prepared: Option<Arc<Prepared>>,
    pub(super) advertised: Advertised,
    pub(super) discovery: Option<Arc<Discovery>>,
    /// What is sent where there is something to search for.
    shown: Option<Arc<ShownTools>>,
    /// What its calls are made in, where they come one by one and no loop waits for them.
    session: Option<Arc<SessionGate>>,
}

impl Turn {
    /// The same for a call of a session.
    #[cfg(feature = "mcp")]
    pub(super) fn with_session(mut self, session: Arc<SessionGate>) -> Self {
        self.session = Some(session);
        self
    }

    pub(super) fn session(&self) -> Option<&SessionGate> {
        self.session.as_deref()
    }

    /// Who reads the rows: a model their content, but another program their blocks.
    pub(super) fn reader(&self) -> Reader {
        Reader {
            prefers_markdown: self.policy.prefer_markdown,
            is_by_block: self.session.is_some(),
        }
    }

    /// The tool that is shown under this name.
    #[cfg(feature = "mcp")]
    pub(crate) fn shown_tool(&self, name: &str) -> Option<&RegisteredTool> {
        let intrinsic = || self.discovery.as_ref()?.intrinsic(name);
        let shown = self.catalogue.get(name).map(AsRef::as_ref);
        shown.or_else(intrinsic)
    }

    pub(super) fn policy(&self) -> &RunPolicy {
        &self.policy
    }

    /// The tools that the name may stand for: the one that is shown as that, and the one that really is called so.
    pub(crate) fn registered(&self, name: &str) -> impl Iterator<Item = &RegisteredTool> {
        let shown = self.catalogue.get(name);
        let real = self.catalogue.by_identity(name);
        let real = real.filter(|real| shown.is_none_or(|shown| !Arc::ptr_eq(shown, real)));
        shown.into_iter().chain(real).map(AsRef::as_ref)
    }

    /// Gives arguments of the tool their own names, where the model was shown others.
    pub(crate) fn restore_names(&self, tool_name: &str, arguments: &mut Value) {
        let Some(prepared) = self.prepared.as_deref() else {
            return;
        };
        let shown_names = self.registered(tool_name).map(RegisteredTool::shown_name);
        for names in shown_names.filter_map(|name| prepared.renamed(name)) {
            names.restore(arguments);
        }
    }

    pub(super) fn new(
        catalogue: Arc<Catalogue>,
        policy: Arc<RunPolicy>,
        middleware: Arc<MiddlewareStack>,
        blocking: BlockingPlaces,
        capabilities: HostCapabilities,
    ) -> Self {
        let prepared = policy
            .tool_schemas
            .as_ref()
            .map(|preparation| catalogue.prepared(preparation));
        let schemas = match &prepared {
            Some(prepared) => prepared.schemas(),
            None => catalogue.direct(),
        };
        Self {
            schemas: Arc::clone(schemas),
            prepared,
            catalogue,
            policy,
            middleware,
            blocking,
            capabilities,
            advertised: Advertised::Direct,
            discovery: None,
            shown: None,
            session: None,
        }
    }

    /// The same turn with what a model needs to search for tools, and with what it has found in this run.
    pub(super) fn discovering(
        mut self,
        ctx: &RunContext,
        sources: &ToolSources,
    ) -> Result<Self, TinyAgentsError> {
        if !self.policy.discovery.enabled || self.catalogue.deferred().is_empty() {
            return Ok(self);
        }
        let hidden = self.hidden_deferred(ctx);
        if hidden.len() == self.catalogue.deferred().len() {
            return Ok(self);
        }
        let key = DiscoveryKey {
            catalogue: &self.catalogue,
            prepared: self
                .policy
                .tool_schemas
                .as_ref()
                .zip(self.prepared.as_ref()),
            policy: &self.policy.discovery,
            hidden,
        };
        let discovery = match ctx.run_tools().discovery(&key) {
            Some(known) => known,
            None => sources.discovery(key)?,
        };
        let shown = ctx.run_tools().shown(&discovery);
        self.schemas = Arc::clone(&shown.schemas);
        self.advertised = Advertised::DirectAnd(Arc::clone(&shown.promoted));
        self.discovery = Some(discovery);
        self.shown = Some(shown);
        Ok(self)
    }

    /// The schemas to send to the model: those of `Direct` tools, sorted by name; where there are deferred ones, then
    /// `tool_search` and `tool_call`, and what searches have found, in the order in which they did. Rewritten where the
    /// policy's [`tool_schemas`](RunPolicy::tool_schemas) says so.
    #[must_use]
    pub fn schemas(&self) -> &[ToolSchema] {
        &self.schemas
    }

    pub(crate) fn shared_schemas(&self) -> Arc<[ToolSchema]> {
        Arc::clone(&self.schemas)
    }

    /// The same turn with only those tools that were really sent. A schema that isn't one of this turn's tools doesn't
    /// become callable by being sent.
    pub(crate) fn narrowed_to(mut self, sent: Arc<[ToolSchema]>) -> Self {
        if Arc::ptr_eq(&sent, &self.schemas) {
            return self;
        }
        let own: HashSet<&str> = self.schemas.iter().map(|own| own.name.as_str()).collect();
        let names: HashSet<String> = sent
            .iter()
            .filter(|schema| own.contains(schema.name.as_str()))
            .map(|schema| schema.name.clone())
            .collect();
        self.advertised = Advertised::Only(Arc::new(names));
        self.schemas = sent;
        self
    }

    /// What the host is told of the turn. The bytes of the whole catalogue are counted once, those of a narrowed turn
    /// when they are asked for.
    pub(crate) fn advertised_event(&self) -> AgentEvent {
        let is_direct = |schema: &&ToolSchema| {
            let tool = self.catalogue.get(&schema.name);
            tool.is_some_and(|tool| tool.exposure() == ToolExposure::Direct)
        };
        AgentEvent::ToolsAdvertised {
            direct: self.schemas.iter().filter(is_direct).count(),
            deferred: self.discovery.as_ref().map_or(0, |found| found.len()),
            schema_bytes: match (&self.shown, &self.prepared) {
                (Some(shown), _) if Arc::ptr_eq(&self.schemas, &shown.schemas) => shown.bytes(),
                (_, Some(prepared)) if Arc::ptr_eq(&self.schemas, prepared.schemas()) => {
                    prepared.bytes()
                }
                _ if Arc::ptr_eq(&self.schemas, self.catalogue.direct()) => {
                    self.catalogue.direct_bytes()
                }
                _ => schema_bytes(&self.schemas),
            },
        }
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("tools", &self.schemas.len())
            .finish_non_exhaustive()
    }
}
