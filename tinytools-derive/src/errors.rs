//! The collector: every mistake of one item is reported in one go.

use quote::ToTokens;
use syn::Error;

/// The mistakes found so far, in the order they were found.
#[derive(Default)]
#[must_use = "errors that are not finished are lost"]
pub(crate) struct Errors(Vec<Error>);

impl Errors {
    /// Adds a mistake that underlines the whole of `tokens`.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.push(Error::new_spanned(tokens, message));
    }

    /// Adds an error that already knows its place.
    pub(crate) fn push(&mut self, error: Error) {
        self.0.push(error);
    }

    /// All mistakes as one error, if there are any.
    pub(crate) fn finish(self) -> syn::Result<()> {
        let all = self.0.into_iter().reduce(|mut all, next| {
            all.combine(next);
            all
        });
        all.map_or(Ok(()), Err)
    }
}
