//! One pass over text that comes in pieces: text for a reader, reasoning, calls.

use super::line::Line;
use super::markers::{self, Marked};
use crate::dialect::grammar::{
    Found, Machine, Place, Progress, Then, begin_bare, begin_tag, is_tag_name, partial,
};
use crate::dialect::offered::Offered;
use crate::dialect::parsed_text::TextDelta;
use crate::model::ToolCall;

/// Most bytes of one region of markup; a longer one is text. 4 MiB.
pub(super) const MAX_REGION: usize = 4 << 20;

/// How often a byte is looked at again for another call after a region turned out to be none.
const MAX_RESCANS: u32 = 8;

/// What is kept before the place, so that a quote before it can be seen.
const KEPT: usize = 8;

/// The state of the pass. It depends on the text alone, not on its pieces.
pub(super) struct Engine<'a> {
    offered: Offered<'a>,
    buffer: String,
    /// All before it is handed out.
    at: usize,
    mode: Mode,
    line: Line,
    /// Calls that count only if nothing but more of them follows, and where they end.
    held: Option<Held>,
    /// Markup that may still follow the last call.
    closers: &'static [&'static str],
    /// No text yet but white space.
    is_first: bool,
    has_reasoned: bool,
    /// Nothing before it opens a region.
    closed_until: usize,
    /// How far regions that were none have been looked at, and how often.
    looked_at: usize,
    rescans: u32,
}

enum Mode {
    Text,
    Region {
        start: usize,
        machine: Box<dyn Machine>,
    },
    Reasoning(&'static [&'static str]),
    Verbatim(&'static str),
}

struct Held {
    calls: Vec<ToolCall>,
    end: usize,
}

/// Whether the pass can go on.
#[derive(PartialEq, Eq)]
enum Step {
    On,
    /// There is no more text, or not enough to tell.
    Wait,
}

/// Whether a region begins at a place.
enum Opening {
    No,
    Maybe,
    Region(Box<dyn Machine>),
}

impl<'a> Engine<'a> {
    pub(super) fn new(offered: Offered<'a>) -> Self {
        Self {
            offered,
            buffer: String::new(),
            at: 0,
            mode: Mode::Text,
            line: Line::default(),
            held: None,
            closers: &[],
            is_first: true,
            has_reasoned: false,
            closed_until: 0,
            looked_at: 0,
            rescans: 0,
        }
    }

    /// Takes more text.
    pub(super) fn push(&mut self, text: &str) -> TextDelta {
        self.buffer.push_str(text);
        let mut delta = TextDelta::default();
        self.run(&mut delta, false);
        self.forget();
        delta
    }

    /// Takes the end of the text.
    pub(super) fn finish(&mut self) -> TextDelta {
        let mut delta = TextDelta::default();
        self.run(&mut delta, true);
        if let Some(held) = self.held.take() {
            delta.calls.extend(held.calls);
            self.at = self.buffer.len();
        }
        delta
    }

    fn run(&mut self, delta: &mut TextDelta, is_end: bool) {
        loop {
            let step = match &mut self.mode {
                Mode::Text => self.text(delta, is_end),
                Mode::Region { .. } => self.region(delta, is_end),
                Mode::Reasoning(closers) => {
                    let closers = *closers;
                    self.passage(delta, closers, is_end)
                }
                Mode::Verbatim(closer) => {
                    let closer = *closer;
                    self.verbatim(delta, closer, is_end)
                }
            };
            if step == Step::Wait {
                return;
            }
        }
    }

