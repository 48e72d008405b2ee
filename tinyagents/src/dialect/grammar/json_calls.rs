//! One or more JSON objects or lists that are calls, after a marker or without one.

use super::balance::{Balance, Scan};
use super::call;
use super::find::Find;
use super::machine::{Awaited, Machine, Progress};
use super::scan::first;
use super::shape::{self, Strictness};
use crate::dialect::offered::Offered;
use crate::model::ToolCall;

/// Reads JSON values, separated by white space, `;` or `,`, for as long as they are calls.
#[derive(Debug)]
pub(super) struct JsonCalls {
    at: usize,
    phase: Phase,
    calls: Vec<ToolCall>,
    /// After the last call.
    end: usize,
    strictness: Strictness,
    closers: &'static [&'static str],
    is_tentative: bool,
}

#[derive(Debug)]
enum Phase {
    Between,
    Value {
        start: usize,
        balance: Balance,
    },
    /// Past help; what closes it is looked for, so that no debris is left.
    Damaged {
        start: usize,
        find: Find,
        known: usize,
    },
}

impl JsonCalls {
    /// Calls after a marker of this length.
    pub(super) fn after(marker: usize, closers: &'static [&'static str]) -> Self {
        Self {
            at: marker,
            phase: Phase::Between,
            calls: Vec::new(),
            end: marker,
            strictness: Strictness::Marked,
            closers,
            is_tentative: false,
        }
    }

    /// Calls that only their shape tells; `is_tentative` where text came before.
    pub(super) fn bare(is_tentative: bool) -> Self {
        Self {
            strictness: Strictness::Bare,
            is_tentative,
            ..Self::after(0, &[])
        }
    }

    /// The end of what was read well; without any, the region is no call.
    fn settled(&mut self, looked_at: usize) -> Progress {
        if self.calls.is_empty() {
            return Progress::Broken(looked_at);
        }
        Progress::calls(self.end, std::mem::take(&mut self.calls), self.closers)
    }

    fn is_marked(&self) -> bool {
        self.strictness == Strictness::Marked
    }
}

impl Machine for JsonCalls {
    fn advance(&mut self, region: &str, is_end: bool, offered: &Offered<'_>) -> Progress {
        loop {
            match &mut self.phase {
                Phase::Between => {
                    let separates = |next: char| {
                        next.is_whitespace() || !self.calls.is_empty() && matches!(next, ';' | ',')
                    };
                    let at = region.len() - region[self.at..].trim_start_matches(separates).len();
                    self.at = at;
                    match region.as_bytes().get(at) {
                        Some(b'{' | b'[') => {
                            let mut balance = Balance::new(at);
                            if !self.is_marked() {
                                balance = balance.with_keys(shape::is_key);
                            }
                            self.phase = Phase::Value { start: at, balance };
                        }
                        Some(_) => return self.settled(at + 1),
                        None if is_end => return self.settled(at),
                        None => return Progress::More,
                    }
                }
                Phase::Value { start, balance } => {
                    let start = *start;
                    match balance.advance(region, is_end) {
                        Scan::More => return Progress::More,
                        Scan::End(end) => {
                            let text = &region[start..end];
                            if !shape::read(offered, text, self.strictness, &mut self.calls) {
                                return self.settled(end);
                            }
                            self.end = end;
                            self.at = end;
                            self.phase = Phase::Between;
                        }
                        Scan::Broken(known) => {
                            let name = call::name_in(&region[start..known]);
                            if !self.is_marked() || name.is_none() {
                                return self.settled(known);
                            }
                            let find = Find::new(start);
                            self.phase = Phase::Damaged { start, find, known };
                        }
                    }
                }
                Phase::Damaged { start, find, known } => {
                    let (start, known) = (*start, *known);
                    let closer = find.advance(region, first(self.closers));
                    let end = match closer {
                        Some((place, _)) => place,
                        None if self.closers.is_empty() => known,
                        None if is_end => region.len(),
                        None => return Progress::More,
                    };
                    let Some(name) = call::name_in(&region[start..known]) else {
                        return self.settled(known);
                    };
                    let reason = "the call is not complete JSON";
                    let raw = &region[start..end];
                    let damaged = call::damaged(offered, String::new(), name, raw, reason);
                    self.calls.push(damaged);
                    self.end = end;
                    return self.settled(end);
                }
            }
        }
    }

    fn awaits(&self) -> Awaited {
        match &self.phase {
            Phase::Between => Awaited::Anything,
            Phase::Value { balance, .. } => balance.awaits(),
            Phase::Damaged { find, .. } => find.awaits(first(self.closers)),
        }
    }

    fn is_tentative(&self) -> bool {
        self.is_tentative
    }
}
