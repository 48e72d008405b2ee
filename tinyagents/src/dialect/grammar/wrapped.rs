//! A marker, white space, and a grammar that is chosen by what comes then.

use std::fmt;

use super::machine::{Awaited, Machine, Progress};
use super::scan::{MAX_TOKEN, skip_space, token};
use crate::dialect::offered::Offered;

/// What comes after a marker.
pub(super) enum Choice {
    /// Not enough to tell.
    More,
    No,
    /// Markup without a call, after so many bytes.
    Markup(usize, super::machine::Then),
    /// A grammar for the text after so many bytes.
    Inner(usize, Box<dyn Machine>),
}

type Choose = Box<dyn Fn(&str) -> Choice + Send>;

/// Passes a marker and hands the rest to the grammar that fits.
pub(super) struct Wrapped {
    at: usize,
    choose: Choose,
    inner: Option<Box<dyn Machine>>,
}

impl Wrapped {
    /// `choose` gets the text after a marker of this length and after white space.
    pub(super) fn new(marker: usize, choose: impl Fn(&str) -> Choice + Send + 'static) -> Self {
        Self {
            at: marker,
            choose: Box::new(choose),
            inner: None,
        }
    }
}

impl Machine for Wrapped {
    fn advance(&mut self, region: &str, is_end: bool, offered: &Offered<'_>) -> Progress {
        if self.inner.is_none() {
            self.at = skip_space(region, self.at);
            let rest = token(&region[self.at..]);
            match (self.choose)(rest) {
                Choice::More if is_end || region.len() - self.at >= MAX_TOKEN => {
                    return Progress::Broken(self.at + rest.len());
                }
                Choice::More => return Progress::More,
                Choice::No => return Progress::Broken(region.len().min(self.at + 1)),
                Choice::Markup(length, then) => return Progress::markup(self.at + length, then),
                Choice::Inner(offset, machine) => {
                    self.at += offset;
                    self.inner = Some(machine);
                }
            }
        }
        let Some(inner) = &mut self.inner else {
            return Progress::More;
        };
        match inner.advance(&region[self.at..], is_end, offered) {
            Progress::More => Progress::More,
            Progress::Broken(known) => Progress::Broken(self.at + known),
            Progress::Done(mut found) => {
                found.end += self.at;
                Progress::Done(found)
            }
        }
    }

    fn awaits(&self) -> Awaited {
        self.inner
            .as_ref()
            .map_or(Awaited::Anything, |inner| inner.awaits().after(self.at))
    }

    fn is_tentative(&self) -> bool {
        self.inner
            .as_ref()
            .is_some_and(|inner| inner.is_tentative())
    }
}

impl fmt::Debug for Wrapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wrapped")
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

/// A marker that stands for nothing and is never shown.
pub(super) struct Silent(pub(super) usize);

impl Machine for Silent {
    fn advance(&mut self, _: &str, _: bool, _: &Offered<'_>) -> Progress {
        Progress::markup(self.0, super::machine::Then::Text)
    }
}
