//! How a walk over schema and value keeps within schema × instance.

use std::{collections::HashMap, ptr};

use serde_json::Value;

use super::{
    limits::{MAX_ARGUMENT_VALUES, count_inside},
    node::{Node, NodeId},
};

/// Asked before a node is applied to a value, told of the outcome after.
pub(super) trait Guard {
    /// The outcome, if there is no need to apply the node.
    fn enter(&mut self, _: &Node, _: NodeId, _: &Value) -> Option<bool> {
        None
    }

    fn leave(&mut self, _: &Node, _: NodeId, _: &Value, _: bool) {}

    /// Whether to go into an array or object of so many values.
    fn open(&mut self, _size: usize) -> bool {
        true
    }

    /// Back from the last one opened.
    fn close(&mut self) {}

    /// Whether a value that no node looks into may pass.
    fn skip(&mut self, _: &Value) -> bool {
        true
    }
}

/// Checks the limits for arguments on the way, which is cheaper than beforehand.
///
/// A value that fits has been gone into or skipped as a whole, so that its depth is right. Its size is counted too high
/// where several nodes go into it: then only a proper count can tell.
pub(super) struct Measuring {
    levels: usize,
    values: usize,
}

impl Measuring {
    pub(super) fn new(max_depth: usize) -> Self {
        Self {
            levels: max_depth,
            values: 1,
        }
    }

    pub(super) fn is_uncertain(&self) -> bool {
        self.values > MAX_ARGUMENT_VALUES
    }
}

impl Guard for Measuring {
    #[inline]
    fn open(&mut self, size: usize) -> bool {
        self.values = self.values.saturating_add(size);
        if self.levels == 0 || self.is_uncertain() {
            return false;
        }
        self.levels -= 1;
        true
    }

    #[inline]
    fn close(&mut self) {
        self.levels += 1;
    }

    #[inline]
    fn skip(&mut self, value: &Value) -> bool {
        count_inside(value, self.levels, &mut self.values).is_ok()
    }
}

/// As [`Measuring`], and gives up after a number of steps, counting a step for each value gone into: for schemas that may apply a node to a value many times.
pub(super) struct Counting {
    measuring: Measuring,
    left: usize,
}

impl Counting {
    pub(super) fn new(max_depth: usize, steps: usize) -> Self {
        Self {
            measuring: Measuring::new(max_depth),
            left: steps.saturating_add(1),
        }
    }

    pub(super) fn is_uncertain(&self) -> bool {
        self.left == 0 || self.measuring.is_uncertain()
    }
}

impl Guard for Counting {
    #[inline]
    fn enter(&mut self, _: &Node, _: NodeId, _: &Value) -> Option<bool> {
        self.left = self.left.saturating_sub(1);
        (self.left == 0).then_some(false)
    }

    #[inline]
    fn open(&mut self, size: usize) -> bool {
        self.left = self.left.saturating_sub(size);
        self.left > 0 && self.measuring.open(size)
    }

    #[inline]
    fn close(&mut self) {
        self.measuring.close();
    }

    #[inline]
    fn skip(&mut self, value: &Value) -> bool {
        self.measuring.skip(value)
    }
}

/// For schemas that apply no node to a value twice, once the limits have been checked.
pub(super) struct Unguarded;

impl Guard for Unguarded {}

/// Remembers the outcome of every shared node. The others lie on one way from a shared node, or from the root, and so are
/// applied to a value at most once as well.
#[derive(Default)]
pub(super) struct Memo {
    known: HashMap<(NodeId, usize), bool>,
}

impl Guard for Memo {
    fn enter(&mut self, node: &Node, id: NodeId, value: &Value) -> Option<bool> {
        if !node.shared {
            return None;
        }
        self.known.get(&(id, address(value))).copied()
    }

    fn leave(&mut self, node: &Node, id: NodeId, value: &Value, fits: bool) {
        if node.shared {
            self.known.insert((id, address(value)), fits);
        }
    }
}

/// Identifies a value for as long as it is borrowed.
pub(super) fn address(value: &Value) -> usize {
    ptr::from_ref(value).addr()
}
