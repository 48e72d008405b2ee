//! The call: hidden values from the context, arguments from the model, and what becomes of the result.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};

use super::Target;
use crate::model::{Hidden, Output, Param, Property, Tool};
use crate::shape::{Passing, Source, at};

/// `Tool::injected`, where anything is hidden.
pub(super) fn injected(tool: &Tool) -> Option<TokenStream> {
    let declarations: Vec<TokenStream> = tool
        .hidden()
        .map(|hidden| {
            let source = source(hidden);
            if hidden.optional {
                quote!(#source.declare_optional())
            } else {
                quote!(#source.declare())
            }
        })
        .collect();
    if declarations.is_empty() {
        return None;
    }
    Some(quote! {
        fn injected(&self) -> _tinytools::Vec<_tinytools::Injected> {
            _tinytools::vec([#(#declarations),*])
        }
    })
}

/// Where a hidden value comes from. The type is written in the user's own tokens, so that an unsuitable one is
/// underlined.
fn source(hidden: &Hidden) -> TokenStream {
    let name = &hidden.name;
    match &hidden.source {
        Source::Borrowed(ty) => quote!(_tinytools::borrowed::<#ty>(#name)),
        Source::Dynamic(ty) => quote!(_tinytools::dynamic::<#ty>(#name)),
        Source::Owned(ty) => quote!(_tinytools::owned::<#ty>(#name)),
    }
}

/// `Tool::output_schema`: a schema where the return type has one, chosen by the type.
pub(super) fn output_schema(tool: &Tool) -> TokenStream {
    let ty = &tool.output.ty;
    quote! {
        fn output_schema(&self) -> _tinytools::Option<_tinytools::Value> {
            _tinytools::returned::<#ty>().halves().schema()
        }
    }
}

/// The methods that run a call, with the signatures that `#[async_trait]` gives them.
///
/// ```text
/// fn __call<'c>(&'c self, call: _tinytools::Call<'c>) -> _tinytools::Called<'c> {
///     let halves = _tinytools::returned::<Result<String, String>>().halves();
///     halves.run(
///         &__INPUT,
///         call.args,
///         halves.way::<Result<String, String>>(),
///         halves.cause::<_tinytools::Result<(), String>>(),
///         move |(city,)| {
///             _tinytools::Ok(weather(
///                 _tinytools::borrowed::<Units>("units").required(call.ctx, Self::NAME)?,
///                 city,
///             ))
///         },
///     )
/// }
/// ```
///
/// `execute` hands on to it, and so does `execute_with_context`, unless nothing is hidden: the context is of no use then.
///
/// A function that isn't async is called by `run_now`, without a future. An async one of nothing but owned arguments is handed over as it is: `halves.run2(.., search)`. There is no `async`
/// block unless an argument is borrowed: it would cost the compiler more than all the rest.
///
/// No local has a name of the user's, and those of the expansion are out of the user's sight.
pub(super) fn execute(tool: &Tool, target: &Target<'_>) -> TokenStream {
    let Output { ty, failure } = &tool.output;
    let failure = match failure {
        Some(failure) => quote_spanned!(at(failure)=> _tinytools::Result<(), #failure>),
        None => ty.to_token_stream(),
    };
    // A future that is not `Send` is reported at the method that asks for it, which is the function's name.
    let span = at(&tool.ident);
    let (run, call) = if is_plain(tool, target) {
        (
            format_ident!("run{}", tool.params.len(), span = span),
            target.function.clone(),
        )
    } else {
        let (arguments, call) = (arguments(tool), call(tool, target));
        let run = if tool.is_async { "run" } else { "run_now" };
        (
            format_ident!("{run}", span = span),
            quote!(move |#arguments| { #call }),
        )
    };
    let with_context = tool.hidden().next().is_some().then(|| {
        quote! {
            fn execute_with_context<'a: 'call, 'ctx: 'call, 'call>(
                &'a self,
                args: _tinytools::Value,
                _: _tinytools::ToolCallOptions,
                ctx: _tinytools::Option<&'ctx dyn _tinytools::ToolRunContext>,
            ) -> _tinytools::Execution<'call> {
                _tinytools::execute(self, args, ctx)
            }
        }
    });
    quote! {
        fn execute<'a: 'call, 'call>(
            &'a self,
            args: _tinytools::Value,
        ) -> _tinytools::Execution<'call> {
            _tinytools::execute(self, args, _tinytools::None)
        }
        #with_context
        fn __call<'c>(&'c self, call: _tinytools::Call<'c>) -> _tinytools::Called<'c> {
            let halves = _tinytools::returned::<#ty>().halves();
            halves.#run(&__INPUT, call.args, halves.way::<#ty>(), halves.cause::<#failure>(), #call)
        }
    }
}

/// Whether the function can be called with what was read of the arguments, as it is.
///
/// It is then handed over instead of a closure, which would be one more body to compile: `halves.run2(.., search)`.
fn is_plain(tool: &Tool, target: &Target<'_>) -> bool {
    const MOST_ARGUMENTS: usize = 8;
    tool.is_async
        && target.receiver.is_none()
        && tool.params.len() <= MOST_ARGUMENTS
        && tool.hidden().next().is_none()
        && !tool.properties().any(is_borrowed)
}

/// The arguments as the closure takes them, with their types only where the call doesn't tell.
///
/// ```text
/// (path, limit): (_tinytools::PathBuf, _)
/// ```
fn arguments(tool: &Tool) -> TokenStream {
    let locals = tool
        .properties()
        .map(|property| property.local.to_token_stream());
    let locals = tuple(
        locals,
        |first, rest| quote!(_tinytools::Then(#first, #rest)),
    );
    if !tool.properties().any(is_borrowed) {
        return locals;
    }
    let types = tool.properties().map(|property| match property.passing {
        Passing::Owned => quote!(_),
        Passing::Borrowed | Passing::BorrowedOption => property.ty.to_token_stream(),
    });
    let types = tuple(types, |first, rest| quote!(_tinytools::Then<#first, #rest>));
    quote!(#locals: #types)
}

/// A tuple; of more elements than `Arguments` knows a tuple of, several.
fn tuple(
    elements: impl Iterator<Item = TokenStream>,
    then: impl Fn(TokenStream, TokenStream) -> TokenStream,
) -> TokenStream {
    const LONGEST: usize = 12;
    let elements: Vec<TokenStream> = elements.collect();
    let tuples = elements.chunks(LONGEST).map(|chunk| quote!((#(#chunk,)*)));
    let tuples = tuples.rev().reduce(|rest, first| then(first, rest));
    tuples.unwrap_or_else(|| quote!(()))
}

/// From the arguments to what the function returns.
fn call(tool: &Tool, target: &Target<'_>) -> TokenStream {
    let function = &target.function;
    let receiver = target.receiver.iter();
    if !(tool.is_async && tool.properties().any(is_borrowed)) {
        let arguments = tool.params.iter().map(|param| match param {
            Param::Hidden(hidden) => injection(hidden),
            Param::Visible(property) => passed(property),
        });
        let returned = quote!(#function(#(#receiver,)* #(#arguments),*));
        return quote!(_tinytools::Ok(#returned));
    }
    // The future borrows from what it is given, so it must own that.
    let mut injections = Vec::new();
    let arguments = tool
        .params
        .iter()
        .enumerate()
        .map(|(position, param)| match param {
            Param::Hidden(hidden) => {
                let local = format_ident!("hidden{position}", span = Span::mixed_site());
                let value = injection(hidden);
                injections.push(quote!(let #local = #value;));
                quote!(#local)
            }
            Param::Visible(property) => passed(property),
        });
    let arguments: Vec<TokenStream> = arguments.collect();
    quote! {
        #(#injections)*
        _tinytools::Ok(async move { #function(#(#receiver,)* #(#arguments),*).await })
    }
}

/// The value of a hidden parameter.
fn injection(hidden: &Hidden) -> TokenStream {
    let source = source(hidden);
    if hidden.optional {
        quote!(#source.optional(call.ctx))
    } else {
        quote!(#source.required(call.ctx, Self::NAME)?)
    }
}

/// An argument as the function takes it.
fn passed(property: &Property) -> TokenStream {
    let local = &property.local;
    match property.passing {
        Passing::Owned => quote!(#local),
        Passing::Borrowed => quote!(&#local),
        Passing::BorrowedOption => quote!(#local.as_deref()),
    }
}

fn is_borrowed(property: &Property) -> bool {
    !matches!(property.passing, Passing::Owned)
}
