//! Which marker opens a region, found by its second byte: the first ones are few.

use std::cmp::Reverse;
use std::sync::LazyLock;

use crate::dialect::grammar::{Opener, openers};

/// The openers under the second byte of their marker.
static BY_SECOND: LazyLock<[Vec<Opener>; 256]> = LazyLock::new(|| {
    let mut lists = [const { Vec::new() }; 256];
    for opener in openers() {
        if let [_, second, ..] = opener.marker.as_bytes() {
            lists[usize::from(*second)].push(opener);
        }
    }
    for list in &mut lists {
        // The longer of two that begin alike is the one that is meant.
        list.sort_by_key(|opener| Reverse(opener.marker.len()));
    }
    lists
});

/// First bytes of markers that count in the middle of a line.
pub(super) fn is_trigger(byte: u8) -> bool {
    matches!(byte, b'<' | b'[')
}

/// What markers say of a place.
pub(super) enum Marked {
    No,
    /// A marker may be on its way.
    Maybe,
    Opener(Opener),
}

/// The marker at the beginning of the text.
pub(super) fn find(rest: &str) -> Marked {
    let second = match rest.as_bytes() {
        [b'<' | b'[' | b'A' | b'f'] => return Marked::Maybe,
        [b'<' | b'[' | b'A' | b'f', second, ..] => *second,
        _ => return Marked::No,
    };
    let mut marked = Marked::No;
    for opener in &BY_SECOND[usize::from(second)] {
        if rest.starts_with(opener.marker) {
            return Marked::Opener(*opener);
        }
        if opener.marker.starts_with(rest) {
            marked = Marked::Maybe;
        }
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marker_is_found_by_its_first_bytes() {
        for opener in openers() {
            assert!(
                matches!(find(opener.marker), Marked::Opener(found) if found.marker == opener.marker)
            );
            assert!(opener.marker.starts_with(['<', '[', 'A', 'f']));
            for (end, _) in opener.marker.char_indices().skip(1) {
                assert!(
                    !matches!(find(&opener.marker[..end]), Marked::No),
                    "{}",
                    opener.marker
                );
            }
        }
    }
}
