//! The list of keys in the parentheses of an attribute.

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Error, Ident, Lit, Token};

use super::similar::similar;
use super::slot::Key;
use crate::errors::Errors;

/// What reads the value of one key. `None` where the key is unknown.
pub(crate) trait ReadKey {
    /// The name of the attribute, for messages.
    const ATTR: &'static str;

    /// All keys of the attribute, to find a similar one.
    fn known() -> Vec<&'static str>;

    /// Reads the rest of the argument whose key has been read.
    fn read(&mut self, key: &Key, input: ParseStream) -> Option<syn::Result<()>>;

    /// A better message than "unknown" for a key that belongs elsewhere.
    fn misplaced(_name: &str) -> Option<String> {
        None
    }
}

/// Reads `KEY = VALUE, KEY, ..`. A mistake in one argument is reported, and reading goes on behind its comma.
pub(crate) fn read_keys<A: ReadKey + Default>(tokens: TokenStream, errors: &mut Errors) -> A {
    let mut args = A::default();
    let parser = |input: ParseStream| {
        while !input.is_empty() {
            if let Err(error) = read_argument(&mut args, input) {
                errors.push(error);
                skip_to_comma(input)?;
            }
            if input.is_empty() {
                break;
            }
            if let Err(error) = input.parse::<Token![,]>() {
                // The next key has no comma before it: say so, and read it all the same.
                errors.push(Error::new(error.span(), "expected `,`"));
                if !input.peek(Ident::peek_any) {
                    skip_to_comma(input)?;
                }
            }
        }
        Ok(())
    };
    if let Err(error) = parser.parse2(tokens) {
        errors.push(error);
    }
    args
}

fn read_argument<A: ReadKey>(args: &mut A, input: ParseStream) -> syn::Result<()> {
    if input.peek(Lit) && !input.peek(syn::LitBool) {
        let lit: Lit = input.parse()?;
        let message = match &lit {
            Lit::Str(text) if A::ATTR == "tool" => {
                format!("unexpected literal; write `name = {:?}`", text.value())
            }
            _ => "unexpected literal; write `key = value`".to_owned(),
        };
        return Err(Error::new_spanned(lit, message));
    }
    let ident = input
        .call(Ident::parse_any)
        .map_err(|error| Error::new(error.span(), "expected the name of an argument"))?;
    let key = Key {
        name: ident.unraw().to_string(),
        ident,
        attr: A::ATTR,
    };
    let read = args.read(&key, input);
    read.unwrap_or_else(|| Err(unknown::<A>(&key)))
}

fn unknown<A: ReadKey>(key: &Key) -> Error {
    let Key { ident, name, attr } = key;
    let known = A::known();
    let hint = if let Some(misplaced) = A::misplaced(name) {
        misplaced
    } else if let Some(similar) = similar(name, known.iter().copied()) {
        format!("there is an argument with a similar name: `{similar}`")
    } else {
        format!("the documentation of `{attr}` lists them")
    };
    Error::new(
        ident.span(),
        format!("unknown `{attr}` argument `{name}`; {hint}"),
    )
}

/// Moves to the comma that ends the argument.
fn skip_to_comma(input: ParseStream) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}
