//! One pass over text that comes in pieces: text for a reader, reasoning, calls.

use super::closers::{Closers, Closing};
use super::line::Line;
use super::opening::{Opening, Spot};
use super::passage::Passage;
use super::retries::Retries;
use super::window::Window;
use crate::dialect::grammar::{Awaited, Found, Machine, Progress, Then};
use crate::dialect::offered::Offered;
use crate::dialect::parsed_text::TextDelta;
use crate::model::ToolCall;

/// Most bytes of one region of markup; a longer one is text. 4 MiB.
pub(super) const MAX_REGION: usize = 4 << 20;

/// The state of the pass. It depends on the text alone, not on its pieces.
pub(super) struct Engine<'a> {
    offered: Offered<'a>,
    window: Window,
    mode: Mode,
    line: Line,
    /// Calls that count only if nothing but more of them follows, and where they end.
    held: Option<Held>,
    /// Markup that may still follow the last call.
    closers: Closers,
    /// No text yet but white space.
    is_first: bool,
    has_reasoned: bool,
    retries: Retries,
}

enum Mode {
    Text,
    Region {
        start: usize,
        machine: Box<dyn Machine>,
        awaited: Awaited,
    },
    Passage(Passage),
}

struct Held {
    calls: Vec<ToolCall>,
    start: usize,
    end: usize,
}

impl Held {
    /// No more is held than one region may have.
    fn is_too_long(&self) -> bool {
        self.end - self.start >= MAX_REGION
    }
}

/// Whether the pass can go on.
#[derive(PartialEq, Eq)]
enum Step {
    On,
    /// There is no more text, or not enough to tell.
    Wait,
}

impl<'a> Engine<'a> {
    pub(super) fn new(offered: Offered<'a>) -> Self {
        Self {
            offered,
            window: Window::default(),
            mode: Mode::Text,
            line: Line::default(),
            held: None,
            closers: Closers::default(),
            is_first: true,
            has_reasoned: false,
            retries: Retries::default(),
        }
    }

    /// Takes more text.
    pub(super) fn push(&mut self, text: &str) -> TextDelta {
        let mut delta = TextDelta::default();
        let is_all_out = self.window.at() == self.window.end();
        self.window.push(text);
        if is_all_out && self.is_in_plain_text() && !text.bytes().any(is_special) {
            self.window.hand_out(self.window.end(), &mut delta.text);
        } else if !self.is_waiting(text) {
            self.run(&mut delta, false);
        }
        self.forget();
        delta
    }

    /// Takes the end of the text.
    pub(super) fn finish(&mut self) -> TextDelta {
        let mut delta = TextDelta::default();
        self.run(&mut delta, true);
        if let Some(held) = self.held.take() {
            delta.calls.extend(held.calls);
            self.window.skip_to(self.window.end());
        }
        delta
    }

    /// What ends what is open, on a line of its own.
    pub(super) fn closer(&self) -> Option<String> {
        match self.mode {
            Mode::Passage(passage) => passage.closer().map(str::to_owned),
            _ => self.line.fence_closer(),
        }
    }

    /// Whether bytes that aren't special are text and change nothing.
    fn is_in_plain_text(&self) -> bool {
        self.line.is_plain()
            && self.held.is_none()
            && self.closers.is_empty()
            && matches!(self.mode, Mode::Text)
    }

    /// Whether the region goes on without more than this text.
    fn is_waiting(&self, more: &str) -> bool {
        let Mode::Region { start, awaited, .. } = self.mode else {
            return false;
        };
        let length = self.window.end() - start;
        !awaited.has_come(more, length) && length < MAX_REGION
    }

    fn run(&mut self, delta: &mut TextDelta, is_end: bool) {
        loop {
            let step = match &mut self.mode {
                Mode::Text => self.text(delta, is_end),
                Mode::Region { .. } => self.region(delta, is_end),
                Mode::Passage(passage) => {
                    let passage = *passage;
                    self.passage(delta, passage, is_end)
                }
            };
            if step == Step::Wait {
                return;
            }
        }
    }

