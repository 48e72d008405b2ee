//! Every text that the macros can put into an error has a failing case that shows it. The texts are read from the
//! sources, so that a new one without a case fails here.

#![allow(clippy::expect_used, reason = "a test")]

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use regex::Regex;
use syn::LitStr;

/// Files of the macros that hold only tests.
const TESTS: [&str; 2] = ["half_written.rs", "snapshots.rs"];

/// The documentation of a generated struct, which is no error.
const DOCUMENTATION: &str = "The tool `{}`.";

#[test]
fn every_error_text_of_the_macros_has_a_failing_case() {
    let texts = texts_below("tinytools-derive/src", texts_of_code);
    assert!(texts.len() > 100, "only {} texts were found", texts.len());
    assert_eq!(without_a_case(texts), Vec::<Text>::new());
}

#[test]
fn every_text_for_an_unimplemented_trait_has_a_failing_case() {
    let texts = texts_below("tinytools/src", texts_of_diagnostics);
    assert!(texts.len() > 5, "only {} texts were found", texts.len());
    assert_eq!(without_a_case(texts), Vec::<Text>::new());
}

#[test]
fn a_text_that_no_case_shows_is_found() {
    let source = r#"
        fn check(errors: &mut Errors) {
            errors.at(key, format!("`{key}` is an argument nobody tried; remove {it}"));
        }
        #[cfg(test)]
        mod tests { const TEXT: &str = "a text of a test"; }
    "#;
    let texts = texts_of_code(source.parse().expect("tokens"));
    assert_eq!(texts.len(), 1, "{texts:?}");
    let texts = texts.into_iter().map(|text| Text::new(text, "here"));
    assert_eq!(without_a_case(texts.collect()).len(), 1);
}

/// A text with `{..}` where a format string has something to fill in.
#[derive(PartialEq)]
struct Text {
    text: String,
    file: String,
}

impl Text {
    fn new(text: String, file: &str) -> Self {
        let file = file.to_owned();
        Self { text, file }
    }

    /// What a message with this text looks like.
    fn pattern(&self) -> Regex {
        let mut pattern = String::new();
        let mut rest = self.text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            pattern.push_str(&regex::escape(before));
            // Between backticks stands one name or one piece of code.
            let hole = if before.ends_with('`') { "[^`]+" } else { ".*" };
            pattern.push_str(hole);
            rest = after.split_once('}').map_or("", |(_, after)| after);
        }
        pattern.push_str(&regex::escape(rest));
        Regex::new(&pattern).expect("a pattern of escaped text")
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} in {}", self.text, self.file)
    }
}

fn without_a_case(mut texts: Vec<Text>) -> Vec<Text> {
    let cases = root().join("ui-tests/tests/fail");
    let messages: Vec<String> = files(&cases, "stderr")
        .iter()
        .map(|file| fs::read_to_string(file).expect("a message"))
        .collect();
    texts.retain(|text| {
        let pattern = text.pattern();
        !messages.iter().any(|message| pattern.is_match(message))
    });
    texts
}

/// The texts of every file below a directory of the workspace.
fn texts_below(directory: &str, texts_of: fn(TokenStream) -> Vec<String>) -> Vec<Text> {
    let root = root();
    let mut files = files(&root.join(directory), "rs");
    files.retain(|file| !TESTS.iter().any(|test| file.ends_with(test)));
    let texts = files.iter().flat_map(|file| {
        let source = fs::read_to_string(file).expect("a source");
        let name = file.strip_prefix(&root).expect("a file of the workspace");
        let name = name.display().to_string();
        let texts = texts_of(source.parse().expect("a file of Rust"));
        texts.into_iter().map(move |text| Text::new(text, &name))
    });
    texts.collect()
}

/// The string literals of several words outside attributes and tests: in the sources of the macros those are errors, or
/// parts of one.
fn texts_of_code(tokens: TokenStream) -> Vec<String> {
    let mut texts = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    let mut is_of_a_test = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                // An inner attribute has an exclamation mark.
                tokens.next_if(|token| token.to_string() == "!");
                if let Some(TokenTree::Group(attribute)) = tokens.peek()
                    && attribute.delimiter() == Delimiter::Bracket
                {
                    is_of_a_test |= attribute.stream().to_string() == "cfg (test)";
                    tokens.next();
                }
            }
            // The item under a `#[cfg(test)]` ends with its block.
            TokenTree::Group(group) if is_of_a_test => {
                is_of_a_test = group.delimiter() != Delimiter::Brace;
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => is_of_a_test = false,
            TokenTree::Group(group) => texts.extend(texts_of_code(group.stream())),
            TokenTree::Literal(literal) => {
                let text = text_of(&literal.to_string());
                texts
                    .extend(text.filter(|text| text.trim().contains(' ') && text != DOCUMENTATION));
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
    texts
}

/// The string literals of `#[diagnostic::on_unimplemented(..)]`.
fn texts_of_diagnostics(tokens: TokenStream) -> Vec<String> {
    let mut texts = Vec::new();
    let mut in_diagnostic = false;
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => in_diagnostic = ident == "on_unimplemented",
            TokenTree::Group(group) if in_diagnostic => {
                let literals = group.stream().into_iter();
                texts.extend(literals.filter_map(|token| text_of(&token.to_string())));
            }
            TokenTree::Group(group) => texts.extend(texts_of_diagnostics(group.stream())),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    texts
}

fn text_of(token: &str) -> Option<String> {
    syn::parse_str(token).ok().map(|text: LitStr| text.value())
}

/// The files of an extension, however deep below a directory.
fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let files = paths.flat_map(|path| match path.extension() {
        _ if path.is_dir() => files(&path, extension),
        Some(found) if found == extension => vec![path],
        _ => Vec::new(),
    });
    files.collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
