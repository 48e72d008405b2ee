//! The values of keys, each reader with the message for what is not one.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Expr, ExprLit, Ident, Lit, LitBool, LitInt, LitStr, Path};
use syn::{Token, parenthesized, token};

use super::number::Number;
use super::slot::Key;
use crate::docs::ungroup;

/// Reads the `=` of `key = value`.
fn equals(key: &Key, input: ParseStream, form: &str, expected: &str) -> syn::Result<()> {
    let Key { ident, name, .. } = key;
    if input.is_empty() || input.peek(Token![,]) {
        let message = format!("expected a value: `{name} = {form}`");
        return Err(Error::new(ident.span(), message));
    }
    if !input.peek(Token![=]) {
        return Err(Error::new(
            ident.span(),
            format!("expected `{name} = {form}`"),
        ));
    }
    let equals: Token![=] = input.parse()?;
    if input.is_empty() {
        // The end of an attribute's arguments has no token of its own, so the last one is underlined.
        let message = format!("unexpected end of input, expected {expected}");
        return Err(Error::new_spanned(equals, message));
    }
    Ok(())
}

/// Reads one value, or reports that it is not what the key wants.
fn value<T: Parse>(key: &Key, input: ParseStream, wanted: &str) -> syn::Result<T> {
    let start = input.fork();
    input.parse().map_err(|_| {
        let message = format!("the `{}` argument must be {wanted}", key.name);
        wrong_value(&start, message)
    })
}

/// An error under the token that stands where a value should.
fn wrong_value(input: ParseStream, message: String) -> Error {
    match input.fork().parse::<Expr>() {
        Ok(found) => Error::new_spanned(found, message),
        Err(_) => input.error(message),
    }
}

fn no_suffix(literal: impl ToTokens, suffix: &str, kind: &str) -> syn::Result<()> {
    if suffix.is_empty() {
        return Ok(());
    }
    let message = format!("unexpected suffix `{suffix}` on {kind} literal");
    Err(Error::new_spanned(literal, message))
}