    /// Text, up to where a region begins.
    fn text(&mut self, delta: &mut TextDelta, is_end: bool) -> Step {
        let mut at = self.held.as_ref().map_or(self.window.at(), |held| held.end);
        loop {
            if self.is_in_plain_text() {
                let bytes = &self.window.text().as_bytes()[at..];
                at += bytes
                    .iter()
                    .position(|&byte| is_special(byte))
                    .unwrap_or(bytes.len());
            }
            let Some(&byte) = self.window.text().as_bytes().get(at) else {
                self.show(delta, at);
                return Step::Wait;
            };
            let is_space = byte.is_ascii_whitespace();
            if self.held.is_none() {
                self.line.settle(byte);
            }
            if !is_space && !self.closers.is_empty() {
                match self.closers.at(&self.window.text()[at..], is_end) {
                    Closing::No => self.closers = Closers::default(),
                    Closing::Maybe => {
                        self.show(delta, at);
                        return Step::Wait;
                    }
                    Closing::Yes(length) => {
                        self.show(delta, at);
                        at += length;
                        self.window.skip_to(at);
                        continue;
                    }
                }
            }
            if !is_space && self.retries.allow(at) {
                match self.opening(at, byte, is_end) {
                    Opening::No => {}
                    Opening::Maybe => {
                        self.show(delta, at);
                        return Step::Wait;
                    }
                    Opening::Region(machine) => {
                        self.show(delta, at);
                        self.mode = Mode::Region {
                            start: at,
                            machine,
                            awaited: Awaited::Anything,
                        };
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
                if held.is_too_long() {
                    self.release(at + 1);
                    return Step::On;
                }
            } else {
                self.line.pass(byte);
                self.is_first &= is_space;
            }
            at += 1;
        }
    }

    /// Whether a region begins at this place.
    fn opening(&self, at: usize, byte: u8, is_end: bool) -> Opening {
        let is_held = self.held.is_some();
        if !is_held && !self.line.is_open() {
            return Opening::No;
        }
        let spot = Spot {
            text: self.window.text(),
            at,
            is_line_start: is_held || self.line.is_blank(),
            is_first: self.is_first && !is_held,
            is_in_code: !is_held && self.line.is_in_code(),
            offered: &self.offered,
        };
        spot.opening(byte, is_end)
    }

    /// The region goes on.
    fn region(&mut self, delta: &mut TextDelta, is_end: bool) -> Step {
        let Mode::Region {
            start,
            machine,
            awaited,
        } = &mut self.mode
        else {
            return Step::On;
        };
        let start = *start;
        let rest = &self.window.text()[start..];
        let is_full = rest.len() >= MAX_REGION;
        let region = if is_full {
            &rest[..rest.floor_char_boundary(MAX_REGION)]
        } else {
            rest
        };
        match machine.advance(region, is_end && !is_full, &self.offered) {
            Progress::More if is_full || is_end => {
                let looked_at = region.len();
                self.broken(start, looked_at);
            }
            Progress::More => {
                *awaited = machine.awaits();
                return Step::Wait;
            }
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
        } else {
            self.retries.add(start, looked_at);
        }
    }

    fn found(&mut self, delta: &mut TextDelta, start: usize, found: Found, is_tentative: bool) {
        self.mode = Mode::Text;
        let end = start + found.end;
        if is_tentative {
            let held = self.held.get_or_insert_with(|| Held {
                calls: Vec::new(),
                start,
                end,
            });
            held.calls.extend(found.calls);
            held.end = end;
            if held.is_too_long() {
                self.release(end);
            }
            return;
        }
        if self.held.is_some() {
            self.release(start);
            return;
        }
        self.window.skip_to(end);
        self.closers = Closers(found.closers);
        if delta.calls.is_empty() {
            delta.calls = found.calls;
        } else {
            delta.calls.extend(found.calls);
        }
        match found.then {
            Then::Text => self.line.after_markup(),
            Then::Reasoning(closers) => {
                self.has_reasoned = true;
                self.mode = Mode::Passage(Passage::reasoning(closers));
            }
            Then::Verbatim(closers) => self.mode = Mode::Passage(Passage::verbatim(closers)),
            Then::Quotation(closers) => self.mode = Mode::Passage(Passage::quotation(closers)),
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
        self.retries.close_until(until);
    }

    /// The passage goes on.
    fn passage(&mut self, delta: &mut TextDelta, passage: Passage, is_end: bool) -> Step {
        let Some(before) = passage.read(&mut self.window, delta, is_end) else {
            return Step::Wait;
        };
        self.is_first &= passage.is_reasoning();
        self.mode = Mode::Text;
        self.line = Line::default();
        for byte in before.bytes() {
            self.line.pass(byte);
        }
        Step::On
    }

    /// Hands out text up to a place; what is held stays.
    fn show(&mut self, delta: &mut TextDelta, until: usize) {
        if self.held.is_none() {
            self.window.hand_out(until, &mut delta.text);
        }
    }

    fn forget(&mut self) {
        let gone = self.window.forget();
        if gone == 0 {
            return;
        }
        self.retries.forget(gone);
        if let Mode::Region { start, .. } = &mut self.mode {
            *start -= gone;
        }
        if let Some(held) = &mut self.held {
            held.start -= gone;
            held.end -= gone;
        }
    }
}

/// Bytes that may begin something in the middle of a line.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'<' | b'[' | b'`' | b'~' | b'\n')
}
