//! A tool as a toolset shows it.

use std::any::Any;
use std::sync::Arc;

use serde_json::Value;
use tinytools::__private::{Call, Called};
use tinytools::{
    Injected, PermissionLevel, Tool, ToolCallOptions, ToolCategory, ToolError, ToolExposure,
    ToolPolicy, ToolResult, ToolRunContext, ToolScope, ToolTimeout, anyhow, async_trait,
};

use crate::model::ToolSchema;

/// A tool under another name, with another declaration or with more asked of its calls; or a declaration without a tool.
///
/// It knows who it really is: the runtime compiles the tool behind it, and policies, events and ledger get that tool's
/// name. Views of views don't nest.
#[derive(Clone)]
pub(crate) struct ToolView {
    origin: Origin,
    canonical: Arc<str>,
    shown: Arc<str>,
    layers: Vec<Arc<ToolSchema>>,
    needs_approval: bool,
}

/// What is behind a view.
#[derive(Clone)]
enum Origin {
    Tool(Arc<dyn Tool>),
    External(Arc<ToolSchema>),
}

impl ToolView {
    /// The view, if the tool is one.
    pub(crate) fn behind(tool: &dyn Tool) -> Option<&Self> {
        tool.__runtime_view()?.downcast_ref()
    }

    /// The tool as it is shown already, to be shown otherwise.
    pub(crate) fn of(tool: &Arc<dyn Tool>) -> Self {
        Self::behind(tool.as_ref()).cloned().unwrap_or_else(|| {
            let name: Arc<str> = Arc::from(tool.name());
            Self {
                origin: Origin::Tool(Arc::clone(tool)),
                canonical: Arc::clone(&name),
                shown: name,
                layers: Vec::new(),
                needs_approval: false,
            }
        })
    }

    /// A declaration whose calls the host answers.
    pub(crate) fn external(schema: Arc<ToolSchema>) -> Self {
        let name: Arc<str> = Arc::from(schema.name.as_str());
        Self {
            origin: Origin::External(schema),
            canonical: Arc::clone(&name),
            shown: name,
            layers: Vec::new(),
            needs_approval: false,
        }
    }

    /// The name by which policies know the tool.
    pub(crate) fn identity(tool: &dyn Tool) -> &str {
        Self::behind(tool).map_or_else(|| tool.name(), |view| &view.canonical)
    }

    pub(crate) fn shown_as(mut self, name: &str) -> Self {
        self.shown = Arc::from(name);
        // A declaration has its own copy of the name.
        for layer in &mut self.layers {
            name.clone_into(&mut Arc::make_mut(layer).name);
        }
        self
    }

    pub(crate) fn prepared_as(mut self, schema: Arc<ToolSchema>) -> Self {
        self.layers.push(schema);
        self
    }

    pub(crate) fn requiring_approval(mut self) -> Self {
        self.needs_approval = true;
        self
    }

    pub(super) fn canonical(&self) -> &Arc<str> {
        &self.canonical
    }

    pub(super) fn shown(&self) -> &Arc<str> {
        &self.shown
    }

    pub(crate) fn layers(&self) -> &[Arc<ToolSchema>] {
        &self.layers
    }

    pub(crate) fn needs_approval(&self) -> bool {
        self.needs_approval
    }

    /// The tool behind it; `None` for an external one.
    pub(super) fn tool(&self) -> Option<&Arc<dyn Tool>> {
        match &self.origin {
            Origin::Tool(tool) => Some(tool),
            Origin::External(_) => None,
        }
    }

    /// The declaration of the tool behind it, under the name that is shown.
    pub(crate) fn own_schema(&self) -> ToolSchema {
        match &self.origin {
            Origin::Tool(tool) => {
                ToolSchema::new(&*self.shown, tool.description(), tool.parameters_schema())
            }
            Origin::External(schema) => ToolSchema {
                name: self.shown.to_string(),
                ..ToolSchema::clone(schema)
            },
        }
    }

    /// Whether nothing has to be compiled anew for the other one.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let is_same_origin = match (&self.origin, &other.origin) {
            (Origin::Tool(own), Origin::Tool(other)) => {
                std::ptr::addr_eq(Arc::as_ptr(own), Arc::as_ptr(other))
            }
            (Origin::External(own), Origin::External(other)) => own == other,
            _ => false,
        };
        is_same_origin
            && self.canonical == other.canonical
            && self.shown == other.shown
            && self.needs_approval == other.needs_approval
            && self.layers == other.layers
    }

    fn inner(&self) -> Option<&dyn Tool> {
        self.tool().map(AsRef::as_ref)
    }

    /// The tool behind it, where a call may reach it.
    fn admitted(&self, ctx: Option<&dyn ToolRunContext>) -> Result<&dyn Tool, ToolError> {
        let metadata = Value::Null;
        let Origin::Tool(tool) = &self.origin else {
            return Err(ToolError::CallDeferred { metadata });
        };
        if self.needs_approval && !ctx.is_some_and(ToolRunContext::is_approved) {
            return Err(ToolError::ApprovalRequired { metadata });
        }
        Ok(tool.as_ref())
    }
}

