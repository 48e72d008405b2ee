//! A function as written. Its body stays raw tokens: the compiler reads it anyway, and reports its mistakes once.

mod block;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _};
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, Error, FnArg, Meta, Pat, Path, Receiver, Signature, Type, Variadic, Visibility,
};

pub(crate) use block::{BlockInput, MethodInput};

use crate::args::ArgArgs;
use crate::docs::Docs;
use crate::errors::Errors;

/// A function, or a method of a `#[toolbox]`.
///
/// Printed, it is the function without its `#[tool]` attributes and without what only the macro understands on its
/// parameters.
pub(crate) struct FnInput {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) docs: Docs,
    /// The `#[tool]` attributes among the function's own. The one that is being expanded is not there.
    pub(crate) tools: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    pub(crate) receiver: Option<Receiver>,
    pub(crate) params: Vec<ParamInput>,
    /// Taken off the signature, since the compiler has more to say about it than the macro.
    pub(crate) variadic: Option<Variadic>,
    pub(crate) body: TokenStream,
}

/// A parameter, with what its attributes say.
pub(crate) struct ParamInput {
    pub(crate) docs: Docs,
    /// The `hidden` of `#[hidden]`.
    pub(crate) hidden: Option<Path>,
    /// The `arg` of `#[arg(..)]`.
    pub(crate) arg: Option<Path>,
    pub(crate) args: ArgArgs,
    pub(crate) pat: Pat,
    pub(crate) ty: Type,
}

impl FnInput {
    /// Reads a function. Mistakes in the attributes of its parameters go to `errors`; what is no function at all is
    /// an `Err`.
    pub(crate) fn parse(item: TokenStream, errors: &mut Errors) -> syn::Result<Self> {
        let Parts {
            attrs,
            vis,
            mut sig,
            body,
        } = syn::parse2(item)?;
        let (tools, attrs): (_, Vec<_>) = attrs.into_iter().partition(is_tool);
        let variadic = sig.variadic.take();
        let mut receiver = None;
        let mut params = Vec::new();
        for input in &mut sig.inputs {
            match input {
                FnArg::Receiver(found) => {
                    let written = ParamAttrs::take(&mut found.attrs, errors);
                    if let Some(hidden) = written.hidden {
                        errors.at(hidden, "`hidden` cannot be on `self`");
                    }
                    if let Some(arg) = written.arg {
                        errors.at(arg, "`arg` cannot be on `self`");
                    }
                    receiver = Some(found.clone());
                }
                FnArg::Typed(typed) => {
                    let ParamAttrs {
                        docs,
                        hidden,
                        arg,
                        args,
                    } = ParamAttrs::take(&mut typed.attrs, errors);
                    params.push(ParamInput {
                        docs: Docs::of(&docs),
                        hidden,
                        arg,
                        args,
                        pat: (*typed.pat).clone(),
                        ty: (*typed.ty).clone(),
                    });
                }
            }
        }
        Ok(Self {
            docs: Docs::of(&attrs),
            attrs,
            tools,
            vis,
            sig,
            receiver,
            params,
            variadic,
            body,
        })
    }
}

impl ToTokens for FnInput {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.attrs);
        self.vis.to_tokens(tokens);
        self.sig.to_tokens(tokens);
        self.body.to_tokens(tokens);
    }
}

/// Whether an attribute is `#[tool]`, under whatever path.
fn is_tool(attr: &Attribute) -> bool {
    attr.path()
        .segments
        .last()
        .is_some_and(|last| last.ident == "tool")
}

/// The syntax of a function whose body is not looked into.
struct Parts {
    attrs: Vec<Attribute>,
    vis: Visibility,
    sig: Signature,
    body: TokenStream,
}

impl Parse for Parts {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        if let Some(error) = not_a_function(input) {
            return Err(error);
        }
        Ok(Self {
            attrs,
            vis,
            sig: input.parse()?,
            body: input.parse()?,
        })
    }
}

