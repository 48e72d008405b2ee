//! What is at a place in text that comes in pieces.

/// Most bytes of a name, a header or a tag.
pub(super) const MAX_TOKEN: usize = 512;

/// Whether text comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect) enum Next {
    /// Yes, and it ends here.
    Yes(usize),
    No,
    /// So far it could be.
    Maybe,
}

/// The place after white space.
pub(super) fn skip_space(region: &str, at: usize) -> usize {
    region.len() - region[at..].trim_start().len()
}

/// The beginning of the text that a name, a header or a tag has to fit into. It is the same however the text comes, so
/// that what is read from it is too.
pub(super) fn token(rest: &str) -> &str {
    &rest[..rest.floor_char_boundary(MAX_TOKEN)]
}

/// The one marker that closes a damaged region.
pub(super) fn first<'m>(closers: &'m [&'static str]) -> &'m [&'static str] {
    &closers[..closers.len().min(1)]
}

/// Whether the literal stands at this place.
pub(super) fn literal(region: &str, at: usize, literal: &str) -> Next {
    let rest = &region[at..];
    if rest.starts_with(literal) {
        Next::Yes(at + literal.len())
    } else if literal.starts_with(rest) {
        Next::Maybe
    } else {
        Next::No
    }
}
