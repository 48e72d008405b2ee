//! Rules for parameters: their names and the forms of their types.

use proc_macro2::TokenTree;
use quote::ToTokens;
use syn::{Error, Lifetime, Pat, Type};

use super::name::{check_is_text, is_blank};
use crate::errors::Errors;
use crate::input::{FnInput, ParamInput};
use crate::model::{name_of, property_name};
use crate::shape::{
    Passing, find_impl_trait, last_segment, option_of, owned_form, spelling, type_arguments,
    ungroup,
};

pub(super) fn check(input: &FnInput, errors: &mut Errors) {
    for param in &input.params {
        check_arg_or_hidden(param, errors);
        check_pattern(param, errors);
        if param.hidden.is_some() {
            check_hidden_type(param, errors);
        } else {
            check_texts(param, errors);
            check_concrete(param, errors);
            check_reference(param, errors);
            check_option(param, errors);
            check_map_keys(&param.ty, errors);
        }
    }
    check_names(input, errors);
}

/// A value comes from the model or from the host, never from both.
fn check_arg_or_hidden(param: &ParamInput, errors: &mut Errors) {
    if let (Some(hidden), Some(_)) = (&param.hidden, &param.arg) {
        errors.at(hidden, "a parameter cannot have both `arg` and `hidden`");
    }
}

/// The name of a parameter is the key in the JSON arguments. What is hidden has no key, so it needs no name.
fn check_pattern(param: &ParamInput, errors: &mut Errors) {
    match &param.pat {
        Pat::Wild(_) if param.hidden.is_some() => {}
        Pat::Wild(wild) => errors.at(
            wild,
            "a tool parameter must have a name; it is the key in the JSON arguments",
        ),
        pat if name_of(pat).is_some() => {}
        pat => errors.at(pat, "a tool parameter must be a plain name"),
    }
}

/// A name or a description that is written has something to say.
fn check_texts(param: &ParamInput, errors: &mut Errors) {
    if let Some(rename) = param.args.rename.value()
        && rename.value().trim().is_empty()
    {
        errors.at(rename, "a parameter name cannot be empty");
    }
    if let Some(description) = param.args.description.value() {
        if is_blank(description) {
            errors.at(description, "a parameter description cannot be blank");
        }
        check_is_text(description, errors);
    }
}

/// The schema is made of the type, so there must be one to name.
fn check_concrete(param: &ParamInput, errors: &mut Errors) {
    if let Some(opaque) = find_impl_trait(&param.ty) {
        errors.at(opaque, "a tool parameter must have a concrete type");
    }
}

/// Arguments are read into owned values, and only `&str`, `&[T]` and `&Path` are known to borrow from one.
fn check_reference(param: &ParamInput, errors: &mut Errors) {
    let ty = ungroup(option_of(&param.ty).unwrap_or(&param.ty));
    let Type::Reference(reference) = ty else {
        return;
    };
    let is_generic = |lifetime: &Lifetime| lifetime.ident != "static";
    if owned_form(ty).1 != Passing::Owned || reference.lifetime.as_ref().is_some_and(is_generic) {
        // A lifetime of the function's is reported where it is declared.
        return;
    }
    let spelt = spelling(ty);
    let inner = &*reference.elem;
    let mut bare = reference.clone();
    bare.lifetime = None;
    bare.mutability = None;
    let bare = Type::Reference(bare);
    let fix = if owned_form(&bare).1 != Passing::Owned {
        format!("take `{}`", spelling(&bare))
    } else if is_of_the_host(inner) {
        "mark the parameter with `#[hidden]`".to_owned()
    } else {
        let inner = spelling(inner);
        format!("take `{inner}`, or mark the parameter with `#[hidden]`")
    };
    errors.at(ty, format!("`{spelt}` cannot be chosen by a model; {fix}"));
}

/// Whether the type is meant to come from the host: a trait object, or a type named after what hosts hold.
fn is_of_the_host(ty: &Type) -> bool {
    const ENDINGS: [&str; 16] = [
        "Cache",
        "Client",
        "Connection",
        "Context",
        "Ctx",
        "Database",
        "Db",
        "Emitter",
        "Handle",
        "Logger",
        "Pool",
        "Repository",
        "Service",
        "State",
        "Store",
        "Writer",
    ];
    matches!(ungroup(ty), Type::TraitObject(_))
        || last_segment(ty).is_some_and(|segment| {
            let name = segment.ident.to_string();
            ENDINGS.iter().any(|ending| name.ends_with(ending))
        })
}

