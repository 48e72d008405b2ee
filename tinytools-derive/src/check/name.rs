//! Rules for the name and the description, which are all a model knows of a tool.

use proc_macro2::Span;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Error, Expr, ExprLit, Lit};

use super::Place;
use crate::args::ToolArgs;
use crate::docs::{Docs, ungroup};
use crate::errors::Errors;
use crate::input::FnInput;
use crate::model::resolve_name;

/// The longest name that every provider accepts.
const MAX_NAME: usize = 64;

/// Names of the bridge through which a host finds and calls deferred tools.
const RESERVED: [&str; 2] = ["tool_search", "tool_call"];

pub(super) fn check(args: &ToolArgs, input: &FnInput, place: Place<'_>, errors: &mut Errors) {
    check_name(args, input, place, errors);
    check_description(args, input, errors);
}

/// A name is what every provider accepts: ASCII `snake_case` of at most 64 characters, and none of the host's own.
fn check_name(args: &ToolArgs, input: &FnInput, place: Place<'_>, errors: &mut Errors) {
    let prefix = match place {
        Place::Free => None,
        Place::Toolbox { prefix } => prefix,
    };
    let ident = &input.sig.ident;
    let (own, span) = match args.name.value() {
        Some(name) => (name.value(), name.span()),
        None => (ident.unraw().to_string(), ident.span()),
    };
    let fix = match args.name.value() {
        Some(_) => "",
        None => "; set `name = \"...\"`",
    };
    let name = resolve_name(args, prefix, ident).value();
    if let Some(problem) = problem_of(&own, &name, fix) {
        errors.push(Error::new(span, problem));
    }
}

/// What is wrong with `own`, which is a part of the whole `name`.
pub(super) fn problem_of(own: &str, name: &str, fix: &str) -> Option<String> {
    let is_lower = |letter: char| letter.is_ascii_lowercase();
    let wrong = |letter: &char| !(is_lower(*letter) || letter.is_ascii_digit() || *letter == '_');
    if own.is_empty() {
        return Some("a tool name cannot be empty".to_owned());
    }
    if let Some(found) = own.chars().find(wrong) {
        let found = if fix.is_empty() {
            format!("; found `{found}`")
        } else {
            fix.to_owned()
        };
        let rule = "a tool name is snake_case: lower-case ASCII letters, digits, and `_`";
        return Some(format!("{rule}{found}"));
    }
    if !name.starts_with(is_lower) {
        return Some(format!(
            "a tool name starts with a lower-case ASCII letter{fix}"
        ));
    }
    if name.len() > MAX_NAME {
        let length = name.len();
        return Some(format!(
            "a tool name has at most {MAX_NAME} characters, and this one has {length}{fix}"
        ));
    }
    RESERVED
        .contains(&name)
        .then(|| format!("the tool name `{name}` is reserved for the host{fix}"))
}

/// A model chooses tools by their description.
fn check_description(args: &ToolArgs, input: &FnInput, errors: &mut Errors) {
    const BLANK: &str = "a tool description cannot be blank";
    if let Some(written) = args.description.value() {
        if is_blank(written) {
            errors.at(written, BLANK);
        }
        check_is_text(written, errors);
    }
    if args.description.is_there() {
        return;
    }
    match &input.docs {
        Docs::Text(_) => {}
        Docs::Missing => {
            let span: Span = input.sig.ident.span();
            let message = "missing tool description; add a doc comment or `description = \"...\"`";
            errors.push(Error::new(span, message));
        }
        Docs::Blank(docs) => errors.at(docs, BLANK),
        Docs::Unreadable(call) => errors.at(
            call.to_token_stream(),
            "cannot read a macro as the description; write `description = \"...\"`",
        ),
    }
}

/// A description may be any expression that is a text. Of another literal it is seen here that it is none.
pub(super) fn check_is_text(description: &Expr, errors: &mut Errors) {
    if let Expr::Lit(ExprLit { lit, .. }) = ungroup(description)
        && !matches!(lit, Lit::Str(_) | Lit::Verbatim(_))
    {
        errors.at(
            description,
            "the `description` argument must be a string; write `description = \"...\"`",
        );
    }
}

/// Whether the expression is a string literal without a visible character.
pub(super) fn is_blank(expr: &Expr) -> bool {
    match ungroup(expr) {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => text.value().trim().is_empty(),
        _ => false,
    }
}
