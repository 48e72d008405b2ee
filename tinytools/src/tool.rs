use std::any::Any;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use crate::__private::{Call, Called, Execution};
use crate::{
    Injected, PermissionLevel, ToolCallOptions, ToolCategory, ToolExposure, ToolPolicy, ToolResult,
    ToolRunContext, ToolScope, ToolSpec, ToolTimeout, context_detail_from_args, humanize_tool_name,
};

/// A capability that a model can call.
///
/// Four methods are required. Every other one declares something to the host and has a default. Most defaults are the
/// cautious answer, but four fail **open**, so look at them when you review a tool:
/// [`external_effect`](Self::external_effect) (`false`), [`max_result_size_chars`](Self::max_result_size_chars) (no
/// bound), [`permission_level`](Self::permission_level) (`ReadOnly`) and [`scope`](Self::scope) (`All`, the widest).
///
/// Where a method has a `_with_args` variant, that variant is what a host calls at its enforcement point: override it
/// when the answer depends on the arguments, and declare the least privilege that any call needs in the plain one.
///
/// An `Err` from `execute*` means that the tool could not run; say how with a [`ToolError`](crate::ToolError). A tool
/// that ran and refused returns [`ToolResult::error`].
///
/// ```
/// use tinytools::serde_json::{Value, json};
/// use tinytools::{Tool, ToolResult, anyhow, async_trait};
///
/// struct Shout;
///
/// #[async_trait]
/// impl Tool for Shout {
///     fn name(&self) -> &str {
///         "shout"
///     }
///
///     fn description(&self) -> &str {
///         "Say a text in capitals."
///     }
///
///     fn parameters_schema(&self) -> Value {
///         json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] })
///     }
///
///     async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
///         let text = args["text"].as_str().unwrap_or_default();
///         Ok(ToolResult::success(text.to_uppercase()))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "does not implement `Tool`",
    note = "of a function under `#[tool]`, the tool is the struct beside it: `SearchTool` for `search`"
)]
#[async_trait]
pub trait Tool: Send + Sync {
    /// The canonical name: lower-case ASCII letters, digits and `_`, at most 64 bytes.
    fn name(&self) -> &str;

    /// What the tool does and when to use it, for the model.
    fn description(&self) -> &str;

    /// JSON Schema of the arguments object: what the model may choose and nothing else.
    fn parameters_schema(&self) -> Value;

    /// Runs one call outside of any run.
    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult>;

    /// Runs one call with options. Default: [`execute`](Self::execute).
    fn execute_with_options<'a, 'call>(
        &'a self,
        args: Value,
        options: ToolCallOptions,
    ) -> Execution<'call>
    where
        'a: 'call,
        Self: 'call,
    {
        let _ = options;
        // Handed on as it is: as the body of an `async fn` it would be boxed once more.
        self.execute(args)
    }

