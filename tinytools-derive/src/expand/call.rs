//! The call: hidden values from the context, arguments from the model, and what becomes of the result.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

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
            (&(&_tinytools::Type::<#ty>::NEW).halves().output()).schema()
        }
    }
}

/// The methods that run a call, with the signatures that `#[async_trait]` gives them.
///
/// ```text
/// fn execute_with_context(&self, args: Value, _: ToolCallOptions, ctx: Option<&dyn ToolRunContext>) -> .. {
///     _tinytools::Box::pin(async move {
///         let mut args = __INPUT.open(args)?;
///         let returned = weather(
///             _tinytools::borrowed::<Units>("units").required(ctx, Self::NAME)?,
///             args.take(0)?,
///         ).await;
///         let halves = (&_tinytools::Type::<Result<String, String>>::NEW).halves();
///         halves.reply(
///             returned,
///             (&&&halves.output()).way::<Result<String, String>>(),
///             (&&&halves.failure()).way::<_tinytools::Result<(), String>>(),
///         )
///     })
/// }
/// ```
///
/// No local has a name of the user's, and those of the expansion are out of the user's sight.
pub(super) fn execute(tool: &Tool, target: &Target) -> TokenStream {
    let open = if tool.properties().next().is_none() {
        quote!(__INPUT.open(args)?;)
    } else {
        quote!(let mut args = __INPUT.open(args)?;)
    };
    let ctx = tool.hidden().next().map_or(quote!(_), |_| quote!(ctx));
    let call = call(tool, target);
    let reply = reply(&tool.output);
    // A future that is not `Send` is reported at the whole of this expression, so its ends are the function's name.
    let name = at(&tool.ident);
    let run = quote! {
        #open
        let returned = #call;
        #reply
    };
    let run = quote_spanned!(name=> _tinytools::Box::pin(async move { #run }));
    quote! {
        fn execute<'a: 'call, 'call>(
            &'a self,
            args: _tinytools::Value,
        ) -> _tinytools::Execution<'call> {
            _tinytools::execute(self, args)
        }
        fn execute_with_context<'a: 'call, 'ctx: 'call, 'call>(
            &'a self,
            args: _tinytools::Value,
            _: _tinytools::ToolCallOptions,
            #ctx: _tinytools::Option<&'ctx dyn _tinytools::ToolRunContext>,
        ) -> _tinytools::Execution<'call> {
            #run
        }
    }
}

/// The call of the function. Borrowed arguments live until it has returned, since they are part of its statement.
fn call(tool: &Tool, target: &Target) -> TokenStream {
    let mut index = 0_usize..;
    let arguments = tool.params.iter().map(|param| match param {
        Param::Hidden(hidden) => {
            let source = source(hidden);
            if hidden.optional {
                quote!(#source.optional(ctx))
            } else {
                quote!(#source.required(ctx, Self::NAME)?)
            }
        }
        Param::Visible(property) => argument(property, index.next().unwrap_or_default()),
    });
    let arguments = target.receiver.iter().cloned().chain(arguments);
    let function = &target.function;
    let wait = tool.is_async.then(|| quote!(.await));
    quote!(#function(#(#arguments),*) #wait)
}

fn argument(property: &Property, index: usize) -> TokenStream {
    let index = proc_macro2::Literal::usize_unsuffixed(index);
    let ty = &property.ty;
    match property.passing {
        Passing::Owned => quote!(args.take(#index)?),
        Passing::Borrowed => quote!(&args.take::<#ty>(#index)?),
        Passing::BorrowedOption => quote!(args.take::<#ty>(#index)?.as_deref()),
    }
}

/// From what was returned to the answer. The types that `way` is given don't choose it, but are underlined where there
/// is none.
fn reply(output: &Output) -> TokenStream {
    let Output { ty, failure } = output;
    let failure = match failure {
        Some(failure) => quote_spanned!(at(failure)=> _tinytools::Result<(), #failure>),
        None => ty.clone(),
    };
    quote! {
        let halves = (&_tinytools::Type::<#ty>::NEW).halves();
        halves.reply(
            returned,
            (&&&halves.output()).way::<#ty>(),
            (&&&halves.failure()).way::<#failure>(),
        )
    }
}
