//! What is done to the tokens of a type, whatever its syntax.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Type;
use syn::spanned::Spanned;

/// The place of the user's tokens for names of the macro's own, which lints for the user's code leave alone.
pub(crate) fn at(tokens: &impl Spanned) -> Span {
    tokens.span().resolved_at(Span::mixed_site())
}

/// Where `name` occurs first among the tokens, at any depth.
pub(crate) fn find_ident(tokens: TokenStream, name: &str) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(found) => (found == name).then_some(found),
        TokenTree::Group(group) => find_ident(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    })
}

/// Whether the lifetime of that name occurs among the tokens, at any depth.
pub(crate) fn mentions_lifetime(tokens: TokenStream, name: &Ident) -> bool {
    let mut quoted = false;
    tokens.into_iter().any(|token| {
        let after_quote = quoted;
        quoted = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
        match token {
            TokenTree::Ident(found) => after_quote && found == *name,
            TokenTree::Group(group) => mentions_lifetime(group.stream(), name),
            TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        }
    })
}

/// The type with its lifetimes left to the compiler, since those of the function are not known elsewhere.
pub(crate) fn elide_lifetimes(ty: &Type) -> Type {
    let tokens = ty.to_token_stream();
    if has_lifetime(tokens.clone()) {
        Type::Verbatim(elide(tokens))
    } else {
        ty.clone()
    }
}

fn has_lifetime(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Punct(punct) => punct.as_char() == '\'',
        TokenTree::Group(group) => has_lifetime(group.stream()),
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    })
}

fn elide(tokens: TokenStream) -> TokenStream {
    let mut quoted = false;
    tokens
        .into_iter()
        .map(|token| {
            let after_quote = quoted;
            quoted = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
            match token {
                TokenTree::Ident(name) if after_quote && name != "static" => {
                    TokenTree::Ident(Ident::new("_", name.span()))
                }
                TokenTree::Group(group) => {
                    let mut elided = Group::new(group.delimiter(), elide(group.stream()));
                    elided.set_span(group.span());
                    TokenTree::Group(elided)
                }
                token => token,
            }
        })
        .collect()
}
