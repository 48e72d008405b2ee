//! The place of a marker in text that comes in pieces; each byte is looked at once.

use memchr::memchr;

use super::machine::Awaited;

/// The first of some markers from a place on.
#[derive(Clone, Copy, Debug)]
pub(in crate::dialect) struct Find {
    at: usize,
    /// All markers begin alike, and nothing of the text so far begins one.
    is_clear: bool,
    /// No marker can be there before the text has this length.
    least: usize,
}

impl Find {
    pub(in crate::dialect) fn new(at: usize) -> Self {
        Self {
            at,
            is_clear: false,
            least: 0,
        }
    }

    /// Nothing before this place begins one of the markers.
    pub(in crate::dialect) fn at(self) -> usize {
        self.at
    }

    /// What [`advance`](Self::advance) waits for, if it found nothing.
    pub(super) fn awaits(self, markers: &[&str]) -> Awaited {
        match markers.first().and_then(|marker| marker.as_bytes().first()) {
            Some(&first) if self.is_clear => Awaited::Either(first, first),
            _ => Awaited::Length(self.least),
        }
    }

    /// The place and the marker, if one is there; of two at one place, the one named first. No marker may be the beginning
    /// of an earlier one.
    pub(in crate::dialect) fn advance<'m>(
        &mut self,
        region: &str,
        markers: &[&'m str],
    ) -> Option<(usize, &'m str)> {
        let bytes = region.as_bytes();
        let first = common_first(markers);
        self.is_clear = false;
        self.least = 0;
        loop {
            let rest = &bytes[self.at..];
            let place = match first {
                Some(first) => memchr(first, rest),
                None => rest.iter().position(|byte| begins_one(*byte, markers)),
            };
            let Some(place) = place else {
                self.at = bytes.len();
                self.is_clear = first.is_some();
                return None;
            };
            self.at += place;
            let rest = &bytes[self.at..];
            let found = markers
                .iter()
                .find(|marker| rest.starts_with(marker.as_bytes()));
            if let Some(marker) = found {
                return Some((self.at, marker));
            }
            let begun = markers.iter().map(|marker| marker.as_bytes());
            if begun.clone().any(|marker| marker.starts_with(rest)) {
                // A later place may begin a shorter one.
                let earliest =
                    |marker: &[u8]| self.at + marker.len() + usize::from(!marker.starts_with(rest));
                self.least = begun.map(earliest).min().unwrap_or_default();
                return None;
            }
            self.at += 1;
        }
    }
}

/// The byte that all markers begin with, as most sets of them do.
fn common_first(markers: &[&str]) -> Option<u8> {
    let first = *markers.first()?.as_bytes().first()?;
    markers
        .iter()
        .all(|marker| marker.as_bytes().first() == Some(&first))
        .then_some(first)
}

fn begins_one(byte: u8, markers: &[&str]) -> bool {
    markers
        .iter()
        .any(|marker| marker.as_bytes().first() == Some(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where it waits, or what it found.
    fn find(text: &str, markers: &[&str]) -> Result<(usize, String), usize> {
        let mut find = Find::new(0);
        let found = find.advance(text, markers);
        let found = found.map(|(place, marker)| (place, marker.to_owned()));
        found.ok_or(find.at())
    }

    #[test]
    fn the_first_marker_is_found() {
        let markers = ["</a>", "<a", "]]>"];
        assert_eq!(find("x ]]> <a </a>", &markers), Ok((2, "]]>".to_owned())));
        assert_eq!(find("<<</a>", &markers), Ok((2, "</a>".to_owned())));
        assert_eq!(find("]]]>", &markers), Ok((1, "]]>".to_owned())));
    }

    #[test]
    fn the_beginning_of_a_marker_at_the_end_is_waited_for() {
        assert_eq!(find("text <", &["</think>"]), Err(5));
        assert_eq!(find("text </thin", &["</think>"]), Err(5));
        assert_eq!(find("text </thin ", &["</think>"]), Err(12));
        assert_eq!(find("<<", &["<<>", "<x"]), Err(0));
    }

    #[test]
    fn no_marker_is_there_before_the_length_that_is_awaited() {
        for (text, markers) in [
            ("x </longer></a>", ["</longest>", "</a>"]),
            ("<<<<longest>", ["<longest>", "<l>"]),
            ("</lon<l>", ["</longest>", "<l>"]),
            ("]]]]>", ["]]>", "]>>>"]),
        ] {
            let mut find = Find::new(0);
            let mut awaited = Awaited::Anything;
            for end in 1..=text.len() {
                let found = find.advance(&text[..end], &markers);
                if found.is_some() {
                    assert!(awaited.has_come(&text[end - 1..end], end), "{text} {end}");
                    break;
                }
                assert!(end < text.len(), "{text}");
                awaited = find.awaits(&markers);
            }
        }
    }
}
