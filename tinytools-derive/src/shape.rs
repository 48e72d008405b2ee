//! What can be told of a type by its spelling.
//!
//! A macro sees names, not types. What is decided here is either a borrowed form that only spelling can tell
//! (`&str`), or a check that stays silent about a name it doesn't know.

mod kind;
mod tokens;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::{GenericArgument, PathArguments, PathSegment, Type, TypeReference};

pub(crate) use kind::Kind;
pub(crate) use tokens::{at, elide_lifetimes, find_ident, mentions_lifetime};

/// The type inside parentheses and the invisible delimiters that a `macro_rules!` fragment leaves.
pub(crate) fn ungroup(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            _ => return ty,
        }
    }
}

/// The last segment of a type that is a path.
pub(crate) fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ungroup(ty) {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        _ => None,
    }
}

/// The types between the angle brackets of a segment.
pub(crate) fn type_arguments(segment: &PathSegment) -> impl Iterator<Item = &Type> {
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
        _ => None,
    };
    arguments.into_iter().flatten().filter_map(|arg| match arg {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// The `T` of a type spelled `..Option<T>`.
pub(crate) fn option_of(ty: &Type) -> Option<&Type> {
    let segment = last_segment(ty).filter(|segment| segment.ident == "Option")?;
    type_arguments(segment).next()
}

/// The `E` of a type spelled `..Result<T, E>`.
pub(crate) fn failure_of(ty: &Type) -> Option<&Type> {
    let segment = last_segment(ty).filter(|segment| segment.ident == "Result")?;
    type_arguments(segment).nth(1)
}

/// The `impl Trait` in a type: the type itself, or the keyword where it is part of another.
pub(crate) fn find_impl_trait(ty: &Type) -> Option<TokenStream> {
    match ungroup(ty) {
        Type::ImplTrait(opaque) => Some(opaque.to_token_stream()),
        Type::Reference(reference) => find_impl_trait(&reference.elem),
        Type::Slice(slice) => find_impl_trait(&slice.elem),
        ty => last_segment(ty)
            .into_iter()
            .flat_map(type_arguments)
            .find_map(find_impl_trait),
    }
}

/// The spelling of a type for a message, without the spaces that tokens are printed with.
pub(crate) fn spelling(ty: &Type) -> String {
    let printed = ungroup(ty).to_token_stream().to_string();
    let mut text = String::new();
    let mut last = "";
    for next in printed.split(' ') {
        if is_spaced(last, next) {
            text.push(' ');
        }
        text.push_str(next);
        last = next;
    }
    text
}

/// Whether people write a space between the two.
fn is_spaced(left: &str, right: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let after_word = left.ends_with(is_word);
    let after_lifetime = after_word && left.contains('\'');
    left.ends_with(['+', ',', ';', '='])
        || right.starts_with(['+', '='])
        || (after_word && right.starts_with(|letter| is_word(letter) || letter == '&'))
        || (after_lifetime && right.starts_with(['[', '(']))
}

/// How the value read from the arguments becomes the function's argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passing {
    /// As it is.
    Owned,
    /// By reference: `&str` is read as a `String`.
    Borrowed,
    /// By `as_deref`: `Option<&str>` is read as an `Option<String>`.
    BorrowedOption,
}

/// The type that a visible parameter is read as, and how it is passed on.
pub(crate) fn owned_form(ty: &Type) -> (Type, Passing) {
    if let Some(owned) = owned_referent(ty) {
        return (Type::Verbatim(owned), Passing::Borrowed);
    }
    if let Some(owned) = option_of(ty).and_then(owned_referent) {
        let option = quote_spanned!(at(ty)=> _tinytools::Option<#owned>);
        return (Type::Verbatim(option), Passing::BorrowedOption);
    }
    (ty.clone(), Passing::Owned)
}

/// The owned type behind `&str`, `&[T]` or `&Path`.
fn owned_referent(ty: &Type) -> Option<TokenStream> {
    let Type::Reference(TypeReference {
        lifetime: None,
        mutability: None,
        elem,
        ..
    }) = ungroup(ty)
    else {
        return None;
    };
    if let Type::Slice(slice) = ungroup(elem) {
        let item = &slice.elem;
        return Some(quote_spanned!(at(ty)=> _tinytools::Vec<#item>));
    }
    let segment = last_segment(elem).filter(|segment| segment.arguments.is_none())?;
    match segment.ident.to_string().as_str() {
        "str" => Some(quote_spanned!(at(ty)=> _tinytools::String)),
        "Path" => Some(quote_spanned!(at(ty)=> _tinytools::PathBuf)),
        _ => None,
    }
}

/// Where a hidden parameter comes from.
pub(crate) enum Source {
    /// `&T`
    Borrowed(Type),
    /// `&dyn X`
    Dynamic(Type),
    /// `T`, `Arc<T>`, `Arc<dyn X>`
    Owned(Type),
}

impl Source {
    /// The source of a hidden parameter, and whether it may be absent.
    pub(crate) fn of(ty: &Type) -> (Self, bool) {
        match option_of(ty) {
            Some(inner) => (Self::of_required(inner), true),
            None => (Self::of_required(ty), false),
        }
    }

    fn of_required(ty: &Type) -> Self {
        match ungroup(ty) {
            Type::Reference(reference) => match ungroup(&reference.elem) {
                object @ Type::TraitObject(_) => Self::Dynamic(object.clone()),
                _ => Self::Borrowed((*reference.elem).clone()),
            },
            _ => Self::Owned(ty.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn spells_types_as_people_do() {
        let spelt = |ty: Type| spelling(&ty);
        assert_eq!(spelt(parse_quote!(&dyn Store)), "&dyn Store");
        assert_eq!(
            spelt(parse_quote!(HashMap<String, Vec<u8>>)),
            "HashMap<String, Vec<u8>>"
        );
        assert_eq!(spelt(parse_quote!(&'a mut Db)), "&'a mut Db");
        assert_eq!(
            spelt(parse_quote!(Box<dyn Fn() + Send>)),
            "Box<dyn Fn() + Send>"
        );
        assert_eq!(spelt(parse_quote!([u8; 3])), "[u8; 3]");
        assert_eq!(spelt(parse_quote!(&'static [u8])), "&'static [u8]");
    }

    #[test]
    fn borrowed_forms_are_owned_in_the_table() {
        let owned = |ty: Type| {
            let (owned, passing) = owned_form(&ty);
            (
                owned.to_token_stream().to_string().replace(' ', ""),
                passing,
            )
        };
        assert_eq!(
            owned(parse_quote!(&str)),
            ("_tinytools::String".to_owned(), Passing::Borrowed)
        );
        assert_eq!(
            owned(parse_quote!(Option<&[u8]>)),
            (
                "_tinytools::Option<_tinytools::Vec<u8>>".to_owned(),
                Passing::BorrowedOption
            )
        );
        assert_eq!(
            owned(parse_quote!(&std::path::Path)),
            ("_tinytools::PathBuf".to_owned(), Passing::Borrowed)
        );
        assert_eq!(owned(parse_quote!(&'static str)).1, Passing::Owned);
    }
}