/// `key = "text"`.
pub(crate) fn string(key: &Key, input: ParseStream) -> syn::Result<LitStr> {
    equals(key, input, r#""...""#, "string literal")?;
    string_literal(key, input)
}

fn string_literal(key: &Key, input: ParseStream) -> syn::Result<LitStr> {
    let text: LitStr = value(key, input, "a string literal")?;
    no_suffix(&text, text.suffix(), "string")?;
    Ok(text)
}

/// `key`, `key = true` or `key = false`.
pub(crate) fn flag(key: &Key, input: ParseStream) -> syn::Result<bool> {
    if input.is_empty() || !input.peek(Token![=]) {
        if input.peek(token::Paren) {
            let message = format!("expected `{0}` or `{0} = true`", key.name);
            return Err(Error::new(key.ident.span(), message));
        }
        return Ok(true);
    }
    equals(key, input, "true", "`true` or `false`")?;
    let flag: LitBool = value(key, input, "`true` or `false`")?;
    Ok(flag.value)
}

/// `key = N`, a number that is not negative and not above `max`.
pub(crate) fn count(key: &Key, input: ParseStream, max: u64) -> syn::Result<LitInt> {
    equals(key, input, "N", "integer literal")?;
    if input.peek(Token![-]) {
        let message = format!("the `{}` argument cannot be negative", key.name);
        return Err(wrong_value(input, message));
    }
    let number: LitInt = value(key, input, "an integer literal")?;
    no_suffix(&number, number.suffix(), "integer")?;
    match number.base10_parse::<u64>() {
        Ok(value) if value <= max => Ok(number),
        _ => {
            let message = format!("the `{}` argument must be at most {max}", key.name);
            Err(Error::new_spanned(number, message))
        }
    }
}

/// `key = N`, any number literal.
pub(crate) fn number(key: &Key, input: ParseStream) -> syn::Result<Number> {
    equals(key, input, "N", "number literal")?;
    let expr: Expr = value(key, input, "a number literal")?;
    let message = |text: &str| {
        let message = format!("the `{}` argument {text}", key.name);
        Error::new_spanned(&expr, message)
    };
    let literal = match ungroup(&expr) {
        Expr::Unary(unary) => ungroup(&unary.expr),
        literal => literal,
    };
    if let Expr::Lit(ExprLit { lit, .. }) = literal {
        match lit {
            Lit::Int(int) => no_suffix(int, int.suffix(), "integer")?,
            Lit::Float(float) => no_suffix(float, float.suffix(), "float")?,
            _ => {}
        }
    }
    let is_number = matches!(
        literal,
        Expr::Lit(ExprLit {
            lit: Lit::Int(_) | Lit::Float(_),
            ..
        })
    );
    match Number::of(&expr) {
        Some(number) if number.value.as_f64().is_finite() => Ok(number),
        _ if is_number => Err(message("is out of range")),
        _ => Err(message("must be a number literal")),
    }
}

/// `key = Variant`, one of `variants`.
pub(crate) fn variant(key: &Key, input: ParseStream, variants: &[&str]) -> syn::Result<Ident> {
    let listed = listed(variants);
    equals(
        key,
        input,
        variants.first().copied().unwrap_or_default(),
        &listed,
    )?;
    let found: Expr = value(key, input, &listed)?;
    let ident = match ungroup(&found) {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    };
    match ident {
        Some(ident) if variants.iter().any(|variant| ident == variant) => Ok(ident.clone()),
        Some(ident) => {
            let message = format!("unknown `{}` value `{ident}`; expected {listed}", key.name);
            Err(Error::new_spanned(ident, message))
        }
        None => {
            let message = format!("the `{}` argument must be {listed}", key.name);
            Err(Error::new_spanned(found, message))
        }
    }
}

fn listed(variants: &[&str]) -> String {
    match variants {
        [first @ .., last] if !first.is_empty() => {
            format!("`{}` or `{last}`", first.join("`, `"))
        }
        _ => format!("`{}`", variants.concat()),
    }
}

/// `key = EXPR`.
pub(crate) fn expr(key: &Key, input: ParseStream) -> syn::Result<Expr> {
    equals(key, input, "EXPR", "expression")?;
    value(key, input, "an expression")
}

/// `key = Ident`.
pub(crate) fn ident(key: &Key, input: ParseStream) -> syn::Result<Ident> {
    equals(key, input, "Ident", "identifier")?;
    value(key, input, "an identifier")
}

/// `crate = ::path`, where the path starts at a crate, so that it means the same in every module.
pub(crate) fn crate_path(key: &Key, input: ParseStream) -> syn::Result<Path> {
    equals(key, input, "::name", "path")?;
    let found: Path = input
        .call(Path::parse_mod_style)
        .map_err(|error| Error::new(error.span(), "the `crate` argument must be a path"))?;
    let at_crate = found
        .segments
        .first()
        .is_some_and(|first| first.ident == "crate");
    // `$crate` of a `macro_rules!` macro arrives as an identifier that prints like this.
    let at_macro = found
        .segments
        .first()
        .is_some_and(|first| first.ident == "$crate");
    if found.leading_colon.is_some() || at_crate || at_macro {
        return Ok(found);
    }
    let name = found
        .segments
        .last()
        .map(|last| last.ident.unraw().to_string());
    let name = name.filter(|_| found.segments.len() == 1);
    let message = format!(
        "the `crate` path must start with `::` or `crate`; write `crate = ::{}`",
        name.as_deref().unwrap_or("name")
    );
    Err(Error::new_spanned(found, message))
}

/// `key("text", ..)`.
pub(crate) fn strings(key: &Key, input: ParseStream) -> syn::Result<Vec<LitStr>> {
    list(key, input, r#""...", .."#, |input| {
        string_literal(key, input)
    })
}

/// `key(EXPR, ..)`.
pub(crate) fn exprs(key: &Key, input: ParseStream) -> syn::Result<Vec<Expr>> {
    list(key, input, "EXPR, ..", |input| {
        value(key, input, "a list of expressions")
    })
}

fn list<T>(
    key: &Key,
    input: ParseStream,
    form: &str,
    parse: impl Fn(ParseStream) -> syn::Result<T>,
) -> syn::Result<Vec<T>> {
    if !input.peek(token::Paren) {
        let message = format!("expected `{}({form})`", key.name);
        return Err(Error::new(key.ident.span(), message));
    }
    let content;
    parenthesized!(content in input);
    let mut items = Vec::new();
    while !content.is_empty() {
        let item = parse(&content).and_then(|item| {
            if !content.is_empty() {
                content.parse::<Token![,]>()?;
            }
            Ok(item)
        });
        match item {
            Ok(item) => items.push(item),
            Err(error) => {
                // What is left unread is an error of its own.
                content.parse::<TokenStream>()?;
                return Err(error);
            }
        }
    }
    Ok(items)
}
