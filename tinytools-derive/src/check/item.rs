//! Rules for the function itself.

use proc_macro2::TokenTree;
use quote::{ToTokens, quote};
use syn::{GenericParam, ReceiverKind, ReturnType, Safety, Type};

use super::Place;
use crate::args::ToolArgs;
use crate::errors::Errors;
use crate::input::FnInput;
use crate::shape::{find_ident, find_impl_trait, mentions_lifetime, ungroup};

pub(super) fn check(args: &ToolArgs, input: &FnInput, place: Place<'_>, errors: &mut Errors) {
    check_tool_attribute(input, errors);
    check_body(input, errors);
    check_qualifiers(input, errors);
    check_generics(input, errors);
    check_output(input, errors);
    match place {
        Place::Free => check_no_receiver(input, errors),
        Place::Toolbox { .. } => {
            check_receiver(input, errors);
            check_method_keys(args, errors);
        }
    }
}

/// A function is one tool.
fn check_tool_attribute(input: &FnInput, errors: &mut Errors) {
    for again in &input.tools {
        errors.at(again.path(), "duplicate `tool` attribute");
    }
}

/// A declaration without a body has nothing to run.
fn check_body(input: &FnInput, errors: &mut Errors) {
    if let Some(TokenTree::Punct(semicolon)) = input.body.clone().into_iter().next() {
        errors.at(semicolon, "a tool must have a body");
    }
}

/// A tool is called by a host, from anywhere, with owned arguments: that leaves no room for these.
fn check_qualifiers(input: &FnInput, errors: &mut Errors) {
    let sig = &input.sig;
    if let Some(constness) = &sig.constness {
        errors.at(constness, "a tool cannot be `const`");
    }
    if let Safety::Unsafe(unsafety) = &sig.safety {
        errors.at(unsafety, "a tool cannot be `unsafe`");
    }
    if let Some(abi) = &sig.abi {
        errors.at(abi, "a tool cannot have an ABI");
    }
    if let Some(variadic) = &input.variadic {
        errors.at(
            variadic,
            "a tool cannot be variadic; take a `Vec` as the last parameter",
        );
    }
}

/// The expansion calls the function without a type to put in. A lifetime that only ties hidden references together is
/// left to the compiler to find.
fn check_generics(input: &FnInput, errors: &mut Errors) {
    let generics = &input.sig.generics;
    let is_lifetime = |param: &GenericParam| matches!(param, GenericParam::Lifetime(_));
    let underlined = {
        let (lt, params, gt) = (&generics.lt_token, &generics.params, &generics.gt_token);
        quote!(#lt #params #gt)
    };
    if !generics.params.iter().all(is_lifetime) {
        errors.at(underlined, "a tool cannot be generic; use a concrete type");
    } else if generics.lifetimes().any(|lifetime| {
        let mut visible = input.params.iter().filter(|param| param.hidden.is_none());
        visible.any(|param| mentions_lifetime(param.ty.to_token_stream(), &lifetime.lifetime.ident))
    }) {
        errors.at(
            underlined,
            "a tool cannot have a lifetime parameter; take owned values",
        );
    }
    if let Some(clause) = &generics.where_clause {
        errors.at(clause, "a tool cannot have a `where` clause");
    }
}

/// The result is chosen by the type, so there must be one to name.
fn check_output(input: &FnInput, errors: &mut Errors) {
    if let ReturnType::Type(_, ty) = &input.sig.output
        && let Some(opaque) = find_impl_trait(ty)
    {
        errors.at(opaque, "a tool must return a named type");
    }
}

const SELF_OUTSIDE: &str = "a tool cannot take `self` here; put `#[toolbox]` on the impl block, or take the state as `#[hidden]`";

/// A free function has no state of its own.
fn check_no_receiver(input: &FnInput, errors: &mut Errors) {
    if let Some(receiver) = &input.receiver {
        errors.at(receiver, SELF_OUTSIDE);
    } else if let Some(owner) = find_ident(input.sig.to_token_stream(), "Self") {
        errors.at(owner, SELF_OUTSIDE);
    }
}

/// Whether the function can only be a method, so that nothing may be put beside it.
pub(crate) fn is_method(input: &FnInput) -> bool {
    input.receiver.is_some() || find_ident(input.sig.to_token_stream(), "Self").is_some()
}

/// The state of a toolbox is shared by all calls.
fn check_receiver(input: &FnInput, errors: &mut Errors) {
    let Some(receiver) = &input.receiver else {
        return;
    };
    let shared = match &receiver.kind {
        ReceiverKind::Reference(_, _, mutability) => mutability.is_none(),
        ReceiverKind::Typed(_, ty) => is_shared_self(ty),
        _ => false,
    };
    if !shared {
        errors.at(
            receiver,
            "the calls of a toolbox share its state; take `&self`, or `self: Arc<Self>`",
        );
    }
}

/// `&Self`, or an `Arc<Self>` under any path.
fn is_shared_self(ty: &Type) -> bool {
    match ungroup(ty) {
        Type::Reference(reference) => reference.mutability.is_none(),
        ty => crate::shape::last_segment(ty).is_some_and(|segment| segment.ident == "Arc"),
    }
}

/// The tools of a toolbox have no names in Rust, and one path to `tinytools`.
fn check_method_keys(args: &ToolArgs, errors: &mut Errors) {
    if let Some(written) = args.struct_name.get() {
        errors.at(
            &written.key,
            "`struct_name` is for free functions; a toolbox hands out its tools by `into_tools`",
        );
    }
    if let Some(written) = args.krate.get() {
        errors.at(
            &written.key,
            "`crate` belongs to the whole impl block; write it in `toolbox`",
        );
    }
}
