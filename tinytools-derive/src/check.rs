//! What is wrong with a tool. One function per rule, headed by the rule; all of them run, so that all mistakes are
//! reported in one go.

mod bounds;
mod default;
mod item;
mod name;
mod param;
mod pattern;
mod policy;
mod toolbox;

use syn::LitStr;

pub(crate) use item::is_method;
pub(crate) use toolbox::check_toolbox;

use crate::args::{PolicyArgs, ToolArgs};
use crate::errors::Errors;
use crate::input::FnInput;

/// Where a tool is declared.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// A free function.
    Free,
    /// A method of a `#[toolbox]`, with the prefix of its names.
    Toolbox { prefix: Option<&'a LitStr> },
}

/// Checks everything that is written of one tool. `policy` holds the keys of `args`, with the defaults of a toolbox.
pub(crate) fn check_tool(
    args: &ToolArgs,
    policy: &PolicyArgs,
    input: &FnInput,
    place: Place<'_>,
    errors: &mut Errors,
) {
    item::check(args, input, place, errors);
    name::check(args, input, place, errors);
    policy::check_tool(args, policy, input, errors);
    param::check(input, errors);
    for param in &input.params {
        bounds::check(param, errors);
        default::check(param, errors);
    }
}