    /// Text, up to where a region begins.
    fn text(&mut self, delta: &mut TextDelta, is_end: bool) -> Step {
        let mut at = self.held.as_ref().map_or(self.at, |held| held.end);
        loop {
            if self.line.is_plain() && self.held.is_none() && self.closers.is_empty() {
                let bytes = &self.buffer.as_bytes()[at..];
                at += bytes
                    .iter()
                    .position(|&byte| is_special(byte))
                    .unwrap_or(bytes.len());
            }
            let Some(&byte) = self.buffer.as_bytes().get(at) else {
                self.show(delta, at);
                return Step::Wait;
            };
            let is_space = byte.is_ascii_whitespace();
            if self.held.is_none() {
                self.line.settle(byte);
            }
            if !is_space && !self.closers.is_empty() {
                match self.closer(at, is_end) {
                    Some(0) => {
                        self.show(delta, at);
                        return Step::Wait;
                    }
                    Some(length) => {
                        self.show(delta, at);
                        at += length;
                        self.at = at;
                        continue;
                    }
                    None => self.closers = &[],
                }
            }
            if !is_space && at >= self.closed_until {
                match self.opening(at, byte, is_end) {
                    Opening::No => {}
                    Opening::Maybe => {
                        self.show(delta, at);
                        return Step::Wait;
                    }
                    Opening::Region(machine) => {
                        self.show(delta, at);
                        self.mode = Mode::Region { start: at, machine };
                        return Step::On;
                    }
                }
            }
            if !is_space && self.held.is_some() {
                self.release(at);
                return Step::On;
            }
            if let Some(held) = &mut self.held {
                // White space alone; it isn't looked at again.
                held.end = at + 1;
            } else {
                self.line.pass(byte);
                self.is_first &= is_space;
            }
            at += 1;
        }
    }

    /// Markup of the last call at this place: its length, 0 while that isn't known.
    fn closer(&self, at: usize, is_end: bool) -> Option<usize> {
        let rest = &self.buffer[at..];
        let whole = self
            .closers
            .iter()
            .find(|closer| rest.starts_with(**closer));
        if let Some(closer) = whole {
            return Some(closer.len());
        }
        let could = !is_end && self.closers.iter().any(|closer| closer.starts_with(rest));
        could.then_some(0)
    }

    /// Whether a region begins at this place.
    fn opening(&self, at: usize, byte: u8, is_end: bool) -> Opening {
        let is_line_start = self.held.is_some() || self.line.is_blank();
        if !(markers::is_trigger(byte) || is_line_start) || !self.buffer.is_char_boundary(at) {
            return Opening::No;
        }
        if self.held.is_none() && !self.line.is_open() || self.follows_opening_quote(at) {
            return Opening::No;
        }
        let rest = &self.buffer[at..];
        let mut could = false;
        match markers::find(rest) {
            Marked::Opener(opener) => {
                if opener.place == Place::Anywhere || is_line_start {
                    return Opening::Region((opener.begin)());
                }
            }
            Marked::Maybe => could = !is_end,
            Marked::No => {}
        }
        if byte == b'<' {
            match self.tag(rest) {
                Opening::Maybe => could = !is_end,
                Opening::Region(machine) => return Opening::Region(machine),
                Opening::No => {}
            }
        }
        if could {
            return Opening::Maybe;
        }
        let is_first = self.is_first && self.held.is_none();
        let machine = is_line_start.then(|| begin_bare(byte, is_first)).flatten();
        machine.map_or(Opening::No, Opening::Region)
    }

    /// Whether the tag of an offered tool begins here.
    fn tag(&self, rest: &str) -> Opening {
        let name = &rest[1..];
        match name.find(|next: char| !is_tag_name(next)) {
            None if name.is_empty() || self.offered.starts(name) => Opening::Maybe,
            Some(end) if self.offered.exactly(&name[..end]).is_some() => {
                Opening::Region(begin_tag())
            }
            _ => Opening::No,
        }
    }

    /// Whether a quotation opens right before this place: what it holds is talked about.
    fn follows_opening_quote(&self, at: usize) -> bool {
        let before = &self.buffer[..at];
        let Some(before) = before.strip_suffix(['"', '\'']) else {
            return before.ends_with(['“', '‘', '«', '„']);
        };
        before
            .chars()
            .next_back()
            .is_none_or(|before| before.is_whitespace() || "([{:=,".contains(before))
    }

    /// The region goes on.
    fn region(&mut self, delta: &mut TextDelta, is_end: bool) -> Step {
        let Mode::Region { start, machine } = &mut self.mode else {
            return Step::On;
        };
        let start = *start;
        let rest = &self.buffer[start..];
        let is_full = rest.len() >= MAX_REGION;
        let region = &rest[..rest.floor_char_boundary(MAX_REGION)];
        match machine.advance(region, is_end && !is_full, &self.offered) {
            Progress::More if is_full || is_end => self.broken(start, region.len()),
            Progress::More => return Step::Wait,
            Progress::Broken(looked_at) => self.broken(start, looked_at),
            Progress::Done(found) => {
                let is_tentative = machine.is_tentative();
                self.found(delta, start, found, is_tentative);
            }
        }
        Step::On
    }

