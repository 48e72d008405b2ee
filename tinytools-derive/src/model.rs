//! A tool with everything decided: what is written, derived or defaulted looks the same from here on.
//!
//! Resolving never fails. Where the input is wrong, [`check`](crate::check) has reported it and the model is not
//! expanded.

mod param;
mod policy;
mod toolbox;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, ReturnType, Type, Visibility};

pub(crate) use param::{
    BoundValue, Hidden, Param, Property, ValueList, is_called, name_of, property_name,
};
pub(crate) use policy::{Base, Host, Policy, PolicyKeys};
pub(crate) use toolbox::{Method, ReceiverForm, Toolbox};

use crate::args::{PolicyArgs, ToolArgs};
use crate::input::FnInput;
use crate::shape::{elide_lifetimes, failure_of};

/// One tool, whether it is made of a function or of a method.
pub(crate) struct Tool {
    /// The function's own name, where it stands.
    pub(crate) ident: Ident,
    pub(crate) name: LitStr,
    /// A `&'static str` expression.
    pub(crate) description: Expr,
    pub(crate) is_async: bool,
    /// Whether the function is marked as deprecated, which is for its callers to know and not for the expansion.
    pub(crate) is_deprecated: bool,
    pub(crate) params: Vec<Param>,
    pub(crate) output: Output,
    pub(crate) policy: Policy,
}

/// The return type.
pub(crate) struct Output {
    /// The type; `()` where none is written.
    pub(crate) ty: Type,
    /// The `E` of a type spelled `Result<T, E>`, to underline where it can't be an error.
    pub(crate) failure: Option<Type>,
}

/// The struct that stands for a tool made of a function.
pub(crate) struct ToolStruct {
    /// The function's docs and conditions.
    pub(crate) attrs: Vec<Attribute>,
    /// Its conditions alone.
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) ident: Ident,
    /// The path of `tinytools`.
    pub(crate) krate: TokenStream,
}

impl Tool {
    /// The tool that `input` declares. `policy` holds the keys of `args`, with the defaults of a toolbox.
    pub(crate) fn resolve(
        args: &ToolArgs,
        policy: &PolicyArgs,
        prefix: Option<&LitStr>,
        input: &FnInput,
    ) -> Self {
        let redacted = args.redact.value().map_or(&[][..], Vec::as_slice);
        let params = Param::resolve_all(&input.params, redacted);
        let sig = &input.sig;
        Self {
            ident: sig.ident.clone(),
            name: resolve_name(args, prefix, &sig.ident),
            description: resolve_description(args, input),
            is_async: sig.asyncness.is_some(),
            is_deprecated: has(&input.attrs, "deprecated"),
            output: Output::resolve(&sig.output),
            policy: Policy::resolve(&PolicyKeys {
                policy,
                label: args.label.value(),
                detail: args.detail.value(),
                is_async: sig.asyncness.is_some(),
                redact: params.iter().filter_map(Param::redacted).collect(),
            }),
            params,
        }
    }

    /// The parameters that a model chooses.
    pub(crate) fn properties(&self) -> impl Iterator<Item = &Property> {
        self.params.iter().filter_map(|param| match param {
            Param::Visible(property) => Some(&**property),
            Param::Hidden(_) => None,
        })
    }

    /// The parameters that the host fills.
    pub(crate) fn hidden(&self) -> impl Iterator<Item = &Hidden> {
        self.params.iter().filter_map(|param| match param {
            Param::Hidden(hidden) => Some(&**hidden),
            Param::Visible(_) => None,
        })
    }
}

impl Output {
    fn resolve(output: &ReturnType) -> Self {
        match output {
            ReturnType::Default => Self {
                ty: Type::Verbatim(quote!(())),
                failure: None,
            },
            ReturnType::Type(_, ty) => Self {
                ty: elide_lifetimes(ty),
                failure: failure_of(ty).map(elide_lifetimes),
            },
        }
    }
}

impl ToolStruct {
    /// The struct beside the function `input`.
    pub(crate) fn resolve(args: &ToolArgs, input: &FnInput) -> Self {
        let ident = &input.sig.ident;
        let is_kept = |attr: &&Attribute| {
            ["doc", "cfg", "allow"]
                .iter()
                .any(|kept| attr.path().is_ident(kept))
        };
        Self {
            attrs: input.attrs.iter().filter(is_kept).cloned().collect(),
            cfgs: cfgs(&input.attrs),
            vis: input.vis.clone(),
            ident: args
                .struct_name
                .value()
                .cloned()
                .unwrap_or_else(|| struct_ident(ident)),
            krate: krate(args.krate.value()),
        }
    }

    /// Whether the struct has docs of its own.
    pub(crate) fn is_documented(&self) -> bool {
        self.attrs
            .iter()
            .any(|attr| attr.path().is_ident("doc") && matches!(attr.meta, Meta::NameValue(_)))
    }
}

/// The path that `crate = ..` names, or `::tinytools`. The attribute itself is underlined where that is missing.
pub(crate) fn krate(path: Option<&syn::Path>) -> TokenStream {
    path.map_or_else(|| quote!(::tinytools), ToTokens::to_token_stream)
}

/// The `#[cfg(..)]` attributes among `attrs`.
pub(crate) fn cfgs(attrs: &[Attribute]) -> Vec<Attribute> {
    let is_cfg = |attr: &&Attribute| attr.path().is_ident("cfg");
    attrs.iter().filter(is_cfg).cloned().collect()
}

fn struct_ident(function: &Ident) -> Ident {
    let name = struct_name(&function.unraw().to_string());
    Ident::new(&name, function.span())
}

/// `get_weather` becomes `GetWeatherTool`.
pub(crate) fn struct_name(function: &str) -> String {
    let mut name = String::new();
    for word in function.split('_') {
        let mut letters = word.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    name + "Tool"
}

/// The written name, or that of the function, behind the prefix of the toolbox.
pub(crate) fn resolve_name(args: &ToolArgs, prefix: Option<&LitStr>, function: &Ident) -> LitStr {
    let (name, span) = match args.name.value() {
        Some(name) => (name.value(), name.span()),
        None => (function.unraw().to_string(), function.span()),
    };
    match prefix {
        Some(prefix) => LitStr::new(&format!("{}_{name}", prefix.value()), span),
        None => LitStr::new(&name, span),
    }
}

fn resolve_description(args: &ToolArgs, input: &FnInput) -> Expr {
    if let Some(expr) = args.description.value() {
        return expr.clone();
    }
    let text = input.docs.text().unwrap_or_default();
    text_expr(LitStr::new(text, Span::call_site()))
}

/// A text as an expression.
fn text_expr(text: LitStr) -> Expr {
    Expr::Lit(ExprLit {
        attrs: Vec::new(),
        lit: Lit::Str(text),
    })
}

fn has(attrs: &[Attribute], name: &str) -> bool {
    attrs.iter().any(|attr| attr.path().is_ident(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_struct_is_named_after_the_function() {
        let named = |name: &str| struct_ident(&Ident::new_raw(name, Span::call_site())).to_string();
        assert_eq!(named("weather"), "WeatherTool");
        assert_eq!(named("get_2fa_code"), "Get2faCodeTool");
        assert_eq!(named("type"), "TypeTool");
    }
}