/// The error for an item of another kind, under the keyword that tells the kind.
fn not_a_function(input: ParseStream) -> Option<Error> {
    let rest: TokenStream = input.fork().parse().ok()?;
    let mut first = None;
    for token in rest {
        let keyword: Ident = match token {
            TokenTree::Ident(keyword) => keyword,
            TokenTree::Literal(_) => continue,
            TokenTree::Group(_) | TokenTree::Punct(_) => break,
        };
        match keyword.to_string().as_str() {
            "fn" => return None,
            // After it nothing but a `fn` could make it a qualifier.
            "extern" => first = Some(keyword),
            "const" | "async" | "unsafe" | "safe" | "default" => {
                first.get_or_insert(keyword);
            }
            _ => {
                // `const X` is a constant, `unsafe impl` an impl block.
                let kind = keyword.to_string();
                let known = kind_of_item(&kind).is_some();
                let told_by = first.filter(|_| !known).unwrap_or(keyword);
                return Some(wrong_kind(&told_by));
            }
        }
    }
    first.as_ref().map(wrong_kind)
}

fn wrong_kind(keyword: &Ident) -> Error {
    let kind = keyword.to_string();
    let kind = kind_of_item(&kind).unwrap_or("another item");
    let fix = if kind == "an impl block" {
        "; use `toolbox`"
    } else {
        ""
    };
    let message = format!("the `tool` attribute must be on a function, not {kind}{fix}");
    Error::new(keyword.span(), message)
}

fn kind_of_item(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "struct" => "a struct",
        "enum" => "an enum",
        "union" => "a union",
        "trait" => "a trait",
        "impl" => "an impl block",
        "mod" => "a module",
        "use" => "an import",
        "static" => "a static",
        "const" => "a constant",
        "type" => "a type alias",
        "extern" => "an extern item",
        "macro_rules" => "a macro",
        _ => return None,
    })
}

/// The attributes that only the macro understands, taken off a parameter.
#[derive(Default)]
struct ParamAttrs {
    docs: Vec<Attribute>,
    hidden: Option<Path>,
    arg: Option<Path>,
    args: ArgArgs,
}

impl ParamAttrs {
    fn take(attrs: &mut Vec<Attribute>, errors: &mut Errors) -> Self {
        let mut taken = Self::default();
        attrs.retain(|attr| !taken.takes(attr, errors));
        taken
    }

    fn takes(&mut self, attr: &Attribute, errors: &mut Errors) -> bool {
        let path = attr.path();
        if path.is_ident("doc") {
            self.docs.push(attr.clone());
        } else if path.is_ident("hidden") {
            if let Some(arguments) = arguments(&attr.meta) {
                errors.at(arguments, "the `hidden` attribute takes no arguments");
            }
            once(&mut self.hidden, path, "hidden", errors);
        } else if path.is_ident("arg") {
            if once(&mut self.arg, path, "arg", errors) {
                match &attr.meta {
                    Meta::List(list) => self.args = ArgArgs::parse(list.tokens.clone(), errors),
                    meta => errors.at(meta, "expected `#[arg(key = value, ..)]`"),
                }
            }
        } else if path.is_ident("cfg") || path.is_ident("cfg_attr") {
            let name = path.to_token_stream();
            errors.at(
                path,
                format!("`{name}` cannot be on a tool parameter; put it on the tool"),
            );
        } else {
            return false;
        }
        true
    }
}

/// Keeps the first attribute of a name and reports a second.
fn once(slot: &mut Option<Path>, path: &Path, name: &str, errors: &mut Errors) -> bool {
    let first = slot.is_none();
    if first {
        *slot = Some(path.clone());
    } else {
        errors.at(path, format!("duplicate `{name}` attribute"));
    }
    first
}

/// What is written behind the path of an attribute.
fn arguments(meta: &Meta) -> Option<TokenStream> {
    match meta {
        Meta::Path(_) => None,
        Meta::List(list) if list.tokens.is_empty() => Some(list.path.to_token_stream()),
        Meta::List(list) => Some(list.tokens.clone()),
        Meta::NameValue(pair) => Some(pair.value.to_token_stream()),
    }
}
