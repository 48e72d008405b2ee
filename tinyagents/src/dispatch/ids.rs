//! Ids of calls: each is there, and is there once.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::RunMeter;
use crate::model::ToolCall;

/// Length of a generated id: what every provider accepts.
const LENGTH: usize = 9;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Gives an id to each call that has none, and a new one to each that repeats an earlier call's of the turn. Returns the
/// positions of the latter, in order.
///
/// No new id is one of an earlier turn; those that stay are noted when the calls are taken up. An id that a provider
/// repeats in a later turn stays: it counts anew in each, the calls are different ones, and each row stands after its own
/// turn's calls.
pub(super) fn settle(calls: &mut [ToolCall], meter: &RunMeter) -> Vec<usize> {
    settle_with(calls, meter, generate)
}

fn settle_with(
    calls: &mut [ToolCall],
    meter: &RunMeter,
    mut generate: impl FnMut() -> String,
) -> Vec<usize> {
    let mut repeated = Vec::new();
    if let [call] = calls {
        if call.id.is_empty() {
            call.id = generate();
            while !meter.note_new_id(&call.id) {
                call.id = generate();
            }
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
        call.id = generate();
        while seen.contains(&call.id) || !meter.note_new_id(&call.id) {
            call.id = generate();
        }
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
    use crate::harness::RunLimits;

    fn calls(ids: &[&str]) -> Vec<ToolCall> {
        ids.iter()
            .map(|id| ToolCall::new(*id, "x", json!({})))
            .collect()
    }

    #[test]
    fn ids_that_are_there_and_unique_are_kept() {
        let mut calls = calls(&["call_1", "toolu_2"]);
        assert!(settle(&mut calls, &RunMeter::default()).is_empty());
        assert_eq!(calls[0].id, "call_1");
        assert_eq!(calls[1].id, "toolu_2");
    }

    #[test]
    fn missing_and_repeated_ids_become_nine_letters_and_digits() {
        let mut calls = calls(&["", "a", "a", "", "a"]);
        assert_eq!(settle(&mut calls, &RunMeter::default()), [2, 4]);
        let unique: HashSet<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(unique.len(), 5);
        for position in [0, 2, 3, 4] {
            let id = &calls[position].id;
            assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        }
        assert_eq!(calls[1].id, "a");
    }

    #[test]
    fn a_new_id_is_none_of_this_turn_and_of_no_earlier_one() {
        let meter = RunMeter::default();
        meter.note_ids(["history"]);
        let mut next = [
            "history", "given", "new_1", "new_1", "new_2", "later", "new_3",
        ]
        .into_iter()
        .map(str::to_owned);
        let mut settle = |ids: &[&str]| {
            let mut calls = calls(ids);
            settle_with(&mut calls, &meter, || next.next().unwrap());
            for call in &calls {
                meter.take_up(&RunLimits::default(), call).unwrap();
            }
            calls.into_iter().map(|call| call.id).collect::<Vec<_>>()
        };
        assert_eq!(settle(&["given"]), ["given"]);
        assert_eq!(settle(&[""]), ["new_1"]);
        assert_eq!(settle(&["", "later", ""]), ["new_2", "later", "new_3"]);
    }

    #[test]
    fn the_id_of_a_call_past_a_limit_is_taken() {
        let meter = RunMeter::default();
        let limits = RunLimits {
            max_tool_calls: 0,
            ..RunLimits::default()
        };
        assert!(meter.take_up(&limits, &calls(&["past"])[0]).is_err());
        assert!(!meter.note_new_id("past"));
    }

    #[test]
    fn an_id_that_a_provider_repeats_in_a_later_turn_stays() {
        let meter = RunMeter::default();
        for _ in 0..2 {
            let mut calls = calls(&["call_0", "call_1"]);
            assert!(settle(&mut calls, &meter).is_empty());
            assert_eq!(calls[0].id, "call_0");
        }
    }
}