/// Everything but the name, the declaration and the need for approval is the tool's behind it.
#[async_trait]
impl Tool for ToolView {
    fn name(&self) -> &str {
        &self.shown
    }

    fn description(&self) -> &str {
        match (self.layers.last(), &self.origin) {
            (Some(layer), _) => &layer.description,
            (None, Origin::Tool(tool)) => tool.description(),
            (None, Origin::External(schema)) => &schema.description,
        }
    }

    fn parameters_schema(&self) -> Value {
        match (self.layers.last(), &self.origin) {
            (Some(layer), _) => layer.parameters.clone(),
            (None, Origin::Tool(tool)) => tool.parameters_schema(),
            (None, Origin::External(schema)) => schema.parameters.clone(),
        }
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        self.execute_with_context(args, ToolCallOptions::default(), None)
            .await
    }

    async fn execute_with_options(
        &self,
        args: Value,
        options: ToolCallOptions,
    ) -> anyhow::Result<ToolResult> {
        self.execute_with_context(args, options, None).await
    }

    /// The runtime goes to the tool behind it and asks for all of this itself.
    async fn execute_with_context(
        &self,
        args: Value,
        options: ToolCallOptions,
        ctx: Option<&dyn ToolRunContext>,
    ) -> anyhow::Result<ToolResult> {
        self.admitted(ctx)?
            .execute_with_context(args, options, ctx)
            .await
    }

    fn __call<'call>(&'call self, call: Call<'call>) -> Called<'call> {
        match self.admitted(call.ctx) {
            Ok(tool) => tool.__call(call),
            Err(error) => Called::Done(Err(error.into())),
        }
    }

    fn policy(&self) -> ToolPolicy {
        let policy = self.inner().map(Tool::policy).unwrap_or_default();
        if self.needs_approval {
            policy.requiring_approval()
        } else {
            policy
        }
    }

    fn injected(&self) -> Vec<Injected> {
        self.inner().map(Tool::injected).unwrap_or_default()
    }

    fn is_blocking(&self) -> bool {
        self.inner().is_some_and(Tool::is_blocking)
    }

    fn idempotency_key(&self, args: &Value) -> Option<String> {
        self.inner()?.idempotency_key(args)
    }

    fn output_schema(&self) -> Option<Value> {
        self.inner()?.output_schema()
    }

    fn supports_markdown(&self) -> bool {
        self.inner().is_some_and(Tool::supports_markdown)
    }

    fn permission_level(&self) -> PermissionLevel {
        self.inner()
            .map_or(PermissionLevel::ReadOnly, Tool::permission_level)
    }

    fn permission_level_with_args(&self, args: &Value) -> PermissionLevel {
        self.inner().map_or(PermissionLevel::ReadOnly, |tool| {
            tool.permission_level_with_args(args)
        })
    }

    fn scope(&self) -> ToolScope {
        self.inner().map_or(ToolScope::All, Tool::scope)
    }

    fn category(&self) -> ToolCategory {
        self.inner().map_or(ToolCategory::System, Tool::category)
    }

    fn exposure(&self) -> ToolExposure {
        self.inner().map_or(ToolExposure::Direct, Tool::exposure)
    }

    fn family(&self) -> Option<&str> {
        self.inner()?.family()
    }

    fn tags(&self) -> Vec<String> {
        self.inner().map(Tool::tags).unwrap_or_default()
    }

    fn is_concurrency_safe(&self, args: &Value) -> bool {
        self.inner()
            .is_some_and(|tool| tool.is_concurrency_safe(args))
    }

    fn external_effect(&self) -> bool {
        self.inner().is_some_and(Tool::external_effect)
    }

    fn external_effect_with_args(&self, args: &Value) -> bool {
        self.inner()
            .is_some_and(|tool| tool.external_effect_with_args(args))
    }

    fn max_result_size_chars(&self) -> Option<usize> {
        self.inner()?.max_result_size_chars()
    }

    fn timeout_policy(&self, args: &Value) -> ToolTimeout {
        self.inner().map_or_else(
            || self.policy().runtime.timeout_policy(),
            |tool| tool.timeout_policy(args),
        )
    }

    fn host_extension(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.inner()?.host_extension()
    }

    fn host_call_extension(&self, data: &(dyn Any + Send + Sync)) -> Option<ToolResult> {
        self.inner()?.host_call_extension(data)
    }

    fn return_direct(&self) -> bool {
        self.inner().is_some_and(Tool::return_direct)
    }

    fn __runtime_view(&self) -> Option<&(dyn Any + Send + Sync)> {
        Some(self)
    }
}
