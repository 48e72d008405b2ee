//! An impl block as written. Only its header and the signatures of its tools are looked into.

use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, ItemImpl, Meta, Token, Visibility, token};

use super::{FnInput, is_tool};
use crate::args::ToolArgs;
use crate::errors::Errors;
use crate::fallback::strip;

/// The impl block under a `#[toolbox]`.
///
/// Printed, it is the block without what only the macros understand.
pub(crate) struct BlockInput {
    /// Everything before the braces, as tokens and as syntax.
    header: TokenStream,
    pub(crate) item: ItemImpl,
    braces: Group,
    pub(crate) items: Vec<BlockItem>,
}

/// An item of the block.
pub(crate) enum BlockItem {
    /// A function with a `#[tool]`.
    Tool(Box<MethodInput>),
    /// Anything else.
    Other(TokenStream),
}

/// A function of the block that is a tool.
pub(crate) struct MethodInput {
    /// As written.
    pub(crate) args: ToolArgs,
    pub(crate) function: FnInput,
    /// The same with the owner in place of `Self`, which means another type inside the generated impl.
    pub(crate) resolved: (ToolArgs, FnInput),
}

impl BlockInput {
    /// Reads an impl block. Mistakes in its methods go to `errors`; what is no impl block at all is an `Err`.
    pub(crate) fn parse(item: TokenStream, errors: &mut Errors) -> syn::Result<Self> {
        let mut header: Vec<TokenTree> = item.into_iter().collect();
        let braces = match header.pop() {
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => group,
            last => {
                header.extend(last);
                return Err(not_an_impl_block(header.into_iter().collect()));
            }
        };
        let header: TokenStream = header.into_iter().collect();
        let item = match syn::parse2(quote!(#header {})) {
            Ok(item) => item,
            // An impl block with a mistake in its header is told so by the parser.
            Err(error) if is_impl_block(&header) => return Err(error),
            Err(_) => return Err(not_an_impl_block(header)),
        };
        let item: ItemImpl = item;
        let owner = item.self_ty.to_token_stream();
        let items = split_items.parse2(braces.stream())?;
        Ok(Self {
            header,
            braces,
            items: items
                .into_iter()
                .map(|item| BlockItem::parse(item, &owner, errors))
                .collect(),
            item,
        })
    }

    /// The functions with a `#[tool]`.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &MethodInput> {
        self.items.iter().filter_map(|item| match item {
            BlockItem::Tool(tool) => Some(&**tool),
            BlockItem::Other(_) => None,
        })
    }

    /// The block with its functions printed in another way.
    pub(crate) fn print_with(&self, print: impl Fn(&FnInput) -> TokenStream) -> TokenStream {
        let items = self.items.iter().map(|item| match item {
            BlockItem::Tool(tool) => print(&tool.function),
            BlockItem::Other(tokens) => tokens.clone(),
        });
        let mut braces = Group::new(Delimiter::Brace, items.collect());
        braces.set_span(self.braces.span());
        let header = &self.header;
        quote!(#header #braces)
    }
}

impl ToTokens for BlockInput {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.print_with(ToTokens::to_token_stream));
    }
}