/// JSON has one way to leave a value out.
fn check_option(param: &ParamInput, errors: &mut Errors) {
    let Some(inner) = option_of(&param.ty) else {
        return;
    };
    if option_of(inner).is_some() {
        errors.at(
            &param.ty,
            "JSON cannot tell `Some(None)` from `None`; use one `Option`",
        );
    }
    if let Some(default) = param.args.default.get() {
        errors.at(
            &default.key,
            "an `Option` parameter already defaults to `None`; remove `default` or the `Option`",
        );
    }
}

/// The keys of a JSON object are strings. A type of the user's may be written as one, so only well-known types are
/// refused.
fn check_map_keys(ty: &Type, errors: &mut Errors) {
    let Some(segment) = last_segment(ty) else {
        return;
    };
    let is_map = ["HashMap", "BTreeMap"]
        .iter()
        .any(|map| segment.ident == map);
    if is_map
        && let Some(key) = type_arguments(segment).next()
        && is_no_key(key)
    {
        let message = format!(
            "the keys of a JSON object are strings, and `{}` is none; use `String`",
            spelling(key)
        );
        errors.at(key, message);
    }
    for inner in type_arguments(segment) {
        check_map_keys(inner, errors);
    }
}

fn is_no_key(key: &Type) -> bool {
    const NAMES: [&str; 17] = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
        "f32", "f64", "bool", "Vec", "Option",
    ];
    match ungroup(key) {
        Type::Tuple(_) | Type::Array(_) => true,
        key => {
            last_segment(key).is_some_and(|segment| NAMES.iter().any(|name| segment.ident == name))
        }
    }
}

/// The host shares what is hidden between calls, and finds it by its type.
fn check_hidden_type(param: &ParamInput, errors: &mut Errors) {
    let ty = ungroup(option_of(&param.ty).unwrap_or(&param.ty));
    if let Some(opaque) = find_impl_trait(ty) {
        errors.at(opaque, "a tool parameter must have a concrete type");
    }
    let inner = match ty {
        Type::Reference(reference) => &*reference.elem,
        ty => ty,
    };
    if let Type::Reference(reference) = ty
        && reference.mutability.is_some()
    {
        let inner = spelling(inner);
        let message = format!(
            "an injected parameter cannot be `&mut`; use `&{inner}` or `Arc<Mutex<{inner}>>`"
        );
        errors.at(ty, message);
    }
    if let Some(lifetime) = named_lifetime(inner) {
        errors.push(Error::new(
            lifetime.span(),
            "a hidden type must be `'static`; the host finds it by its `TypeId`",
        ));
    }
}

/// The first lifetime among the tokens that a function could have declared.
fn named_lifetime(ty: &Type) -> Option<proc_macro2::Ident> {
    let mut quoted = false;
    for token in ty.to_token_stream() {
        match token {
            TokenTree::Punct(punct) => quoted = punct.as_char() == '\'',
            TokenTree::Ident(ident) if quoted && ident != "static" && ident != "_" => {
                return Some(ident);
            }
            TokenTree::Ident(_) | TokenTree::Group(_) | TokenTree::Literal(_) => quoted = false,
        }
    }
    None
}

/// Every key of the arguments means one parameter, and no key looks like a hidden one.
fn check_names(input: &FnInput, errors: &mut Errors) {
    let (hidden, visible): (Vec<_>, Vec<_>) = input
        .params
        .iter()
        .filter(|param| name_of(&param.pat).is_some())
        .partition(|param| param.hidden.is_some());
    let mut seen: Vec<String> = Vec::new();
    for param in visible {
        let written = property_name(param);
        let name = written.value();
        // Two equal identifiers are the compiler's error already.
        if seen.contains(&name) && !name.is_empty() {
            errors.push(Error::new(
                written.span(),
                format!("duplicate parameter name `{name}`"),
            ));
        }
        seen.push(name);
    }
    for param in hidden {
        let written = property_name(param);
        let name = written.value();
        if seen.contains(&name) {
            let message = format!(
                "the hidden parameter `{name}` is named like a property; rename one of them"
            );
            errors.push(Error::new(written.span(), message));
        }
    }
}
