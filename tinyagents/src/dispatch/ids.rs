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

/// An id as they are made here, and as some providers make theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MadeId([u8; LENGTH]);

impl MadeId {
    /// The id, where one that is made could be the same.
    #[inline]
    pub(super) fn of(id: &str) -> Option<Self> {
        let id: [u8; LENGTH] = id.as_bytes().try_into().ok()?;
        id.iter().all(u8::is_ascii_alphanumeric).then_some(Self(id))
    }

    fn make() -> Self {
        static KEYS: OnceLock<RandomState> = OnceLock::new();
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let keys = KEYS.get_or_init(RandomState::new);
        let mut bits = keys.hash_one(NEXT.fetch_add(1, Ordering::Relaxed));
        let mut id = [0; LENGTH];
        for letter in &mut id {
            let index = usize::try_from(bits % 62).unwrap_or_default();
            *letter = ALPHABET[index];
            bits /= 62;
        }
        Self(id)
    }

    /// Makes it the id of a call.
    fn write(self, id: &mut String) {
        id.clear();
        id.extend(self.0.map(char::from));
    }
}

/// Gives an id to each call that has none, and a new one to each that repeats an earlier call's of the turn. Returns the
/// positions of the latter, in order.
///
/// No new id is one of an earlier turn; those that stay are noted when the calls are taken up. An id that a provider
/// repeats in a later turn stays: it counts anew in each, the calls are different ones, and each row stands after its own
/// turn's calls.
pub(super) fn settle(calls: &mut [ToolCall], meter: &RunMeter) -> Vec<usize> {
    settle_with(calls, meter, MadeId::make)
}

fn settle_with(
    calls: &mut [ToolCall],
    meter: &RunMeter,
    mut make: impl FnMut() -> MadeId,
) -> Vec<usize> {
    let mut new = || {
        loop {
            let id = make();
            if meter.note_new_id(id) {
                return id;
            }
        }
    };
    if let [call] = calls {
        if call.id.is_empty() {
            new().write(&mut call.id);
        }
        return Vec::new();
    }
    let mut repeated = Vec::new();
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
        new().write(&mut call.id);
        while seen.contains(&call.id) {
            new().write(&mut call.id);
        }
    }
    repeated
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
    fn a_great_many_missing_ids_take_no_endless_time() {
        let mut calls = calls(&vec![""; 100_000]);
        assert!(settle(&mut calls, &RunMeter::default()).is_empty());
        let unique: HashSet<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(unique.len(), calls.len());
    }

    #[test]
    fn a_new_id_is_none_of_this_turn_and_of_no_earlier_one() {
        let meter = RunMeter::default();
        meter.note_ids(["history00"]);
        let mut next = [
            "history00",
            "givenAt01",
            "newNumb01",
            "newNumb01",
            "newNumb02",
            "laterAt02",
            "newNumb03",
        ]
        .into_iter()
        .filter_map(MadeId::of);
        let mut settle = |ids: &[&str]| {
            let mut calls = calls(ids);
            settle_with(&mut calls, &meter, || next.next().unwrap());
            for call in &calls {
                meter.take_up(&RunLimits::default(), call).unwrap();
            }
            calls.into_iter().map(|call| call.id).collect::<Vec<_>>()
        };
        assert_eq!(settle(&["givenAt01"]), ["givenAt01"]);
        assert_eq!(settle(&[""]), ["newNumb01"]);
        let ids = settle(&["", "laterAt02", ""]);
        assert_eq!(ids, ["newNumb02", "laterAt02", "newNumb03"]);
    }

    #[test]
    fn the_id_of_a_call_past_a_limit_is_taken() {
        let meter = RunMeter::default();
        let limits = RunLimits {
            max_tool_calls: 0,
            ..RunLimits::default()
        };
        assert!(meter.take_up(&limits, &calls(&["pastLimit"])[0]).is_err());
        assert!(!meter.note_new_id(MadeId::of("pastLimit").unwrap()));
    }

    #[test]
    fn no_made_id_is_like_one_of_another_form() {
        for id in [
            "",
            "call_0",
            "toolu_01A",
            "12345678",
            "1234567890",
            "käse1234",
            "call-0-12",
        ] {
            assert_eq!(MadeId::of(id), None, "{id}");
        }
        let mut id = "before".to_owned();
        let made = MadeId::make();
        made.write(&mut id);
        assert_eq!(MadeId::of(&id), Some(made));
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
