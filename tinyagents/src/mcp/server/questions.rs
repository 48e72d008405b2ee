//! Questions that a client answers by sending its call again.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::deferred::DeferredToolRequests;

/// More than people leave open at once; the oldest question goes.
const MOST: usize = 1_000;
/// More bytes of arguments than all of them have together; here, too, the oldest go.
const MOST_BYTES: usize = 16 << 20;
/// How long a question stands.
const LIFETIME: Duration = Duration::from_mins(15);

/// The questions that are open, whatever session they were asked in: a client without sessions has one per request.
///
/// They are kept here, and the client has a handle that is good for one answer: nothing that it sends says what was
/// asked. The lock is held to look and to put.
#[derive(Default)]
pub(super) struct OpenQuestions {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: u64,
    /// Makes handles that nobody guesses who was not asked.
    keys: RandomState,
    open: VecDeque<Question>,
}

struct Question {
    handle: String,
    requests: DeferredToolRequests,
    bytes: usize,
    since: Instant,
}

impl OpenQuestions {
    /// Keeps what was asked about, and gives the handle that its answer comes with.
    pub(super) fn keep(&self, requests: DeferredToolRequests) -> String {
        let mut state = self.state();
        state.next += 1;
        let [left, right] = [0_u8, 1].map(|half| state.keys.hash_one((half, state.next)));
        let handle = format!("{left:016x}{right:016x}");
        let arguments = requests.iter().map(|call| call.arguments.to_string().len());
        let bytes = arguments.sum();
        state.make_room(bytes);
        state.open.push_back(Question {
            handle: handle.clone(),
            requests,
            bytes,
            since: Instant::now(),
        });
        handle
    }

    /// Takes what was asked about; none where it has been answered, is too old or was never asked.
    pub(super) fn take(&self, handle: &str) -> Option<DeferredToolRequests> {
        let mut state = self.state();
        let open = &mut state.open;
        open.retain(|question| question.since.elapsed() < LIFETIME);
        let position = open.iter().position(|question| question.handle == handle)?;
        open.remove(position).map(|question| question.requests)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn make_room(&mut self, bytes: usize) {
        let mut held: usize = self.open.iter().map(|question| question.bytes).sum();
        while self.open.len() >= MOST || held + bytes > MOST_BYTES {
            let Some(oldest) = self.open.pop_front() else {
                return;
            };
            held -= oldest.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_handle_is_good_for_one_answer_and_for_a_while() {
        let questions = OpenQuestions::default();
        let handle = questions.keep(DeferredToolRequests::default());
        assert!(questions.take("0").is_none());
        assert!(questions.take(&handle).is_some());
        assert!(questions.take(&handle).is_none());

        let handle = questions.keep(DeferredToolRequests::default());
        tokio::time::advance(LIFETIME).await;
        assert!(questions.take(&handle).is_none());
    }

    #[test]
    fn there_is_a_bound_and_the_oldest_question_goes() {
        let questions = OpenQuestions::default();
        let first = questions.keep(DeferredToolRequests::default());
        let last = (0..MOST).map(|_| questions.keep(DeferredToolRequests::default()));
        let last = last.last().unwrap();
        assert!(questions.take(&first).is_none());
        assert!(questions.take(&last).is_some());
    }

    #[test]
    fn large_arguments_take_the_place_of_several_questions() {
        let large = || {
            let text = "x".repeat(MOST_BYTES / 2 - 100);
            let pending = serde_json::json!({
                "id": "c", "name": "t", "arguments": { "text": text }, "arguments_hash": "", "definition_hash": "",
                "requested_name": "t", "requested_hash": "", "position": 0,
            });
            let requests = serde_json::json!({ "approvals": [pending] });
            serde_json::from_value::<DeferredToolRequests>(requests).unwrap()
        };
        let questions = OpenQuestions::default();
        let [first, second, third] = [(); 3].map(|()| questions.keep(large()));
        assert!(questions.take(&first).is_none());
        assert!(questions.take(&second).is_some() && questions.take(&third).is_some());
    }
}
