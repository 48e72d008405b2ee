//! What a grammar is to the scanner: a reader of one region of text that can be stopped anywhere.

use crate::dialect::offered::Offered;
use crate::model::ToolCall;

/// Reads one region, from its opening marker on.
///
/// It is asked again whenever there is more text, always with the region from its start, and keeps its own place in it, so
/// that no byte is looked at twice. What it answers depends on the text alone, not on how it came in pieces.
pub(in crate::dialect) trait Machine: Send {
    /// Reads on. With `is_end` there is no further text, and [`Progress::More`] is no answer.
    fn advance(&mut self, region: &str, is_end: bool, offered: &Offered<'_>) -> Progress;

    /// What it waits for after [`Progress::More`]: further text without it changes nothing.
    fn awaits(&self) -> Awaited {
        Awaited::Anything
    }

    /// Whether what it found counts only if nothing but further such calls follow.
    fn is_tentative(&self) -> bool {
        false
    }
}

/// What a grammar waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::dialect) enum Awaited {
    #[default]
    Anything,
    /// One of these bytes.
    Either(u8, u8),
    /// A region of this length, whatever comes.
    Length(usize),
}

impl Awaited {
    /// Whether it may have come with this text, at the end of a region of this length.
    pub(in crate::dialect) fn has_come(self, text: &str, length: usize) -> bool {
        match self {
            Self::Anything => true,
            Self::Either(one, other) => text.bytes().any(|byte| byte == one || byte == other),
            Self::Length(awaited) => length >= awaited,
        }
    }

    /// The same, told from so many bytes earlier.
    pub(super) fn after(self, bytes: usize) -> Self {
        match self {
            Self::Length(awaited) => Self::Length(bytes + awaited),
            other => other,
        }
    }
}

/// How far a grammar has come.
#[derive(Debug)]
pub(in crate::dialect) enum Progress {
    /// It may yet be a call.
    More,
    /// It is none; this many bytes had to be looked at to know.
    Broken(usize),
    Done(Found),
}

/// A region that is markup.
#[derive(Debug, Default)]
pub(in crate::dialect) struct Found {
    /// Its length in bytes.
    pub(in crate::dialect) end: usize,
    pub(in crate::dialect) calls: Vec<ToolCall>,
    /// Markup that may close it, after white space: swallowed where it comes, not needed.
    pub(in crate::dialect) closers: &'static [&'static str],
    /// How the text after it is read.
    pub(in crate::dialect) then: Then,
}

/// How the text after a region is read.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::dialect) enum Then {
    /// As text.
    #[default]
    Text,
    /// As reasoning, up to one of these.
    Reasoning(&'static [&'static str]),
    /// As text in which nothing is a call, up to and including one of these.
    Verbatim(&'static [&'static str]),
    /// The same; the line goes on after it.
    Quotation(&'static [&'static str]),
    /// As text; all that came before was reasoning.
    Restart,
}

impl Progress {
    /// Markup without a call.
    pub(super) fn markup(end: usize, then: Then) -> Self {
        Self::Done(Found {
            end,
            then,
            ..Found::default()
        })
    }

    /// Calls, and what may close them.
    pub(super) fn calls(
        end: usize,
        calls: Vec<ToolCall>,
        closers: &'static [&'static str],
    ) -> Self {
        Self::Done(Found {
            end,
            calls,
            closers,
            then: Then::Text,
        })
    }
}

/// Where an opening marker counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect) enum Place {
    Anywhere,
    /// After nothing but white space on its line.
    LineStart,
}

/// A marker that opens a region.
#[derive(Clone, Copy, Debug)]
pub(in crate::dialect) struct Opener {
    pub(in crate::dialect) marker: &'static str,
    pub(in crate::dialect) place: Place,
    pub(in crate::dialect) begin: fn() -> Box<dyn Machine>,
}

impl Opener {
    pub(super) const fn new(marker: &'static str, begin: fn() -> Box<dyn Machine>) -> Self {
        Self {
            marker,
            place: Place::Anywhere,
            begin,
        }
    }

    pub(super) const fn at_line_start(self) -> Self {
        Self {
            place: Place::LineStart,
            ..self
        }
    }
}
