//! Ids of calls: each is there, and is there once.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::model::ToolCall;

/// Length of a generated id: what every provider accepts.
const LENGTH: usize = 9;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Gives an id to each call that has none, and a new one to each that repeats an earlier call's. Returns the positions
/// of the latter, in order.
pub(super) fn settle(calls: &mut [ToolCall]) -> Vec<usize> {
    let mut repeated = Vec::new();
    if let [call] = calls {
        if call.id.is_empty() {
            call.id = generate();
        }
        return repeated;
    }
    let mut seen: HashSet<String> = HashSet::with_capacity(calls.len());
    for (position, call) in calls.iter_mut().enumerate() {
        if !call.id.is_empty() {
            if seen.insert(call.id.clone()) {
                continue;
            }
            repeated.push(position);
        }
        // A new id may not be the one that a later call brings along.
        call.id.clear();
    }
    for call in calls.iter_mut().filter(|call| call.id.is_empty()) {
        let mut id = generate();
        while !seen.insert(id.clone()) {
            id = generate();
        }
        call.id = id;
    }
    repeated
}

/// Nine random letters and digits.
fn generate() -> String {
    static KEYS: OnceLock<RandomState> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let keys = KEYS.get_or_init(RandomState::new);
    let mut bits = keys.hash_one(NEXT.fetch_add(1, Ordering::Relaxed));
    let mut id = String::with_capacity(LENGTH);
    for _ in 0..LENGTH {
        let index = usize::try_from(bits % 62).unwrap_or_default();
        id.push(char::from(ALPHABET[index]));
        bits /= 62;
    }
    id
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn calls(ids: &[&str]) -> Vec<ToolCall> {
        ids.iter()
            .map(|id| ToolCall::new(*id, "x", json!({})))
            .collect()
    }

    #[test]
    fn ids_that_are_there_and_unique_are_kept() {
        let mut calls = calls(&["call_1", "toolu_2"]);
        assert!(settle(&mut calls).is_empty());
        assert_eq!(calls[0].id, "call_1");
        assert_eq!(calls[1].id, "toolu_2");
    }

    #[test]
    fn missing_and_repeated_ids_become_nine_letters_and_digits() {
        let mut calls = calls(&["", "a", "a", "", "a"]);
        assert_eq!(settle(&mut calls), [2, 4]);
        let unique: HashSet<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(unique.len(), 5);
        for position in [0, 2, 3, 4] {
            let id = &calls[position].id;
            assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        }
        assert_eq!(calls[1].id, "a");
    }
}
