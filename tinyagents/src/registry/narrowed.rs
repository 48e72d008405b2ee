//! Lists of schemas with some of them taken out.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::ToolSchema;

/// Most lists that are kept: those of a few agents under a few middlewares.
const KEPT: usize = 16;

/// The lists that turns asked for last, so that the same ones are not copied for every turn.
#[derive(Debug, Default)]
pub(super) struct NarrowedLists {
    /// The most recent one is the last. Held for as long as it takes to look or to put.
    lists: Mutex<VecDeque<Narrowed>>,
}

#[derive(Debug)]
struct Narrowed {
    whole: Arc<[ToolSchema]>,
    hidden: Vec<usize>,
    rest: Arc<[ToolSchema]>,
}

impl NarrowedLists {
    /// The list without the schemas at these positions, which are sorted.
    pub(super) fn without(&self, whole: &Arc<[ToolSchema]>, hidden: &[usize]) -> Arc<[ToolSchema]> {
        if hidden.is_empty() {
            return Arc::clone(whole);
        }
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lists
            .iter()
            .position(|list| Arc::ptr_eq(&list.whole, whole) && list.hidden == hidden);
        let narrowed = match known.and_then(|position| lists.remove(position)) {
            Some(narrowed) => narrowed,
            None => Narrowed {
                whole: Arc::clone(whole),
                hidden: hidden.to_vec(),
                rest: rest(whole, hidden),
            },
        };
        if lists.len() == KEPT {
            lists.pop_front();
        }
        let rest = Arc::clone(&narrowed.rest);
        lists.push_back(narrowed);
        rest
    }
}

/// A copy without the schemas at these positions, which are sorted.
pub(crate) fn rest(whole: &[ToolSchema], hidden: &[usize]) -> Arc<[ToolSchema]> {
    let positions = whole.iter().enumerate();
    let rest = positions.filter(|(position, _)| hidden.binary_search(position).is_err());
    rest.map(|(_, schema)| schema).cloned().collect()
}