    fn broken(&mut self, start: usize, looked_at: usize) {
        self.mode = Mode::Text;
        if self.held.is_some() {
            self.release(start);
            return;
        }
        self.rescans = if start < self.looked_at {
            self.rescans + 1
        } else {
            1
        };
        self.looked_at = self.looked_at.max(start + looked_at);
        self.closed_until = if self.rescans > MAX_RESCANS {
            self.looked_at
        } else {
            start + 1
        };
    }

    fn found(&mut self, delta: &mut TextDelta, start: usize, found: Found, is_tentative: bool) {
        self.mode = Mode::Text;
        let end = start + found.end;
        if is_tentative {
            let held = self.held.get_or_insert_with(|| Held {
                calls: Vec::new(),
                end,
            });
            held.calls.extend(found.calls);
            held.end = end;
            return;
        }
        if self.held.is_some() {
            self.release(start);
            return;
        }
        self.at = end;
        self.closers = found.closers;
        delta.calls.extend(found.calls);
        match found.then {
            Then::Text => self.line.after_markup(),
            Then::Reasoning(closers) => {
                self.has_reasoned = true;
                self.mode = Mode::Reasoning(closers);
            }
            Then::Verbatim(closer) => self.mode = Mode::Verbatim(closer),
            Then::Restart => {
                if !std::mem::replace(&mut self.has_reasoned, true) {
                    delta.restart();
                    self.is_first = true;
                }
                self.line = Line::default();
            }
        }
    }

    /// What was held turned out to be text.
    fn release(&mut self, until: usize) {
        self.held = None;
        self.closed_until = until;
    }

    /// Reasoning, up to what closes it.
    fn passage(&mut self, delta: &mut TextDelta, closers: &[&str], is_end: bool) -> Step {
        let rest = &self.buffer[self.at..];
        let found = closers
            .iter()
            .filter_map(|closer| Some((rest.find(closer)?, closer.len())))
            .min();
        if let Some((place, length)) = found {
            delta.reasoning.push_str(&rest[..place]);
            self.at += place + length;
            self.mode = Mode::Text;
            self.line = Line::default();
            return Step::On;
        }
        let kept = if is_end { 0 } else { partial(rest, closers) };
        delta.reasoning.push_str(&rest[..rest.len() - kept]);
        self.at = self.buffer.len() - kept;
        Step::Wait
    }

    /// Text in which nothing is a call, up to and including what closes it.
    fn verbatim(&mut self, delta: &mut TextDelta, closer: &str, is_end: bool) -> Step {
        let rest = &self.buffer[self.at..];
        if let Some(place) = rest.find(closer) {
            let end = self.at + place + closer.len();
            self.mode = Mode::Text;
            self.show(delta, end);
            self.is_first = false;
            self.line = Line::default();
            return Step::On;
        }
        let kept = if is_end { 0 } else { partial(rest, &[closer]) };
        self.show(delta, self.buffer.len() - kept);
        Step::Wait
    }

    /// Hands out text up to a place; what is held stays.
    fn show(&mut self, delta: &mut TextDelta, until: usize) {
        if self.held.is_some() {
            return;
        }
        delta.text.push_str(&self.buffer[self.at..until]);
        self.at = until;
    }

    /// Lets go of what is handed out; each byte is moved a bounded number of times.
    fn forget(&mut self) {
        let gone = self
            .buffer
            .floor_char_boundary(self.at.saturating_sub(KEPT));
        if gone < 4096 || gone < self.buffer.len() / 2 {
            return;
        }
        self.buffer.drain(..gone);
        self.at -= gone;
        self.closed_until = self.closed_until.saturating_sub(gone);
        self.looked_at = self.looked_at.saturating_sub(gone);
        if let Mode::Region { start, .. } = &mut self.mode {
            *start -= gone;
        }
        if let Some(held) = &mut self.held {
            held.end -= gone;
        }
    }
}

/// Bytes that may begin something in the middle of a line.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'<' | b'[' | b'`' | b'~' | b'\n')
}
