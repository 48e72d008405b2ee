//! The table of a tool's visible parameters: schema and reader are both made of it.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Type;

use crate::args::NumberValue;
use crate::model::{BoundValue, Property, Tool, ValueList};
use crate::shape::at;

/// ```text
/// static __INPUT: _tinytools::Input = _tinytools::Input::new(|| {
///     _tinytools::vec([
///         _tinytools::param::<String>("city").description("City name."),
///         _tinytools::param::<u8>("days").minimum(_tinytools::Number::Int(1)),
///     ])
/// });
/// ```
pub(super) fn table(tool: &Tool) -> TokenStream {
    let params = tool.properties().map(param);
    quote! {
        static __INPUT: _tinytools::Input = _tinytools::Input::new(|| _tinytools::vec([#(#params),*]));
    }
}

/// One entry. The type is written in the user's own tokens, so that an unsuitable one is underlined.
fn param(property: &Property) -> TokenStream {
    let Property {
        local: _,
        name,
        ty,
        passing: _,
        description,
        default,
        bounds,
        lists,
        redacted,
    } = property;
    let description = description.iter();
    let bounds = bounds.iter().map(|(key, value)| {
        let value = bound(value);
        quote!(.#key(#value))
    });
    let lists = lists.iter().map(list);
    let default = default.as_ref().map(|default| {
        let expr = &default.expr;
        let value = if default.converted {
            quote!(_tinytools::From::from(#expr))
        } else {
            quote!(#expr)
        };
        // The default's place is the expression, where a type without `Serialize` is reported.
        quote_spanned!(at(expr)=> .default(|| -> #ty { #value }))
    });
    let redacted = redacted.then(|| quote!(.redacted()));
    quote! {
        _tinytools::param::<#ty>(#name)
            #(.description(#description))*
            #(#bounds)*
            #(#lists)*
            #default
            #redacted
    }
}

fn bound(value: &BoundValue) -> TokenStream {
    match value {
        BoundValue::Number(number) => {
            let tokens = &number.tokens;
            match number.value {
                NumberValue::Int(_) => quote!(_tinytools::Number::Int(#tokens)),
                NumberValue::Float(_) => quote!(_tinytools::Number::Float(#tokens)),
            }
        }
        BoundValue::Literal(literal) => literal.clone(),
    }
}

fn list(list: &ValueList) -> TokenStream {
    let ValueList { key, ty, values } = list;
    let count = values.len();
    let text = Type::Verbatim(quote!(&str));
    let ty = ty.as_ref().unwrap_or(&text);
    quote!(.#key(|| _tinytools::values::<#ty, #count>([#(#values),*])))
}
