//! The known name that a misspelt one was probably meant to be.

/// The candidate most like `written`, unless none is like it at all.
pub(crate) fn similar<'a>(
    written: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    candidates
        .into_iter()
        .filter_map(|candidate| Some((difference(written, candidate)?, candidate)))
        .min_by_key(|(difference, _)| *difference)
        .map(|(_, candidate)| candidate)
}

/// How unlike two names are; nothing where they are too unlike to be meant for each other. An abbreviation is as good
/// as one typing error.
fn difference(written: &str, candidate: &str) -> Option<usize> {
    let abbreviates = |short: &str, long: &str| short.len() >= 3 && long.starts_with(short);
    if abbreviates(written, candidate) || abbreviates(candidate, written) {
        return Some(1);
    }
    let distance = edit_distance(written, candidate);
    let longer = written.len().max(candidate.len());
    (distance * 3 <= longer).then_some(distance)
}

/// Insertions, deletions and replacements between two texts (Levenshtein), one row of the table at a time.
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, from) in from.chars().enumerate() {
        let mut last = index + 1;
        let mut next = vec![last];
        for ((above_left, above), to) in row.iter().zip(&row[1..]).zip(&to) {
            let replaced = above_left + usize::from(from != *to);
            last = replaced.min(above + 1).min(last + 1);
            next.push(last);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 5] = [
        "name",
        "description",
        "timeout",
        "timeout_ms",
        "writes_files",
    ];

    #[test]
    fn finds_a_typing_error_and_an_abbreviation() {
        assert_eq!(similar("nam", KEYS), Some("name"));
        assert_eq!(similar("desc", KEYS), Some("description"));
        assert_eq!(similar("timeot_ms", KEYS), Some("timeout_ms"));
        assert_eq!(similar("write_files", KEYS), Some("writes_files"));
    }

    #[test]
    fn proposes_nothing_that_is_only_short() {
        assert_eq!(similar("zzz", KEYS), None);
        assert_eq!(similar("n", KEYS), None);
    }
}
