//! `tools![..]`.

use proc_macro2::{TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Path, Token};

/// `(krate) A, b::B`, from the macro in `tinytools`, which knows its own path.
///
/// ```text
/// {
///     use $crate::__private as _tinytools;
///     const NAMES: &[&str] = &[A::NAME, b::B::NAME];
///     const _: () = _tinytools::assert_unique(NAMES, 1);
///     _tinytools::vec([_tinytools::arc(A), _tinytools::arc(b::B)])
/// }
/// ```
pub(crate) fn expand_tools(input: TokenStream) -> TokenStream {
    let mut input = input.into_iter();
    let krate = if let Some(TokenTree::Group(group)) = input.next() {
        group.stream()
    } else {
        quote!(::tinytools)
    };
    let parser = |input: ParseStream| {
        Punctuated::<Path, Token![,]>::parse_terminated_with(input, |input| {
            input.parse().map_err(|error: syn::Error| {
                syn::Error::new(error.span(), "expected the path of a tool")
            })
        })
    };
    let tools = match parser.parse2(input.collect()) {
        Ok(tools) => tools,
        Err(error) => return error.into_compile_error(),
    };
    let tools: Vec<&Path> = tools.iter().collect();
    // The first has no other before it.
    let checks = tools.iter().enumerate().skip(1).map(|(index, tool)| {
        quote_spanned!(tool.span()=> const _: () = _tinytools::assert_unique(NAMES, #index);)
    });
    let names = (tools.len() > 1).then(|| quote!(const NAMES: &[&str] = &[#(<#tools>::NAME),*];));
    quote!({
        use #krate::__private as _tinytools;
        #names
        #(#checks)*
        _tinytools::vec::<_tinytools::Arc<dyn _tinytools::Tool>, _>([#(_tinytools::arc(#tools)),*])
    })
}
