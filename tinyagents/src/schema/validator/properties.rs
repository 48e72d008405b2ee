//! The names that a schema gives to the properties of an object, and how one is found.

use super::{
    key::{Ends, Key},
    node::NodeId,
    plain::Plain,
};

/// Up to so many names, comparing with each is faster than a binary search.
const FEW: usize = 12;

/// A name in `properties` or `required`.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) key: Key,
    /// `None` when the name is only in `required`.
    pub(super) node: Option<NodeId>,
    pub(super) required: bool,
    /// [`Node::plain`](super::node::Node::plain) of the node, kept here to save the look.
    pub(super) plain: Plain,
}

impl Property {
    pub(super) fn name(&self) -> &str {
        self.key.as_str()
    }
}

/// The names that an object schema knows, in its own order.
#[derive(Debug)]
pub(super) struct PropertyTable {
    listed: Box<[Property]>,
    /// Positions in `listed` by name; empty when they are few.
    sorted: Box<[usize]>,
    required: usize,
}

impl PropertyTable {
    /// Names must be distinct.
    pub(super) fn new(listed: Vec<Property>) -> Self {
        let mut sorted: Vec<usize> = if listed.len() <= FEW {
            Vec::new()
        } else {
            (0..listed.len()).collect()
        };
        sorted.sort_unstable_by(|left, right| {
            let name = listed[*right].name();
            listed[*left].key.order(Ends::of(name), name)
        });
        Self {
            required: listed.iter().filter(|property| property.required).count(),
            listed: listed.into_boxed_slice(),
            sorted: sorted.into_boxed_slice(),
        }
    }

    pub(super) fn listed(&self) -> &[Property] {
        &self.listed
    }

    pub(super) fn listed_mut(&mut self) -> &mut [Property] {
        &mut self.listed
    }

    /// How many names are required.
    pub(super) fn required(&self) -> usize {
        self.required
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.listed.iter().filter_map(|property| property.node)
    }

    /// Finds a name, and where in the list it is. `likely` is tried first: models tend to send arguments in the order of
    /// the schema, so that the place after the last one found is mostly right.
    #[expect(
        clippy::inline_always,
        reason = "the likely name is nearly always right"
    )]
    #[inline(always)]
    pub(super) fn find(&self, name: &str, likely: usize) -> Option<(usize, &Property)> {
        match self.listed.get(likely) {
            Some(property) if property.key.matches(name) => Some((likely, property)),
            _ => self.search(name),
        }
    }

    #[inline(never)]
    fn search(&self, name: &str) -> Option<(usize, &Property)> {
        let ends = Ends::of(name);
        let place = if self.sorted.is_empty() {
            self.listed
                .iter()
                .position(|property| property.key.is(ends, name))?
        } else {
            let found = self
                .sorted
                .binary_search_by(|place| self.listed[*place].key.order(ends, name));
            self.sorted[found.ok()?]
        };
        Some((place, &self.listed[place]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(size: usize) -> PropertyTable {
        PropertyTable::new(
            (0..size)
                .map(|n| Property {
                    key: Key::new(&format!("name{n}")),
                    node: None,
                    required: n % 2 == 0,
                    plain: Plain::NONE,
                })
                .collect(),
        )
    }

    #[test]
    fn every_name_is_found_whatever_the_guess() {
        for size in [0, 1, FEW, FEW + 1, 100] {
            let table = table(size);
            assert_eq!(table.required(), size.div_ceil(2));
            for place in 0..size {
                for likely in [0, place, size, usize::MAX] {
                    let found = table.find(&format!("name{place}"), likely);
                    assert_eq!(found.map(|(at, _)| at), Some(place));
                }
            }
            assert!(table.find("other", 0).is_none());
        }
    }
}
