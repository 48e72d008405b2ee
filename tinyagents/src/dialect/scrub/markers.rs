//! Which marker opens a region, by its first two characters.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::dialect::grammar::{Opener, openers};

/// The openers under the first two bytes of their marker.
static BY_START: LazyLock<HashMap<[u8; 2], Vec<Opener>>> = LazyLock::new(|| {
    let mut map: HashMap<[u8; 2], Vec<Opener>> = HashMap::new();
    for opener in openers() {
        if let [first, second, ..] = opener.marker.as_bytes() {
            map.entry([*first, *second]).or_default().push(opener);
        }
    }
    for list in map.values_mut() {
        // The longer of two that begin alike is the one that is meant.
        list.sort_by_key(|opener| std::cmp::Reverse(opener.marker.len()));
    }
    map
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
    let list = match rest.as_bytes() {
        [b'<' | b'[' | b'A' | b'f'] => return Marked::Maybe,
        [first, second, ..] => BY_START.get(&[*first, *second]),
        _ => None,
    };
    let mut marked = Marked::No;
    for opener in list.into_iter().flatten() {
        if rest.starts_with(opener.marker) {
            return Marked::Opener(*opener);
        }
        if opener.marker.starts_with(rest) {
            marked = Marked::Maybe;
        }
    }
    marked
}
