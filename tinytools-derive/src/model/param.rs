//! The parameters of a tool: what a model chooses, and what the host fills.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident};
use syn::ext::IdentExt;
use syn::{Expr, ExprLit, Lit, LitStr, Pat, Type};

use super::text_expr;
use crate::args::{ArgArgs, Number};
use crate::docs::ungroup;
use crate::input::ParamInput;
use crate::shape::{Kind, Passing, Source, option_of, owned_form};

/// A parameter, in the order of the signature.
pub(crate) enum Param {
    Visible(Box<Property>),
    Hidden(Box<Hidden>),
}

/// A parameter that a model chooses: a property of the schema.
pub(crate) struct Property {
    /// The parameter's own name, as a local of the expansion.
    pub(crate) local: Ident,
    pub(crate) name: LitStr,
    /// The type it is read as.
    pub(crate) ty: Type,
    pub(crate) passing: Passing,
    /// A `&'static str` expression.
    pub(crate) description: Option<Expr>,
    /// An expression of the type it is read as.
    pub(crate) default: Option<DefaultExpr>,
    /// Bounds by their name, which is also that of the method that sets them.
    pub(crate) bounds: Vec<(Ident, BoundValue)>,
    /// `choices` and `examples`.
    pub(crate) lists: Vec<ValueList>,
    pub(crate) redacted: bool,
}

/// A default, as written.
pub(crate) struct DefaultExpr {
    pub(crate) expr: Expr,
    /// Whether it is written as a borrowed form of the type it is read as.
    pub(crate) converted: bool,
}

/// The value of a bound.
pub(crate) enum BoundValue {
    Number(Number),
    Literal(TokenStream),
}

/// Values that are shown to the model.
pub(crate) struct ValueList {
    pub(crate) key: Ident,
    /// The type of the values; missing where they are string literals for a type that is text.
    pub(crate) ty: Option<Type>,
    pub(crate) values: Vec<Expr>,
}

/// A parameter that the host fills.
pub(crate) struct Hidden {
    pub(crate) name: LitStr,
    pub(crate) source: Source,
    pub(crate) optional: bool,
}

impl Param {
    pub(super) fn resolve_all(params: &[ParamInput], redacted: &[LitStr]) -> Vec<Self> {
        params
            .iter()
            .enumerate()
            .map(|(position, param)| {
                if param.hidden.is_some() {
                    Self::Hidden(Box::new(Hidden::resolve(param)))
                } else {
                    let local = local(params, position);
                    Self::Visible(Box::new(Property::resolve(param, local, redacted)))
                }
            })
            .collect()
    }

    /// The property's name, if its values are not to be shown.
    pub(super) fn redacted(&self) -> Option<LitStr> {
        match self {
            Self::Visible(property) if property.redacted => Some(property.name.clone()),
            Self::Visible(_) | Self::Hidden(_) => None,
        }
    }
}

impl Property {
    fn resolve(param: &ParamInput, local: Ident, redacted: &[LitStr]) -> Self {
        let ArgArgs {
            default,
            rename: _,
            description,
            examples,
            choices,
            pattern,
            minimum,
            maximum,
            exclusive_minimum,
            exclusive_maximum,
            multiple_of,
            min_length,
            max_length,
            min_items,
            max_items,
        } = &param.args;
        let (ty, passing) = owned_form(&param.ty);
        let numbers = [
            minimum,
            maximum,
            exclusive_minimum,
            exclusive_maximum,
            multiple_of,
        ];
        let numbers = numbers
            .into_iter()
            .filter_map(|slot| slot.get())
            .map(|bound| (bound.key.clone(), BoundValue::Number(bound.value.clone())));
        let sizes = [min_length, max_length, min_items, max_items];
        let sizes = sizes.into_iter().filter_map(|slot| slot.get()).map(|size| {
            let value = size.value.to_token_stream();
            (size.key.clone(), BoundValue::Literal(value))
        });
        let pattern = pattern.get().map(|pattern| {
            let value = pattern.value.to_token_stream();
            (pattern.key.clone(), BoundValue::Literal(value))
        });
        let lists = [choices, examples]
            .into_iter()
            .filter_map(|slot| slot.get())
            .map(|list| ValueList::resolve(param, list.key.clone(), list.value.clone()));
        let name = property_name(param);
        Self {
            local,
            redacted: redacted
                .iter()
                .any(|written| is_called(param, &written.value())),
            description: match description.value() {
                Some(written) => Some(written.clone()),
                None => param
                    .docs
                    .text()
                    .map(|text| text_expr(LitStr::new(text, name.span()))),
            },
            default: default.value().map(|expr| DefaultExpr {
                expr: expr.clone(),
                converted: passing == Passing::Borrowed
                    || (Kind::of(&param.ty) == Kind::Text && is_text(expr)),
            }),
            bounds: numbers.chain(sizes).chain(pattern).collect(),
            lists: lists.collect(),
            name,
            ty,
            passing,
        }
    }
}

impl ValueList {
    fn resolve(param: &ParamInput, key: Ident, values: Vec<Expr>) -> Self {
        let is_literal_text = Kind::of(&param.ty) == Kind::Text && values.iter().all(is_text);
        let ty = option_of(&param.ty).unwrap_or(&param.ty);
        Self {
            key,
            ty: (!is_literal_text).then(|| owned_form(ty).0),
            values,
        }
    }
}

impl Hidden {
    fn resolve(param: &ParamInput) -> Self {
        let (source, optional) = Source::of(&param.ty);
        Self {
            name: property_name(param),
            source,
            optional,
        }
    }
}

/// What the expansion calls the argument: as the function does, out of the user's sight. Two parameters are of one name
/// where a macro made one of them; then it is by number.
fn local(params: &[ParamInput], position: usize) -> Ident {
    let named = params.iter().map(|param| name_of(&param.pat));
    let mut local = match named.clone().nth(position).flatten() {
        Some(name) if named.filter(|other| *other == Some(name)).count() == 1 => name.clone(),
        Some(_) | None => format_ident!("arg{position}"),
    };
    local.set_span(Span::mixed_site());
    local
}

/// The name of the parameter in the arguments: the new name, or the plain one.
pub(crate) fn property_name(param: &ParamInput) -> LitStr {
    if let Some(rename) = param.args.rename.value() {
        return rename.clone();
    }
    match name_of(&param.pat) {
        Some(ident) => LitStr::new(&ident.unraw().to_string(), ident.span()),
        None => LitStr::new("_", Span::call_site()),
    }
}

/// Whether `name` is the parameter's name, before or after `rename`.
pub(crate) fn is_called(param: &ParamInput, name: &str) -> bool {
    property_name(param).value() == name
        || name_of(&param.pat).is_some_and(|ident| ident.unraw() == name)
}

/// The identifier of a pattern that is a plain name.
pub(crate) fn name_of(pat: &Pat) -> Option<&Ident> {
    match pat {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => Some(&name.ident),
        _ => None,
    }
}

/// Whether the expression is a string literal.
fn is_text(expr: &Expr) -> bool {
    matches!(
        ungroup(expr),
        Expr::Lit(ExprLit {
            lit: Lit::Str(_),
            ..
        })
    )
}
