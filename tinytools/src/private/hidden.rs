//! Takes the values of `#[hidden]` parameters from the run's context.
//!
//! What a type must be is asked once, where [`borrowed`], [`owned`] or [`dynamic`] is called with it. Everything after
//! that works through function pointers and asks nothing, so that an unsuitable type is one error.

use std::sync::Arc;

use crate::{FromRunContext, Injected, InjectionError, ToolRunContext};

/// A type that a host can provide.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a hidden parameter",
    label = "must be `Send + Sync + 'static`",
    note = "tools run on any thread, so what they share must be safe to share; try `Arc<Mutex<..>>`"
)]
pub trait HiddenValue: Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: ?Sized + Send + Sync + 'static> HiddenValue for T {}

/// A parameter written `&T`.
pub struct Borrowed<T: ?Sized> {
    injected: Injected,
    get: for<'ctx> fn(&'ctx dyn ToolRunContext) -> Option<&'ctx T>,
}

/// A parameter written `&T`.
#[must_use]
pub fn borrowed<T: HiddenValue>(parameter: &'static str) -> Borrowed<T> {
    Borrowed {
        injected: <&T>::declaration(parameter),
        get: |ctx| FromRunContext::from_run_context(ctx),
    }
}

/// A parameter written `T`, `Arc<T>` or `Arc<dyn X>`.
pub struct Owned<T> {
    injected: Injected,
    get: fn(&dyn ToolRunContext) -> Option<T>,
}

/// A parameter written `T`, `Arc<T>` or `Arc<dyn X>`.
#[must_use]
pub fn owned<T: HiddenValue + Clone>(parameter: &'static str) -> Owned<T> {
    Owned {
        injected: Injected::of::<T>(parameter),
        get: |ctx| ctx.get_ref::<T>().cloned(),
    }
}

/// A parameter written `&dyn X`. Its methods are found by type: those of the context itself are its own, those of any
/// other object, which the host provides as an `Arc<dyn X>`, are [`DynamicValue`]'s.
pub struct Dynamic<T: ?Sized>(Borrowed<T>);

/// A parameter written `&dyn X`.
#[must_use]
pub fn dynamic<T: ?Sized + HiddenValue>(parameter: &'static str) -> Dynamic<T> {
    Dynamic(Borrowed {
        injected: Injected::of::<Arc<T>>(parameter),
        get: |ctx| ctx.get_ref::<Arc<T>>().map(AsRef::as_ref),
    })
}

fn require<T>(value: Option<T>, injected: &Injected, tool: &str) -> anyhow::Result<T> {
    value.ok_or_else(|| InjectionError::new(tool, injected).into())
}

impl<T: ?Sized> Borrowed<T> {
    /// The declaration of a parameter that must be there.
    #[must_use]
    pub fn declare(self) -> Injected {
        self.injected
    }

    /// The declaration of a parameter that may be absent.
    #[must_use]
    pub fn declare_optional(self) -> Injected {
        self.injected.optional()
    }

    /// The value.
    ///
    /// # Errors
    /// Where the host provides none.
    pub fn required<'ctx>(
        self,
        ctx: Option<&'ctx dyn ToolRunContext>,
        tool: &str,
    ) -> anyhow::Result<&'ctx T> {
        require(ctx.and_then(self.get), &self.injected, tool)
    }

    /// The value, if the host provides it.
    #[must_use]
    pub fn optional(self, ctx: Option<&dyn ToolRunContext>) -> Option<&T> {
        ctx.and_then(self.get)
    }
}

impl<T> Owned<T> {
    /// The declaration of a parameter that must be there.
    #[must_use]
    pub fn declare(self) -> Injected {
        self.injected
    }

    /// The declaration of a parameter that may be absent.
    #[must_use]
    pub fn declare_optional(self) -> Injected {
        self.injected.optional()
    }

    /// A clone of the value.
    ///
    /// # Errors
    /// Where the host provides none.
    pub fn required(self, ctx: Option<&dyn ToolRunContext>, tool: &str) -> anyhow::Result<T> {
        require(ctx.and_then(self.get), &self.injected, tool)
    }

    /// A clone of the value, if the host provides it.
    #[must_use]
    pub fn optional(self, ctx: Option<&dyn ToolRunContext>) -> Option<T> {
        ctx.and_then(self.get)
    }
}

impl Dynamic<dyn ToolRunContext> {
    fn injected(self) -> Injected {
        <&dyn ToolRunContext>::declaration(self.0.injected.parameter)
    }

    /// The declaration of a parameter that must be there.
    #[must_use]
    pub fn declare(self) -> Injected {
        self.injected()
    }

    /// The declaration of a parameter that may be absent.
    #[must_use]
    pub fn declare_optional(self) -> Injected {
        self.injected().optional()
    }

    /// The context.
    ///
    /// # Errors
    /// Where there is none, since the call belongs to no run.
    pub fn required<'ctx>(
        self,
        ctx: Option<&'ctx dyn ToolRunContext>,
        tool: &str,
    ) -> anyhow::Result<&'ctx dyn ToolRunContext> {
        require(ctx, &self.injected(), tool)
    }

    /// The context, if there is one.
    #[must_use]
    pub fn optional(self, ctx: Option<&dyn ToolRunContext>) -> Option<&dyn ToolRunContext> {
        ctx
    }
}

/// Any trait object but the context. The methods are those of [`Borrowed`].
pub trait DynamicValue<T: ?Sized> {
    /// The declaration of a parameter that must be there.
    fn declare(self) -> Injected;

    /// The declaration of a parameter that may be absent.
    fn declare_optional(self) -> Injected;

    /// The value.
    ///
    /// # Errors
    /// Where the host provides none.
    fn required<'ctx>(
        self,
        ctx: Option<&'ctx dyn ToolRunContext>,
        tool: &str,
    ) -> anyhow::Result<&'ctx T>;

    /// The value, if the host provides it.
    fn optional(self, ctx: Option<&dyn ToolRunContext>) -> Option<&T>;
}

impl<T: ?Sized> DynamicValue<T> for Dynamic<T> {
    fn declare(self) -> Injected {
        self.0.declare()
    }

    fn declare_optional(self) -> Injected {
        self.0.declare_optional()
    }

    fn required<'ctx>(
        self,
        ctx: Option<&'ctx dyn ToolRunContext>,
        tool: &str,
    ) -> anyhow::Result<&'ctx T> {
        self.0.required(ctx, tool)
    }

    fn optional(self, ctx: Option<&dyn ToolRunContext>) -> Option<&T> {
        self.0.optional(ctx)
    }
}
