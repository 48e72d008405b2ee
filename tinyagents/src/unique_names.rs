//! Names rewritten so that each fits a rule and no two are the same.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// How names are rewritten.
pub(crate) struct Naming<'a> {
    /// Whether a name stays as it is.
    pub(crate) is_kept: &'a dyn Fn(&str) -> bool,
    /// The name without what the rule forbids, of any length; empty where nothing is left.
    pub(crate) plain: &'a dyn Fn(&str) -> String,
    /// Longest name.
    pub(crate) max_bytes: usize,
}

/// The new name of each name.
///
/// A name that fits stays. Names that come out alike, or like one that stays, or that are cut, get a suffix made of the
/// old name alone, so that the answer doesn't depend on the order; nor does it on names that come out otherwise.
/// `taken` are names that nothing may be called.
pub(crate) fn unique_names<'a>(
    names: impl IntoIterator<Item = &'a str>,
    taken: &[&str],
    naming: &Naming<'_>,
) -> HashMap<String, String> {
    let names: BTreeSet<&str> = names.into_iter().collect();
    let mut given: HashMap<String, String> = HashMap::with_capacity(names.len());
    let mut used: HashSet<String> = taken.iter().map(|&name| name.to_owned()).collect();
    let (kept, rest): (Vec<&str>, Vec<&str>) = names
        .into_iter()
        .partition(|name| (naming.is_kept)(name) && !used.contains(*name));
    for name in kept {
        used.insert(name.to_owned());
        given.insert(name.to_owned(), name.to_owned());
    }
    let plain: Vec<(&str, String)> = rest
        .into_iter()
        .map(|name| (name, (naming.plain)(name)))
        .collect();
    let mut wanted: HashMap<&str, usize> = HashMap::new();
    for (_, plain) in &plain {
        *wanted.entry(plain).or_default() += 1;
    }
    let (alone, alike): (Vec<_>, Vec<_>) = plain.iter().partition(|(_, plain)| {
        wanted.get(plain.as_str()) == Some(&1)
            && !used.contains(plain)
            && plain.len() <= naming.max_bytes
            && (naming.is_kept)(plain)
    });
    for (name, plain) in alone {
        used.insert(plain.clone());
        given.insert((*name).to_owned(), plain.clone());
    }
    for (name, plain) in alike {
        let suffixed = suffixed(name, plain, naming.max_bytes, &used);
        used.insert(suffixed.clone());
        given.insert((*name).to_owned(), suffixed);
    }
    given
}

/// The name with the beginning of its hash behind it; with more of the hash, should even that be taken.
fn suffixed(name: &str, plain: &str, max_bytes: usize, used: &HashSet<String>) -> String {
    let mut hash = String::with_capacity(64);
    for byte in Sha256::digest(name.as_bytes()) {
        // Writing to a `String` can't fail.
        let _ = write!(hash, "{byte:02x}");
    }
    let plain = if plain.is_empty() { "name" } else { plain };
    let mut candidate = String::new();
    for length in 8..=hash.len() {
        let room = max_bytes.saturating_sub(length + 1);
        let start = &plain[..plain.floor_char_boundary(room)];
        candidate = format!("{start}_{}", &hash[..length]);
        if !used.contains(&candidate) {
            break;
        }
    }
    candidate
}
