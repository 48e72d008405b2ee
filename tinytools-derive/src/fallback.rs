//! What is emitted beside the errors, so that one mistake stays one error: the function without what only the macro
//! understands, and a tool that has the right name and does nothing.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;
use syn::Error;

use crate::check::is_method;
use crate::errors::Errors;
use crate::expand::{Target, definition, named, toolbox_stub};
use crate::input::{BlockInput, FnInput};
use crate::model::{Tool, ToolStruct, Toolbox};

/// The errors, the function, and a stub in place of its tool.
pub(crate) fn tool(error: &Error, tool: &Tool, shell: &ToolStruct, input: &FnInput) -> TokenStream {
    let error = error.to_compile_error();
    let function = with_body(input);
    // Inside an impl block no struct can stand beside the function.
    let stub = (!is_method(input)).then(|| stub(tool, shell));
    quote! {
        #error
        #function
        #stub
    }
}

/// The errors, and an item that could not be read, as it is but for the attributes on its parameters.
pub(crate) fn unread_item(item: TokenStream, errors: Errors) -> TokenStream {
    let error = errors.finish().err().map(|error| error.to_compile_error());
    let item = strip(item);
    quote!(#error #item)
}

/// The function; with a body where that is what it lacks.
fn with_body(input: &FnInput) -> TokenStream {
    let FnInput {
        attrs,
        vis,
        sig,
        body,
        ..
    } = input;
    let has_body = body.clone().into_iter().any(
        |token| matches!(&token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace),
    );
    if has_body {
        quote!(#input)
    } else {
        // Its parameters can't be used.
        quote!(#(#attrs)* #[allow(unused_variables)] #vis #sig { loop {} })
    }
}

/// The struct, its name, and an `impl Tool` with as little as the compiler asks for.
fn stub(tool: &Tool, shell: &ToolStruct) -> TokenStream {
    let definition = definition(tool, shell);
    let ToolStruct {
        cfgs,
        vis,
        ident,
        krate,
        ..
    } = shell;
    let target = Target {
        ident,
        generics: None,
        vis,
        function: quote!(),
        receiver: None,
    };
    let named = named(tool, &target);
    quote! {
        #definition
        #(#cfgs)*
        const _: () = {
            use #krate::__private as _tinytools;
            #named
            #[automatically_derived]
            impl _tinytools::Tool for #ident {
                fn name(&self) -> &str {
                    Self::NAME
                }
                fn description(&self) -> &str {
                    Self::NAME
                }
                fn parameters_schema(&self) -> _tinytools::Value {
                    _tinytools::Value::Null
                }
                fn execute<'a: 'call, 'call>(
                    &'a self,
                    args: _tinytools::Value,
                ) -> _tinytools::Execution<'call> {
                    _tinytools::execute(self, args, _tinytools::None)
                }
            }
        };
    }
}

/// The errors, the impl block, and an owner without tools.
pub(crate) fn toolbox(error: &Error, toolbox: &Toolbox, input: &BlockInput) -> TokenStream {
    let error = error.to_compile_error();
    let block = input.print_with(with_body);
    // The block of a trait has no owner of tools.
    let stub = input.item.trait_.is_none().then(|| toolbox_stub(toolbox));
    quote! {
        #error
        #block
        #stub
    }
}

/// An item whose syntax is not understood, without `#[hidden]`, `#[arg(..)]` and docs in its parameter lists, nor
/// `#[tool]` in front of its methods.
pub(crate) fn strip(item: TokenStream) -> TokenStream {
    strip_attributes(item, &["tool"], |group| {
        match group.delimiter() {
            Delimiter::Parenthesis => strip_parameters(group.stream()),
            // An impl block, or a body without anything to strip.
            Delimiter::Brace => {
                strip_attributes(group.stream(), &["tool"], |group| match group.delimiter() {
                    Delimiter::Parenthesis => strip_parameters(group.stream()),
                    _ => group.stream(),
                })
            }
            Delimiter::Bracket | Delimiter::None => group.stream(),
        }
    })
}

fn strip_parameters(list: TokenStream) -> TokenStream {
    strip_attributes(list, &["hidden", "arg", "doc"], Group::stream)
}

/// Removes the attributes whose path ends in one of the names, and passes all other groups through `inner`.
fn strip_attributes(
    tokens: TokenStream,
    removed: &[&str],
    inner: impl Fn(&Group) -> TokenStream,
) -> TokenStream {
    let mut kept = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let starts_attribute = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
        if starts_attribute
            && let Some(TokenTree::Group(attribute)) = tokens.peek()
            && is_one_of(attribute, removed)
        {
            tokens.next();
            continue;
        }
        kept.extend([match token {
            TokenTree::Group(group) => {
                let mut stripped = Group::new(group.delimiter(), inner(&group));
                stripped.set_span(group.span());
                TokenTree::Group(stripped)
            }
            token => token,
        }]);
    }
    kept
}

/// Whether the group is the `[..]` of an attribute whose path ends in one of the names.
fn is_one_of(attribute: &Group, names: &[&str]) -> bool {
    let path = attribute.stream().into_iter().take_while(|token| {
        matches!(token, TokenTree::Ident(_))
            || matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':')
    });
    attribute.delimiter() == Delimiter::Bracket
        && path
            .last()
            .is_some_and(|last| names.iter().any(|name| last.to_string() == *name))
}
