//! The tools of an impl block.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident};
use syn::{Attribute, Generics, Receiver, ReceiverKind, Type};

use super::{Tool, cfgs, krate, struct_ident};
use crate::args::{PolicyArgs, ToolboxArgs};
use crate::input::{BlockInput, MethodInput};
use crate::shape::ungroup;

/// An impl block whose methods are tools.
pub(crate) struct Toolbox {
    /// The path of `tinytools`.
    pub(crate) krate: TokenStream,
    pub(crate) owner: TokenStream,
    pub(crate) generics: Generics,
    pub(crate) methods: Vec<Method>,
}

/// One of the methods.
pub(crate) struct Method {
    pub(crate) tool: Tool,
    pub(crate) cfgs: Vec<Attribute>,
    /// The struct that stands for it. No other item sees it.
    pub(crate) ident: Ident,
    pub(crate) receiver: ReceiverForm,
}

/// How the method takes its owner.
#[derive(Clone, Copy)]
pub(crate) enum ReceiverForm {
    /// Not at all.
    None,
    /// `&self`
    Borrowed,
    /// `self: Arc<Self>`
    Shared,
}

impl Toolbox {
    /// The toolbox that `input` declares. `policies` are the keys of each tool with the defaults of `args`.
    pub(crate) fn resolve(args: &ToolboxArgs, policies: &[PolicyArgs], input: &BlockInput) -> Self {
        let methods = input
            .tools()
            .zip(policies)
            .map(|(method, policy)| Method::resolve(args, policy, method));
        Self {
            krate: krate(args.krate.value()),
            owner: input.item.self_ty.to_token_stream(),
            generics: input.item.generics.clone(),
            methods: methods.collect(),
        }
    }
}

impl Method {
    fn resolve(args: &ToolboxArgs, policy: &PolicyArgs, method: &MethodInput) -> Self {
        let (tool_args, function) = &method.resolved;
        Self {
            tool: Tool::resolve(tool_args, policy, args.prefix.value(), function),
            cfgs: cfgs(&function.attrs),
            ident: format_ident!("__{}", struct_ident(&function.sig.ident)),
            receiver: function
                .receiver
                .as_ref()
                .map_or(ReceiverForm::None, ReceiverForm::of),
        }
    }
}

impl ReceiverForm {
    fn of(receiver: &Receiver) -> Self {
        match &receiver.kind {
            ReceiverKind::Typed(_, ty) if !matches!(ungroup(ty), Type::Reference(_)) => {
                Self::Shared
            }
            _ => Self::Borrowed,
        }
    }
}
