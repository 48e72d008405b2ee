//! Texts cut to a number of bytes or characters.

/// The start of a text, cut on a character boundary, with a mark where something is missing and there is room for it.
pub(crate) fn clip_bytes(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    match limit.checked_sub('…'.len_utf8()) {
        Some(room) => format!("{}…", &text[..text.floor_char_boundary(room)]),
        None => text[..text.floor_char_boundary(limit)].to_owned(),
    }
}

/// The same, counted in characters.
pub(crate) fn clip_chars(text: &str, limit: usize) -> String {
    if text.char_indices().nth(limit).is_none() {
        return text.to_owned();
    }
    let kept = text.chars().take(limit.saturating_sub(1));
    kept.chain((limit > 0).then_some('…')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_keeps_to_character_boundaries() {
        assert_eq!(clip_bytes("aäöü", 100), "aäöü");
        assert_eq!(clip_bytes("äöüäöü", 6), "ä…");
        assert!(clip_bytes(&"ä".repeat(5000), 1024).len() <= 1024);
    }

    #[test]
    fn no_limit_is_too_small_to_hold() {
        for limit in 0..8 {
            assert!(clip_bytes("äöüäöü", limit).len() <= limit);
        }
    }

    #[test]
    fn characters_are_counted_as_such() {
        assert_eq!(clip_chars("äöü", 3), "äöü");
        assert_eq!(clip_chars("äöüä", 3), "äö…");
        assert_eq!(
            (clip_chars("ab", 0).as_str(), clip_chars("ab", 1).as_str()),
            ("", "…")
        );
    }
}
