//! Calls as expressions: one, a list in brackets, or one a line; `PType`, Python and TypeScript.

use super::balance::{Balance, Scan};
use super::expression;
use super::machine::{Awaited, Machine, Progress};
use super::named_json::is_name;
use super::scan::{MAX_TOKEN, skip_space, token};
use crate::dialect::offered::Offered;
use crate::model::ToolCall;

/// Reads expressions.
#[derive(Debug)]
pub(super) struct CallLine {
    /// Where the next expression, or the bracket before it, is looked for.
    at: usize,
    form: Form,
    phase: Phase,
    calls: Vec<ToolCall>,
    /// Without a marker the first tool must be an offered one.
    is_marked: bool,
    closers: &'static [&'static str],
    is_tentative: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `[f(), g()]`
    List,
    /// `f()`, alone on its line.
    Line,
    /// `f()`, up to whatever follows.
    Marked,
}

#[derive(Debug)]
enum Phase {
    Bracket,
    Name,
    Arguments { start: usize, balance: Balance },
    After,
}

impl CallLine {
    /// A list after a marker of this length.
    pub(super) fn list_after(marker: usize, closers: &'static [&'static str]) -> Self {
        Self {
            at: marker,
            form: Form::List,
            phase: Phase::Bracket,
            calls: Vec::new(),
            is_marked: true,
            closers,
            is_tentative: false,
        }
    }

    /// One call after a marker of this length.
    pub(super) fn after(marker: usize, closers: &'static [&'static str]) -> Self {
        Self {
            form: Form::Marked,
            phase: Phase::Name,
            ..Self::list_after(marker, closers)
        }
    }

    /// A list that nothing but its shape tells.
    pub(super) fn bare_list(is_tentative: bool) -> Self {
        Self {
            is_marked: false,
            is_tentative,
            ..Self::list_after(0, &[])
        }
    }

    /// A call on a line of its own.
    pub(super) fn bare(is_tentative: bool) -> Self {
        Self {
            form: Form::Line,
            phase: Phase::Name,
            ..Self::bare_list(is_tentative)
        }
    }

    fn done(&mut self, end: usize) -> Progress {
        Progress::calls(end, std::mem::take(&mut self.calls), self.closers)
    }

    /// The end of the text inside a call.
    fn cut(&mut self, region: &str, start: usize, offered: &Offered<'_>) -> Progress {
        let text = &region[start..];
        let Some(open) = text.find('(').filter(|_| !self.is_tentative) else {
            return Progress::Broken(region.len());
        };
        let reason = "the call is not complete";
        let name = text[..open].trim();
        let raw = &text[open + 1..];
        let damaged = super::call::damaged(offered, String::new(), name, raw, reason);
        self.calls.push(damaged);
        self.done(region.len())
    }
}

/// What is in the parentheses, if it is words: a title may say `search(query)`, and a sentence "search(es)".
fn words(text: &str) -> Option<&str> {
    let (_, inner) = text.strip_suffix(')')?.split_once('(')?;
    let is_of_word = |next: char| next.is_alphabetic() || matches!(next, ' ' | ',' | '_');
    inner.chars().all(is_of_word).then(|| inner.trim())
}

impl Machine for CallLine {
    fn advance(&mut self, region: &str, is_end: bool, offered: &Offered<'_>) -> Progress {
        loop {
            match &mut self.phase {
                Phase::Bracket => {
                    self.at = skip_space(region, self.at);
                    match region.as_bytes().get(self.at) {
                        Some(b'[') => {
                            self.at += 1;
                            self.phase = Phase::Name;
                        }
                        None if !is_end => return Progress::More,
                        _ => return Progress::Broken(region.len().min(self.at + 1)),
                    }
                }
                Phase::Name => {
                    let start = skip_space(region, self.at);
                    let rest = token(&region[start..]);
                    let Some(length) = rest.find(|next: char| !is_name(next)) else {
                        let goes_on = region.len() - start < MAX_TOKEN
                            && (self.is_marked || !self.calls.is_empty() || offered.begins(rest));
                        if goes_on && !is_end {
                            return Progress::More;
                        }
                        return Progress::Broken(1);
                    };
                    let is_call = length > 0 && rest[length..].starts_with('(');
                    let is_known = self.is_marked
                        || !self.calls.is_empty()
                        || offered.find(&rest[..length]).is_some();
                    if !is_call || !is_known {
                        return Progress::Broken(1);
                    }
                    let balance = Balance::new(start + length);
                    self.phase = Phase::Arguments { start, balance };
                }
                Phase::Arguments { start, balance } => {
                    let start = *start;
                    match balance.advance(region, is_end) {
                        Scan::More => return Progress::More,
                        Scan::Broken(_) if is_end => return self.cut(region, start, offered),
                        Scan::Broken(known) => return Progress::Broken(known),
                        Scan::End(end) => {
                            let text = &region[start..end];
                            let call = expression::read(offered, text);
                            if self.form == Form::Line
                                && call.as_ref().is_some_and(|call| call.invalid.is_some())
                            {
                                match words(text) {
                                    Some("s" | "es") => return Progress::Broken(end),
                                    Some(_) => self.is_tentative = true,
                                    None => {}
                                }
                            }
                            self.calls.extend(call);
                            self.at = end;
                            if self.form == Form::Marked {
                                return self.done(end);
                            }
                            self.phase = Phase::After;
                        }
                    }
                }
                Phase::After if self.form == Form::List => {
                    self.at = skip_space(region, self.at);
                    match region.as_bytes().get(self.at) {
                        Some(b',') => {
                            self.at += 1;
                            self.phase = Phase::Name;
                        }
                        Some(b']') => return self.done(self.at + 1),
                        None if !is_end => return Progress::More,
                        _ => return Progress::Broken(region.len().min(self.at + 1)),
                    }
                }
                Phase::After => {
                    let rest = &region[self.at..];
                    let ignored = rest.trim_start_matches([' ', '\t', ';']).len();
                    let after = region.len() - ignored;
                    self.at = after;
                    match region[after..].chars().next() {
                        None if !is_end => return Progress::More,
                        None | Some('\n' | '\r') => return self.done(after),
                        Some(_) => return Progress::Broken(after + 1),
                    }
                }
            }
        }
    }

    fn awaits(&self) -> Awaited {
        match &self.phase {
            Phase::Arguments { balance, .. } => balance.awaits(),
            _ => Awaited::Anything,
        }
    }

    fn is_tentative(&self) -> bool {
        self.is_tentative
    }
}
