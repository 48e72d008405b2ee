//! Hidden parameters: what the host provides and the model never sees.

use std::any::TypeId;

use crate::ToolRunContext;

/// The declaration of one hidden parameter, for a host to check before a run starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Injected {
    /// The parameter's name, for the host's error messages. It never reaches a model.
    pub parameter: &'static str,
    /// The type's name, for the host's error messages. It never reaches a model.
    pub type_name: &'static str,
    /// What [`ToolRunContext::get`] is asked for.
    pub type_id: TypeId,
    /// Whether the tool runs without it.
    pub optional: bool,
}

impl Injected {
    /// Declares that the parameter needs a `T`.
    #[must_use]
    pub fn of<T: ?Sized + 'static>(parameter: &'static str) -> Self {
        Self {
            parameter,
            type_name: std::any::type_name::<T>(),
            type_id: TypeId::of::<T>(),
            optional: false,
        }
    }

    /// The same declaration for a parameter that may be absent.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }
}

/// What can be taken from a run's context.
///
/// The macro chooses by the written shape of a `#[hidden]` parameter; this trait is what generated code is bounded by
/// and is not meant to be implemented.
pub trait FromRunContext<'ctx>: Sized {
    /// The declaration of a parameter of this type.
    fn declaration(parameter: &'static str) -> Injected;

    /// The value, if the host provides it.
    fn from_run_context(ctx: &'ctx dyn ToolRunContext) -> Option<Self>;
}

impl<'ctx> FromRunContext<'ctx> for &'ctx dyn ToolRunContext {
    fn declaration(parameter: &'static str) -> Injected {
        Injected::of::<dyn ToolRunContext>(parameter)
    }

    fn from_run_context(ctx: &'ctx dyn ToolRunContext) -> Option<Self> {
        Some(ctx)
    }
}

impl<'ctx, T: Send + Sync + 'static> FromRunContext<'ctx> for &'ctx T {
    fn declaration(parameter: &'static str) -> Injected {
        Injected::of::<T>(parameter)
    }

    fn from_run_context(ctx: &'ctx dyn ToolRunContext) -> Option<Self> {
        ctx.get_ref::<T>()
    }
}

/// A hidden parameter's value is missing.
///
/// It speaks of hidden names and types, so it is for the host: a model must never be shown its text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "tool `{tool}` needs a `{type_name}` for its hidden parameter `{parameter}`; the host must provide one"
)]
#[non_exhaustive]
pub struct InjectionError {
    /// The tool's name.
    pub tool: String,
    /// The parameter's name.
    pub parameter: &'static str,
    /// The type's name.
    pub type_name: &'static str,
}

impl InjectionError {
    /// The error for one declaration of the named tool.
    pub fn new(tool: impl Into<String>, injected: &Injected) -> Self {
        Self {
            tool: tool.into(),
            parameter: injected.parameter,
            type_name: injected.type_name,
        }
    }
}
