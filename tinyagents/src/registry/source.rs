//! What can be registered as one tool.

use std::sync::Arc;

use tinytools::Tool;

/// One tool, in any form it is owned in: `impl Tool`, `Arc<impl Tool>`, `Arc<dyn Tool>` or `Box<dyn Tool>`.
///
/// `Form` is there for the compiler alone, which infers it: without it the implementations could overlap.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "is not a tool",
    note = "of a function under `#[tool]`, the tool is the struct beside it: `SearchTool` for `search`",
    note = "several tools, such as those of a `#[toolbox]` type, are registered by `register_all`"
)]
pub trait IntoTool<Form> {
    /// The tool, shared.
    fn into_tool(self) -> Arc<dyn Tool>;
}

/// The forms of [`IntoTool`].
pub(super) mod form {
    /// A tool by value.
    #[derive(Debug)]
    pub enum Owned {}
    /// A shared tool of a known type.
    #[derive(Debug)]
    pub enum Shared {}
    /// A shared trait object.
    #[derive(Debug)]
    pub enum SharedDyn {}
    /// A boxed trait object.
    #[derive(Debug)]
    pub enum BoxedDyn {}
}

#[diagnostic::do_not_recommend]
impl<T: Tool + 'static> IntoTool<form::Owned> for T {
    fn into_tool(self) -> Arc<dyn Tool> {
        Arc::new(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Tool + 'static> IntoTool<form::Shared> for Arc<T> {
    fn into_tool(self) -> Arc<dyn Tool> {
        self
    }
}

impl IntoTool<form::SharedDyn> for Arc<dyn Tool> {
    fn into_tool(self) -> Arc<dyn Tool> {
        self
    }
}

impl IntoTool<form::BoxedDyn> for Box<dyn Tool> {
    fn into_tool(self) -> Arc<dyn Tool> {
        Arc::from(self)
    }
}
