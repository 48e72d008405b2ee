//! `tools![..]`.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Expr, Path, Token};

use crate::model::struct_name;

/// `(krate) A, b::B`, from the macro in `tinytools`, which knows its own path.
///
/// ```text
/// {
///     use $crate::__private as _tinytools;
///     const NAMES: &[&str] = &[A::NAME, b::B::NAME];
///     const _: () = _tinytools::assert_unique(NAMES, 1);
///     _tinytools::vec([_tinytools::arc(A), _tinytools::arc(b::B)])
/// }
/// ```
pub(crate) fn expand_tools(input: TokenStream) -> TokenStream {
    let mut input = input.into_iter();
    let krate = if let Some(TokenTree::Group(group)) = input.next() {
        group.stream()
    } else {
        quote!(::tinytools)
    };
    let parser = Punctuated::<Path, Token![,]>::parse_terminated_with;
    let tools = match (|input: ParseStream| parser(input, tool_path)).parse2(input.collect()) {
        Ok(tools) => tools,
        Err(error) => return error.into_compile_error(),
    };
    let tools: Vec<&Path> = tools.iter().collect();
    // The first has no other before it.
    let checks = tools.iter().enumerate().skip(1).map(|(index, tool)| {
        quote_spanned!(tool.span()=> const _: () = _tinytools::assert_unique(NAMES, #index);)
    });
    let names = (tools.len() > 1).then(|| quote!(const NAMES: &[&str] = &[#(<#tools>::NAME),*];));
    quote!({
        use #krate::__private as _tinytools;
        #names
        #(#checks)*
        _tinytools::vec::<_tinytools::Arc<dyn _tinytools::Tool>, _>([#(_tinytools::arc(#tools)),*])
    })
}

/// One entry of the list. A tool has no state of its own, so there is nothing to call, and a function is no tool.
fn tool_path(input: ParseStream) -> syn::Result<Path> {
    let ahead = input.fork();
    if let Ok(path) = ahead.parse::<Path>()
        && (ahead.is_empty() || ahead.peek(Token![,]))
    {
        input.parse::<Path>()?;
        return match path
            .segments
            .last()
            .map(|last| last.ident.unraw().to_string())
        {
            Some(name) if name.starts_with(char::is_lowercase) => {
                let message = format!(
                    "`{name}` is named like a function; list its struct, which is `{}` by default",
                    struct_name(&name)
                );
                Err(Error::new_spanned(path, message))
            }
            _ => Ok(path),
        };
    }
    let Ok(expr) = input.parse::<Expr>() else {
        return Err(input.error("expected the path of a tool"));
    };
    let fix = match tool_of(&expr) {
        Some(tool) => format!("; write `{tool}`"),
        None => String::new(),
    };
    let message = format!("expected the path of a tool, not an expression{fix}");
    Err(Error::new_spanned(expr, message))
}

/// The type that an expression such as `&SearchTool`, `SearchTool {}` or `SearchTool::default()` is about.
fn tool_of(expr: &Expr) -> Option<String> {
    let path = match expr {
        Expr::Reference(reference) => return tool_of(&reference.expr),
        Expr::Path(tool) => tool.path.clone(),
        Expr::Struct(tool) => tool.path.clone(),
        Expr::Call(call) => match &*call.func {
            Expr::Path(function) => {
                let mut path = function.path.clone();
                path.segments.pop();
                path.segments.pop_punct();
                path
            }
            _ => return None,
        },
        _ => return None,
    };
    let path = path.to_token_stream().to_string().replace(' ', "");
    (!path.is_empty()).then_some(path)
}
