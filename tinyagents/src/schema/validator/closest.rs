//! The name that was probably meant.

/// Longer names are not compared.
const MAX_BYTES: usize = 64;

/// The candidate nearest to `name`, if it is near: the same but for case and separators, or a few letters apart.
pub(super) fn closest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let outline = Outline::of(name)?;
    let mut room = [0; MAX_BYTES];
    let folded = fold(name, &mut room);
    let mut other_room = [0; MAX_BYTES];
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let Some(other) = Outline::of(candidate) else {
            continue;
        };
        // A third of the letters may be wrong, but never all.
        let longer = outline.length.max(other.length);
        let allowed = best.map_or(longer / 3, |(best, _)| {
            (longer / 3).min(best.saturating_sub(1))
        });
        if longer == 0 || outline.least_distance(other) > allowed {
            continue;
        }
        let distance = distance(folded, fold(candidate, &mut other_room));
        if distance <= allowed && best.is_none_or(|(best, _)| distance < best) {
            best = Some((distance, candidate));
            if distance == 0 {
                break;
            }
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// What tells most names apart without comparing them letter by letter.
#[derive(Clone, Copy)]
struct Outline {
    length: usize,
    /// One bit per letter, whatever its case; others share some.
    letters: u32,
}

impl Outline {
    fn of(name: &str) -> Option<Self> {
        if name.len() > MAX_BYTES {
            return None;
        }
        let mut outline = Self {
            length: 0,
            letters: 0,
        };
        for byte in name.bytes().filter(|byte| !is_separator(*byte)) {
            outline.length += 1;
            outline.letters |= 1 << (byte.to_ascii_lowercase() % 32);
        }
        Some(outline)
    }

    /// An edit brings in, takes away or replaces one letter at most.
    fn least_distance(self, other: Self) -> usize {
        let missing = (self.letters & !other.letters).count_ones();
        let extra = (other.letters & !self.letters).count_ones();
        self.length
            .abs_diff(other.length)
            .max(missing.max(extra) as usize)
    }
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b' ' | b'.')
}

/// Lower case, without separators. A letter outside ASCII counts as its bytes.
fn fold<'r>(name: &str, room: &'r mut [u8; MAX_BYTES]) -> &'r [u8] {
    let letters = name.bytes().filter(|byte| !is_separator(*byte));
    let mut length = 0;
    for (place, byte) in room.iter_mut().zip(letters) {
        *place = byte.to_ascii_lowercase();
        length += 1;
    }
    room.get(..length).unwrap_or_default()
}

/// How many bytes must be added, removed or replaced. Neither text is longer than [`MAX_BYTES`].
fn distance(left: &[u8], right: &[u8]) -> usize {
    // What they begin and end with alike costs nothing; mostly that leaves hardly anything.
    let alike = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let (left, right) = (&left[alike..], &right[alike..]);
    let ends = left.iter().rev().zip(right.iter().rev());
    let alike = ends.take_while(|(a, b)| a == b).count();
    let (left, right) = (&left[..left.len() - alike], &right[..right.len() - alike]);
    if left.is_empty() || right.is_empty() {
        return left.len().max(right.len());
    }
    let mut room = [0; MAX_BYTES];
    let row = &mut room[..right.len()];
    // The row of distances from the empty beginning of `left`; its first column, a plain count, is kept apart.
    row.iter_mut().zip(1..).for_each(|(cell, at)| *cell = at);
    for (at, a) in left.iter().enumerate() {
        let mut diagonal = at;
        let mut previous = at + 1;
        for (b, cell) in right.iter().zip(row.iter_mut()) {
            let replaced = diagonal + usize::from(a != b);
            diagonal = *cell;
            *cell = replaced.min(diagonal + 1).min(previous + 1);
            previous = *cell;
        }
    }
    row.last().copied().unwrap_or(left.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let names = ["city", "country_code", "days"];
        for (name, meant) in [
            ("citty", Some("city")),
            ("City", Some("city")),
            ("countryCode", Some("country_code")),
            ("country-kode", Some("country_code")),
            ("day", Some("days")),
            ("temperature", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(closest(name, names), meant, "{name}");
        }
    }

    #[test]
    fn of_several_near_names_the_nearest_is_taken() {
        assert_eq!(closest("paths", ["parts", "path", "patch"]), Some("path"));
        assert_eq!(closest("path", ["Path", "path_"]), Some("Path"));
        assert_eq!(closest("_", ["-", ""]), None);
    }

    #[test]
    fn the_distance_is_the_number_of_edits() {
        for (left, right, edits) in [
            ("kitten", "sitting", 3),
            ("", "abc", 3),
            ("abc", "", 3),
            ("abc", "abc", 0),
            ("abc", "bc", 1),
        ] {
            assert_eq!(
                distance(left.as_bytes(), right.as_bytes()),
                edits,
                "{left} {right}"
            );
        }
    }
}