    /// Runs one call within a run. This is what a host calls.
    /// Default: [`execute_with_options`](Self::execute_with_options).
    fn execute_with_context<'a, 'ctx, 'call>(
        &'a self,
        args: Value,
        options: ToolCallOptions,
        ctx: Option<&'ctx dyn ToolRunContext>,
    ) -> Execution<'call>
    where
        'a: 'call,
        'ctx: 'call,
        Self: 'call,
    {
        let _ = ctx;
        self.execute_with_options(args, options)
    }

    /// The same as [`execute_with_context`](Self::execute_with_context), over arguments that the host keeps. A host calls
    /// this; a tool that is written by hand has no need of it.
    #[doc(hidden)]
    fn __call<'call>(&'call self, call: Call<'call>) -> Called<'call> {
        Called::Running(self.execute_with_context(call.args.clone(), call.options, call.ctx))
    }

    /// Effects and needs. Default: unclassified, which a strict host refuses.
    fn policy(&self) -> ToolPolicy {
        ToolPolicy::default()
    }

    /// The hidden values a call needs. Default: none.
    fn injected(&self) -> Vec<Injected> {
        Vec::new()
    }

    /// Whether a call may block its thread, so that the host must move it off its async threads. Default: `false`.
    fn is_blocking(&self) -> bool {
        false
    }

    /// A key under which the effect of this call happens at most once. Default: none, the host makes one.
    fn idempotency_key(&self, args: &Value) -> Option<String> {
        let _ = args;
        None
    }

    /// JSON Schema of the structured result. Default: none.
    fn output_schema(&self) -> Option<Value> {
        None
    }

    /// Whether the result may carry a Markdown form. Default: `false`.
    fn supports_markdown(&self) -> bool {
        false
    }

    /// The least privilege any call needs. Default: `ReadOnly`.
    fn permission_level(&self) -> PermissionLevel {
        PermissionLevel::ReadOnly
    }

    /// The privilege this call needs. Default: [`permission_level`](Self::permission_level).
    fn permission_level_with_args(&self, args: &Value) -> PermissionLevel {
        let _ = args;
        self.permission_level()
    }

    /// Who may use the tool. Default: `All`.
    fn scope(&self) -> ToolScope {
        ToolScope::All
    }

    /// Which belt the tool hangs on. Default: `System`.
    fn category(&self) -> ToolCategory {
        ToolCategory::System
    }

    /// How a model gets to know of the tool. Default: `Direct`.
    fn exposure(&self) -> ToolExposure {
        ToolExposure::Direct
    }

    /// A name shared by related tools. Default: none.
    fn family(&self) -> Option<&str> {
        None
    }

    /// Words to find the tool by. Default: none.
    fn tags(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether this call may run beside others of its batch. Default: `false`.
    fn is_concurrency_safe(&self, args: &Value) -> bool {
        let _ = args;
        false
    }

    /// Whether a call changes something outside the machine that can't be taken back. Default: `false`.
    fn external_effect(&self) -> bool {
        false
    }

    /// The same for this call. Default: [`external_effect`](Self::external_effect).
    fn external_effect_with_args(&self, args: &Value) -> bool {
        let _ = args;
        self.external_effect()
    }

    /// Longest result, in characters, that goes to the model. Default: no bound.
    fn max_result_size_chars(&self) -> Option<usize> {
        None
    }

    /// How long one attempt of this call may take. A host asks at every call.
    /// Default: what the runtime of [`policy`](Self::policy) says, which is made anew for that.
    fn timeout_policy(&self, args: &Value) -> ToolTimeout {
        let _ = args;
        self.policy().runtime.timeout_policy()
    }

    /// Data that the host attached to the tool. Default: none.
    fn host_extension(&self) -> Option<&(dyn Any + Send + Sync)> {
        None
    }

    /// Hands an effect back to the host, which passes data of its own. Default: none.
    fn host_call_extension(&self, data: &(dyn Any + Send + Sync)) -> Option<ToolResult> {
        let _ = data;
        None
    }

    /// The declaration a model is shown.
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name().to_owned(),
            description: self.description().to_owned(),
            parameters: self.parameters_schema(),
            output: self.output_schema(),
        }
    }

    /// The call's name for a person. Default: the policy's label, else the tool's name in words.
    fn display_label(&self, args: &Value) -> String {
        let _ = args;
        let label = self.policy().display.label;
        label.unwrap_or_else(|| humanize_tool_name(self.name()))
    }

    /// A short text that tells this call from another. Default: the policy's detail, else a telling argument that the
    /// policy doesn't redact.
    fn display_detail(&self, args: &Value) -> Option<String> {
        let policy = self.policy();
        if policy.display.detail.is_some() {
            return policy.display.detail;
        }
        let Value::Object(shown) = args else {
            return None;
        };
        let mut shown = shown.clone();
        shown.retain(|name, _| !policy.access.redact.contains(name));
        context_detail_from_args(&Value::Object(shown))
    }

    /// Whether a result ends the run instead of going back to the model. Default: `false`.
    fn return_direct(&self) -> bool {
        false
    }

    /// How a runtime finds the tool behind one that it shows under another name. No tool of one's own has it.
    #[doc(hidden)]
    fn __runtime_view(&self) -> Option<&(dyn Any + Send + Sync)> {
        None
    }
}

/// What can be registered as a list of tools: a `#[toolbox]` type, an `Arc` of one, or the list itself.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of tools",
    label = "is not a list of tools",
    note = "a list is written `tools![SearchTool, RefundTool]`; a value of a type with `#[toolbox]` is one as well"
)]
pub trait IntoTools {
    /// The tools, in the order of their declaration.
    fn into_tools(self) -> Vec<Arc<dyn Tool>>;
}

impl IntoTools for Vec<Arc<dyn Tool>> {
    fn into_tools(self) -> Vec<Arc<dyn Tool>> {
        self
    }
}

impl IntoTools for Vec<Box<dyn Tool>> {
    fn into_tools(self) -> Vec<Arc<dyn Tool>> {
        self.into_iter().map(Arc::from).collect()
    }
}

#[diagnostic::do_not_recommend]
impl<T: crate::__private::ToolOwner> IntoTools for T {
    fn into_tools(self) -> Vec<Arc<dyn Tool>> {
        T::owned_tools(Arc::new(self))
    }
}

#[diagnostic::do_not_recommend]
impl<T: crate::__private::ToolOwner> IntoTools for Arc<T> {
    fn into_tools(self) -> Vec<Arc<dyn Tool>> {
        T::owned_tools(self)
    }
}