impl BlockItem {
    fn parse(Item { attrs, rest }: Item, owner: &TokenStream, errors: &mut Errors) -> Self {
        let item = quote!(#(#attrs)* #rest);
        if !attrs.iter().any(is_tool) {
            return Self::Other(item);
        }
        match parse_method(item.clone(), errors) {
            Ok((args, function)) => {
                // It was read without an `Err` before, and its mistakes are known.
                let resolved = parse_method(replace_self(item, owner), &mut Errors::default());
                match resolved {
                    Ok(resolved) => Self::Tool(Box::new(MethodInput {
                        args,
                        function,
                        resolved,
                    })),
                    Err(_) => Self::Other(function.into_token_stream()),
                }
            }
            Err(error) => {
                errors.push(error);
                let attrs = attrs.iter().filter(|attr| !is_tool(attr));
                Self::Other(strip(quote!(#(#attrs)* #rest)))
            }
        }
    }
}

fn parse_method(item: TokenStream, errors: &mut Errors) -> syn::Result<(ToolArgs, FnInput)> {
    let mut function = FnInput::parse(item, errors)?;
    // The first is expanded here; any other is one too many.
    let tools = function.tools.split_off(function.tools.len().min(1));
    let first = std::mem::replace(&mut function.tools, tools);
    let args = match first.first().map(|attr| &attr.meta) {
        None | Some(Meta::Path(_)) => ToolArgs::default(),
        Some(Meta::List(list)) => ToolArgs::parse(list.tokens.clone(), errors),
        Some(meta @ Meta::NameValue(_)) => {
            errors.at(meta, "expected `#[tool(key = value, ..)]`");
            ToolArgs::default()
        }
    };
    Ok((args, function))
}

/// Writes the owner for `Self`: `Owner` where a type stands, and `<Owner>` in front of `::`.
fn replace_self(tokens: TokenStream, owner: &TokenStream) -> TokenStream {
    let mut replaced = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if ident == "Self" => {
                let in_path = matches!(
                    tokens.peek(),
                    Some(TokenTree::Punct(punct))
                        if punct.as_char() == ':' && punct.spacing() == Spacing::Joint
                );
                replaced.extend(if in_path {
                    quote!(<#owner>)
                } else {
                    owner.clone()
                });
            }
            TokenTree::Group(group) => {
                let inner = replace_self(group.stream(), owner);
                let mut copy = Group::new(group.delimiter(), inner);
                copy.set_span(group.span());
                replaced.extend([TokenTree::Group(copy)]);
            }
            token => replaced.extend([token]),
        }
    }
    replaced
}

/// An item that is not looked into.
struct Item {
    attrs: Vec<Attribute>,
    rest: TokenStream,
}

fn split_items(input: ParseStream) -> syn::Result<Vec<Item>> {
    let mut items = Vec::new();
    while !input.is_empty() {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis: Visibility = input.parse()?;
        let mut rest = vis.to_token_stream();
        let is_constant = input.peek(Token![type])
            || (input.peek(Token![const])
                && !input.peek2(Token![fn])
                && !input.peek2(Token![async])
                && !input.peek2(Token![unsafe])
                && !input.peek2(Token![extern]));
        // A constant ends at its semicolon, which braces may precede. All else ends at either.
        while !input.is_empty() {
            let ends = input.peek(Token![;]) || (!is_constant && input.peek(token::Brace));
            rest.extend([input.parse::<TokenTree>()?]);
            if ends {
                break;
            }
        }
        items.push(Item { attrs, rest });
    }
    Ok(items)
}

fn is_impl_block(header: &TokenStream) -> bool {
    header
        .clone()
        .into_iter()
        .any(|token| matches!(&token, TokenTree::Ident(ident) if ident == "impl"))
        && !is_function(header)
}

fn is_function(header: &TokenStream) -> bool {
    header
        .clone()
        .into_iter()
        .any(|token| matches!(&token, TokenTree::Ident(ident) if ident == "fn"))
}

/// The error under the keyword that tells what the item is instead.
fn not_an_impl_block(header: TokenStream) -> Error {
    const KEYWORDS: [&str; 10] = [
        "fn", "struct", "enum", "union", "trait", "mod", "static", "const", "type", "use",
    ];
    let fix = if is_function(&header) {
        "; use `tool`"
    } else {
        ""
    };
    let message = format!("the `toolbox` attribute must be on an impl block{fix}");
    let keyword: Option<Ident> = header.clone().into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if KEYWORDS.iter().any(|keyword| ident == keyword) => Some(ident),
        _ => None,
    });
    match keyword {
        Some(keyword) => Error::new(keyword.span(), message),
        None => Error::new_spanned(header, message),
    }
}
