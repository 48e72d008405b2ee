//! Doc comments as the plain text a model reads.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// What the doc comments of an item amount to.
pub(crate) enum Docs {
    /// There are none.
    Missing,
    /// Text with at least one visible character.
    Text(String),
    /// Only white space; holds the attributes to underline.
    Blank(TokenStream),
    /// `#[doc = include_str!(..)]` or the like, whose text a macro cannot see; holds the expression.
    Unreadable(TokenStream),
}

impl Docs {
    /// Reads all `#[doc = ..]` attributes among `attrs`; `#[doc(hidden)]` and its like are no text.
    pub(crate) fn of(attrs: &[Attribute]) -> Self {
        let mut lines = Vec::new();
        let mut written = TokenStream::new();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("doc")) {
            let Meta::NameValue(doc) = &attr.meta else {
                continue;
            };
            let Expr::Lit(ExprLit {
                lit: Lit::Str(fragment),
                ..
            }) = ungroup(&doc.value)
            else {
                return Self::Unreadable(doc.value.to_token_stream());
            };
            lines.extend(fragment_lines(&fragment.value()));
            attr.to_tokens(&mut written);
        }
        if written.is_empty() {
            return Self::Missing;
        }
        let text = unwrap(&unindent(&lines));
        if text.is_empty() {
            Self::Blank(written)
        } else {
            Self::Text(text)
        }
    }

    /// The text, if there is any.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Missing | Self::Blank(_) | Self::Unreadable(_) => None,
        }
    }
}

/// The expression inside the invisible delimiters that a `macro_rules!` fragment leaves.
pub(crate) fn ungroup(mut expr: &Expr) -> &Expr {
    while let Expr::Group(group) = expr {
        expr = &group.expr;
    }
    expr
}

/// The lines of one fragment; those of a `/** */` block lose their column of asterisks.
fn fragment_lines(fragment: &str) -> Vec<String> {
    let inner = |line: &&str| !line.trim().is_empty();
    let starred = fragment.lines().skip(1).filter(inner).count() > 0
        && fragment
            .lines()
            .skip(1)
            .filter(inner)
            .all(|line| line.trim_start().starts_with('*'));
    fragment
        .split('\n')
        .enumerate()
        .map(|(index, line)| match line.trim_start().strip_prefix('*') {
            Some(text) if starred && index > 0 => text,
            _ => line,
        })
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// Removes the indentation that all lines share.
fn unindent(lines: &[String]) -> Vec<&str> {
    let indentation = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let shared = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| indentation(line))
        .min()
        .unwrap_or(0);
    lines
        .iter()
        .map(|line| line.get(shared..).unwrap_or_default())
        .collect()
}

/// Joins the lines of a paragraph by spaces. A blank line, a line of a fenced code block, and the start of a list
/// item, a heading or a table row keep their line break, since they mean something.
fn unwrap(lines: &[&str]) -> String {
    let mut text = String::new();
    let mut fence: Option<&str> = None;
    let mut joinable = false;
    for line in lines {
        let trimmed = line.trim();
        let marker = ["```", "~~~"]
            .into_iter()
            .find(|marker| trimmed.starts_with(marker));
        let code = fence.is_some() || marker.is_some();
        if code || trimmed.is_empty() || starts_block(trimmed) || !joinable {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(if code { line } else { trimmed });
        } else {
            text.push(' ');
            text.push_str(trimmed);
        }
        match (fence, marker) {
            (None, Some(_)) => fence = marker,
            (Some(open), Some(close)) if open == close => fence = None,
            _ => {}
        }
        joinable = !code && !trimmed.is_empty();
    }
    text.trim().to_owned()
}

/// Whether a line starts a list item, a heading or a table row.
fn starts_block(line: &str) -> bool {
    let numbered = line
        .trim_start_matches(|digit: char| digit.is_ascii_digit())
        .strip_prefix(". ")
        .is_some_and(|_| line.starts_with(|digit: char| digit.is_ascii_digit()));
    numbered
        || ["- ", "* ", "+ ", "#", "|", "> "]
            .iter()
            .any(|marker| line.starts_with(marker))
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    fn text(attrs: &[Attribute]) -> String {
        Docs::of(attrs).text().unwrap_or_default().to_owned()
    }

    #[test]
    fn a_newline_is_a_space_and_a_blank_line_a_paragraph() {
        let attrs: Vec<Attribute> = vec![
            parse_quote!(#[doc = " Look up the weather"]),
            parse_quote!(#[doc = " for a city."]),
            parse_quote!(#[doc = ""]),
            parse_quote!(#[doc = " Slow."]),
        ];
        assert_eq!(text(&attrs), "Look up the weather for a city.\n\nSlow.");
    }

    #[test]
    fn code_blocks_and_lists_keep_their_lines() {
        let attrs: Vec<Attribute> = vec![parse_quote!(
            #[doc = " Kinds:\n - one,\n   the first\n - two\n ```text\n a\n   b\n\n ```\n End\n here."]
        )];
        assert_eq!(
            text(&attrs),
            "Kinds:\n- one, the first\n- two\n```text\na\n  b\n\n```\nEnd here."
        );
    }

    #[test]
    fn a_block_comment_loses_its_asterisks() {
        let attrs: Vec<Attribute> =
            vec![parse_quote!(#[doc = "\n     * First line\n     * goes on.\n     "])];
        assert_eq!(text(&attrs), "First line goes on.");
    }

    #[test]
    fn blank_missing_and_unreadable_are_told_apart() {
        assert!(matches!(Docs::of(&[]), Docs::Missing));
        assert!(matches!(
            Docs::of(&[parse_quote!(#[doc(hidden)])]),
            Docs::Missing
        ));
        assert!(matches!(
            Docs::of(&[parse_quote!(#[doc = "  "])]),
            Docs::Blank(_)
        ));
        let included = parse_quote!(#[doc = include_str!("a.md")]);
        assert!(matches!(Docs::of(&[included]), Docs::Unreadable(_)));
    }
}
