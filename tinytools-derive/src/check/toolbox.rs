//! Rules for an impl block as a whole.

use quote::ToTokens;
use syn::{Error, GenericParam, LitStr};

use super::name::problem_of;
use super::{Place, check_tool, policy};
use crate::args::{PolicyArgs, ToolboxArgs};
use crate::errors::Errors;
use crate::input::{BlockInput, FnInput};
use crate::model::{cfgs, resolve_name};
use crate::shape::find_ident;

/// Checks everything that is written of the block and its tools. `policies` are the keys of each tool with the
/// defaults of `args`.
pub(crate) fn check_toolbox(
    args: &ToolboxArgs,
    policies: &[PolicyArgs],
    input: &BlockInput,
    errors: &mut Errors,
) {
    check_block(input, errors);
    check_lifetimes(input, errors);
    policy::check(&args.policy, errors);
    // The names behind a wrong prefix are not to blame.
    let prefix = args
        .prefix
        .value()
        .filter(|prefix| check_prefix(prefix, errors));
    let place = Place::Toolbox { prefix };
    for (method, policy) in input.tools().zip(policies) {
        check_tool(&method.args, policy, &method.function, place, errors);
        check_owner_generics(input, &method.function, errors);
    }
    check_unique_names(args, input, errors);
}

/// A toolbox is an inherent impl block with something in it. A trait's methods are called through the trait.
fn check_block(input: &BlockInput, errors: &mut Errors) {
    if let Some((path, _)) = &input.item.trait_ {
        errors.at(
            path,
            "the `toolbox` attribute must be on an inherent impl block, not one of a trait",
        );
    } else if input.tools().next().is_none() {
        errors.at(
            &input.item.self_ty,
            "a toolbox without any `#[tool]`; annotate the methods that a model may call",
        );
    }
}

/// The owner is shared with calls on any thread, for as long as they take.
fn check_lifetimes(input: &BlockInput, errors: &mut Errors) {
    for lifetime in input.item.generics.lifetimes() {
        errors.at(
            lifetime,
            "the type of a toolbox must be `'static`; let it own its state",
        );
    }
}

/// A prefix is the beginning of a name.
fn check_prefix(prefix: &LitStr, errors: &mut Errors) -> bool {
    let text = prefix.value();
    let problem = if text.is_empty() {
        Some("a prefix cannot be empty; remove it".to_owned())
    } else {
        problem_of(&text, &text, "")
    };
    let is_right = problem.is_none();
    if let Some(problem) = problem {
        errors.at(prefix, problem);
    }
    is_right
}

/// The table of a tool's parameters is one for all owners, so their types can't be the owner's own.
fn check_owner_generics(input: &BlockInput, function: &FnInput, errors: &mut Errors) {
    let generics = input
        .item
        .generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(param) => Some(param.ident.to_string()),
            GenericParam::Const(param) => Some(param.ident.to_string()),
            GenericParam::Lifetime(_) => None,
        });
    for generic in generics {
        for param in &function.params {
            if param.hidden.is_none() && find_ident(param.ty.to_token_stream(), &generic).is_some()
            {
                let message = format!(
                    "a tool parameter cannot depend on the owner's `{generic}`; use a concrete type"
                );
                errors.at(&param.ty, message);
            }
        }
    }
}

/// A host refuses two tools of one name. Of two methods with conditions only one may be there.
fn check_unique_names(args: &ToolboxArgs, input: &BlockInput, errors: &mut Errors) {
    let mut seen: Vec<(String, bool)> = Vec::new();
    for method in input.tools() {
        let function = &method.function;
        let written = resolve_name(&method.args, args.prefix.value(), &function.sig.ident);
        let name = written.value();
        let conditional = !cfgs(&function.attrs).is_empty();
        if seen.iter().any(|(other, other_conditional)| {
            *other == name && !(conditional && *other_conditional)
        }) {
            let message = format!("duplicate tool name `{name}`");
            errors.push(Error::new(written.span(), message));
        }
        seen.push((name, conditional));
    }
}
