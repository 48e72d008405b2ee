//! The calls of one answer, put together from their pieces.

use serde_json::{Map, Value};

use super::json::as_text;
use super::partial_call::PartialCall;
use crate::model::ToolCall;

/// Most calls of one answer.
const MAX_CALLS: usize = 1_024;

/// An answer had more calls than it may have.
#[derive(Debug)]
pub(super) struct TooManyCalls;

/// The calls of one answer, as far as they have come.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<PartialCall>);

impl Calls {
    /// Takes a piece of a call, or a whole one: an item of `tool_calls`.
    pub(super) fn add(&mut self, piece: &Value) -> Result<(), TooManyCalls> {
        let Some(piece) = piece.as_object() else {
            return Ok(());
        };
        let index = piece.get("index").and_then(Value::as_u64);
        let id = piece.get("id").and_then(as_text).unwrap_or_default();
        let position = match self.position(index, &id) {
            Some(position) => position,
            None if self.0.len() >= MAX_CALLS => return Err(TooManyCalls),
            None => {
                self.0.push(PartialCall::at(index));
                self.0.len() - 1
            }
        };
        self.0[position].add(id, piece);
        Ok(())
    }

    /// The call that a piece belongs to. Its index says so; but some endpoints give all calls the same, or none, and then a
    /// new id begins a new call.
    fn position(&self, index: Option<u64>, id: &str) -> Option<usize> {
        let position = match index {
            Some(_) => self.0.iter().rposition(|call| call.index == index),
            None if id.is_empty() => self.0.len().checked_sub(1),
            None => self.0.iter().rposition(|call| call.id == id),
        }?;
        let known = &self.0[position].id;
        (id.is_empty() || known.is_empty() || known == id).then_some(position)
    }

    /// The calls, in the order of their indices, and what their provider alone can read. `cut` says why the answer is not
    /// complete; a call whose arguments may lack something is then invalid.
    pub(super) fn finish(mut self, cut: Option<&str>) -> (Vec<ToolCall>, Vec<Map<String, Value>>) {
        self.0.sort_by_key(|call| call.index);
        let mut extras = Vec::new();
        let calls = self
            .0
            .into_iter()
            .map(|mut call| {
                extras.push(std::mem::take(&mut call.extras));
                call.finish(cut)
            })
            .collect();
        if extras.iter().all(Map::is_empty) {
            extras.clear();
        }
        (calls, extras)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn assemble(pieces: &[Value]) -> Vec<ToolCall> {
        let mut calls = Calls::default();
        for piece in pieces {
            calls.add(piece).unwrap();
        }
        calls.finish(None).0
    }

    fn piece(index: u64, id: &str, name: &str, arguments: &str) -> Value {
        let mut piece = json!({ "index": index, "function": {} });
        for (key, value) in [("id", id), ("type", "function")] {
            if !id.is_empty() {
                piece[key] = json!(value);
            }
        }
        for (key, value) in [("name", name), ("arguments", arguments)] {
            if !value.is_empty() {
                piece["function"][key] = json!(value);
            }
        }
        piece
    }

    #[test]
    fn pieces_of_parallel_calls_are_told_apart_by_their_index() {
        let calls = assemble(&[
            piece(0, "c0", "weather", ""),
            piece(3, "c3", "clock", ""),
            piece(0, "", "", "{\"city\":"),
            piece(3, "", "", "{}"),
            piece(1, "c1", "weather", "{\"city\":\"Rome\"}"),
            piece(0, "", "", "\"Oslo\"}"),
        ]);
        assert_eq!(
            calls,
            [
                ToolCall::new("c0", "weather", json!({ "city": "Oslo" })),
                ToolCall::new("c1", "weather", json!({ "city": "Rome" })),
                ToolCall::new("c3", "clock", json!({})),
            ]
        );
    }

    #[test]
    fn arguments_may_come_before_the_name_and_the_id() {
        let calls = assemble(&[
            piece(0, "", "", "{\"a\""),
            piece(0, "", "", ":1}"),
            piece(0, "c0", "t", ""),
        ]);
        assert_eq!(calls, [ToolCall::new("c0", "t", json!({ "a": 1 }))]);
    }

    #[test]
    fn calls_of_one_index_or_of_none_are_told_apart_by_their_id() {
        let one_index = assemble(&[
            piece(0, "a", "t", "{\"n\":1}"),
            piece(0, "b", "t", "{\"n\":"),
            piece(0, "b", "", "2}"),
        ]);
        let no_index = assemble(&[
            json!({ "id": "a", "function": { "name": "t", "arguments": "{\"n\":1}" } }),
            json!({ "id": "b", "function": { "name": "t", "arguments": "{\"n\":" } }),
            json!({ "function": { "arguments": "2}" } }),
        ]);
        let expected = [
            ToolCall::new("a", "t", json!({ "n": 1 })),
            ToolCall::new("b", "t", json!({ "n": 2 })),
        ];
        assert_eq!(one_index, expected);
        assert_eq!(no_index, expected);
    }

    #[test]
    fn what_the_provider_alone_can_read_is_kept_by_call() {
        let mut calls = Calls::default();
        let mut second = piece(1, "b", "t", "{}");
        second["extra_content"] = json!({ "google": { "thought_signature": "c2ln" } });
        calls.add(&piece(0, "a", "t", "{}")).unwrap();
        calls.add(&second).unwrap();
        let (_, extras) = calls.finish(None);
        assert!(extras[0].is_empty());
        assert_eq!(
            extras[1]["extra_content"]["google"]["thought_signature"],
            "c2ln"
        );
    }

    #[test]
    fn calls_without_end_are_refused() {
        let mut calls = Calls::default();
        let outcome = (0..2_000).try_for_each(|index| calls.add(&piece(index * 7, "", "t", "")));
        assert!(outcome.is_err());
    }
}
