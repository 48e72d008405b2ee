//! From the tokens of an attribute and its item to the tokens of the expansion.

mod call;
mod policy;
mod schema;
mod tool;
mod toolbox;
mod tools;

use proc_macro2::TokenStream;

pub(crate) use tool::{Target, definition, named};
pub(crate) use toolbox::stub as toolbox_stub;
pub(crate) use tools::expand_tools;

use crate::args::{PolicyArgs, ToolArgs, ToolboxArgs};
use crate::check::{Place, check_tool, check_toolbox};
use crate::errors::Errors;
use crate::fallback;
use crate::input::{BlockInput, FnInput};
use crate::model::{Tool, ToolStruct, Toolbox};

/// `#[tool(args)] item`: the function, and its tool beside it.
///
/// Where something is wrong, both are there all the same, so that the mistake is the only error.
pub(crate) fn expand_tool(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = ToolArgs::parse(args, &mut errors);
    let input = match FnInput::parse(item.clone(), &mut errors) {
        Ok(input) => input,
        Err(error) => {
            errors.push(error);
            return fallback::unread_item(item, errors);
        }
    };
    check_tool(&args, &args.policy, &input, Place::Free, &mut errors);
    let tool = Tool::resolve(&args, &args.policy, None, &input);
    let shell = ToolStruct::resolve(&args, &input);
    match errors.finish() {
        Ok(()) => tool::expand(&tool, &shell, &input),
        Err(error) => fallback::tool(&error, &tool, &shell, &input),
    }
}

/// `#[toolbox(args)] item`: the impl block, and a tool for each annotated method.
pub(crate) fn expand_toolbox(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = ToolboxArgs::parse(args, &mut errors);
    let input = match BlockInput::parse(item.clone(), &mut errors) {
        Ok(input) => input,
        Err(error) => {
            errors.push(error);
            return fallback::unread_item(item, errors);
        }
    };
    let policies: Vec<PolicyArgs> = input
        .tools()
        .map(|method| method.args.policy.or(&args.policy))
        .collect();
    check_toolbox(&args, &policies, &input, &mut errors);
    let toolbox = Toolbox::resolve(&args, &policies, &input);
    match errors.finish() {
        Ok(()) => toolbox::expand(&toolbox, &input),
        Err(error) => fallback::toolbox(&error, &toolbox, &input),
    }
}
