//! The tools of an impl block, and how their owner hands them out.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Visibility, parse_quote, parse_quote_spanned};

use super::schema;
use super::tool::{Target, impls};
use crate::input::BlockInput;
use crate::model::{Method, ReceiverForm, Toolbox};
use crate::shape::at;

/// The impl block as it is, and a tool for each annotated method.
///
/// Input:
///
/// ```text
/// #[toolbox(prefix = "gh")]
/// impl GitHub {
///     /// Find issues.
///     #[tool(read_only, network)]
///     async fn search_issues(&self, query: String) -> Result<Vec<Issue>, Error> { .. }
/// }
/// ```
///
/// Output, shortened:
///
/// ```text
/// impl GitHub {
///     /// Find issues.
///     async fn search_issues(&self, query: String) -> Result<Vec<Issue>, Error> { .. }
/// }
/// const _: () = {
///     use ::tinytools::__private as _tinytools;
///     impl _tinytools::ToolOwner for GitHub {
///         fn owned_tools(owner: _tinytools::Arc<Self>) -> _tinytools::Vec<_tinytools::Arc<dyn _tinytools::Tool>> {
///             _tinytools::vec([
///                 _tinytools::arc(__SearchIssuesTool(::core::clone::Clone::clone(&owner))),
///             ])
///         }
///     }
///     struct __SearchIssuesTool(_tinytools::Arc<GitHub>);
///     const _: () = {
///         // .. as for a function, with the call
///         <GitHub>::search_issues(&*self.0, query)
///     };
/// };
/// ```
///
/// Each method's items have a block of their own, since all of them have a table.
pub(super) fn expand(toolbox: &Toolbox, input: &BlockInput) -> TokenStream {
    let Toolbox { krate, methods, .. } = toolbox;
    let structs = methods.iter().map(|method| expand_method(toolbox, method));
    let tools = methods.iter().map(|Method { cfgs, ident, .. }| {
        quote! {
            #(#cfgs)*
            _tinytools::arc(#ident(::core::clone::Clone::clone(&owner)))
        }
    });
    let owner = impl_owner(toolbox, &quote!([#(#tools),*]));
    quote! {
        #input
        const _: () = {
            use #krate::__private as _tinytools;
            use _tinytools::kinds::*;
            #owner
            #(#structs)*
        };
    }
}

/// An owner without tools, so that `into_tools` adds no error of its own.
pub(crate) fn stub(toolbox: &Toolbox) -> TokenStream {
    let krate = &toolbox.krate;
    let owner = impl_owner(toolbox, &quote!([]));
    quote! {
        const _: () = {
            use #krate::__private as _tinytools;
            #owner
        };
    }
}

fn impl_owner(toolbox: &Toolbox, tools: &TokenStream) -> TokenStream {
    let owner = &toolbox.owner;
    let mut generics = toolbox.generics.clone();
    if !generics.params.is_empty() {
        // A generic owner is one only where it can be shared. Of any other the compiler finds that out.
        let shared = parse_quote!(#owner: _tinytools::SharedOwner);
        generics.make_where_clause().predicates.push(shared);
    }
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics _tinytools::ToolOwner for #owner #where_clause {
            fn owned_tools(
                owner: _tinytools::Arc<Self>,
            ) -> _tinytools::Vec<_tinytools::Arc<dyn _tinytools::Tool>> {
                let _ = &owner;
                _tinytools::vec(#tools)
            }
        }
    }
}

fn expand_method(toolbox: &Toolbox, method: &Method) -> TokenStream {
    let Method {
        tool,
        cfgs,
        ident,
        receiver,
    } = method;
    let owner = &toolbox.owner;
    let mut generics = toolbox.generics.clone();
    // What the owner lacks is said once, where it becomes an owner, and taken for granted here.
    let is_owner = parse_quote_spanned!(at(owner)=> #owner: _tinytools::ToolOwner);
    generics.make_where_clause().predicates.push(is_owner);
    let function = &tool.ident;
    let target = Target {
        ident,
        generics: Some(&generics),
        vis: &Visibility::Inherited,
        function: quote!(<#owner>::#function),
        receiver: receiver.expand(),
    };
    let table = schema::table(tool);
    let impls = impls(tool, &target);
    let definition = struct_definition(toolbox, ident);
    quote! {
        #(#cfgs)*
        #definition
        #(#cfgs)*
        const _: () = {
            #table
            #impls
        };
    }
}

fn struct_definition(toolbox: &Toolbox, ident: &Ident) -> TokenStream {
    let Toolbox {
        owner, generics, ..
    } = toolbox;
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    quote!(struct #ident #impl_generics (_tinytools::Arc<#owner>) #where_clause;)
}

impl ReceiverForm {
    fn expand(self) -> Option<TokenStream> {
        match self {
            Self::None => None,
            Self::Borrowed => Some(quote!(&*self.0)),
            Self::Shared => Some(quote!(::core::clone::Clone::clone(&self.0))),
        }
    }
}
