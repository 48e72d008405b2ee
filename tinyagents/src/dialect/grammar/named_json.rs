//! A name in a header, and the arguments as a JSON object after it.

use super::balance::{Balance, Scan};
use super::call;
use super::find::Find;
use super::machine::{Awaited, Machine, Progress};
use super::scan::{MAX_TOKEN, first, skip_space, token};
use crate::dialect::literal;
use crate::dialect::offered::Offered;

/// What a header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) id: String,
    pub(super) name: String,
    /// Where the arguments are to begin, white space aside.
    pub(super) end: usize,
}

/// What is at the place of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HeaderRead {
    /// Not all of it yet.
    More,
    No,
    Header(Header),
}

/// Reads a header, then the arguments.
pub(super) struct NamedJson {
    header: Box<dyn Fn(&str) -> HeaderRead + Send>,
    closers: &'static [&'static str],
    /// Without arguments the call has none, where its end says so.
    may_be_empty: bool,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    Header,
    Before(Header, usize),
    Arguments {
        header: Header,
        start: usize,
        balance: Balance,
    },
    Damaged {
        header: Header,
        start: usize,
        find: Find,
    },
}

impl NamedJson {
    pub(super) fn new(
        header: impl Fn(&str) -> HeaderRead + Send + 'static,
        closers: &'static [&'static str],
    ) -> Self {
        Self {
            header: Box::new(header),
            closers,
            may_be_empty: false,
            phase: Phase::Header,
        }
    }

    pub(super) fn with_empty_body(mut self) -> Self {
        self.may_be_empty = true;
        self
    }

    fn done(&self, offered: &Offered<'_>, header: &Header, raw: &str, end: usize) -> Progress {
        let (id, name) = (header.id.clone(), header.name.as_str());
        let call = match literal::read(raw) {
            _ if raw.trim().is_empty() => call::typed(offered, id, name, None),
            Ok(arguments) => call::typed(offered, id, name, Some(arguments)),
            Err(reason) => call::damaged(offered, id, name, raw, reason),
        };
        Progress::calls(end, vec![call], self.closers)
    }
}

impl Machine for NamedJson {
    fn advance(&mut self, region: &str, is_end: bool, offered: &Offered<'_>) -> Progress {
        loop {
            match &mut self.phase {
                Phase::Header => match (self.header)(token(region)) {
                    HeaderRead::More if is_end || region.len() >= MAX_TOKEN => {
                        return Progress::Broken(token(region).len());
                    }
                    HeaderRead::More => return Progress::More,
                    HeaderRead::No => return Progress::Broken(1),
                    HeaderRead::Header(header) => {
                        let end = header.end;
                        self.phase = Phase::Before(header, end);
                    }
                },
                Phase::Before(header, at) => {
                    let start = skip_space(region, *at);
                    *at = start;
                    if region[start..].starts_with('{') {
                        self.phase = Phase::Arguments {
                            header: header.clone(),
                            start,
                            balance: Balance::new(start),
                        };
                        continue;
                    }
                    let rest = &region[start..];
                    let could_close = self.closers.iter().any(|closer| closer.starts_with(rest));
                    if (could_close || rest.is_empty()) && !is_end {
                        return Progress::More;
                    }
                    let is_closed = self.closers.iter().any(|closer| rest.starts_with(closer));
                    if self.may_be_empty && (is_closed || rest.is_empty()) {
                        let header = header.clone();
                        return self.done(offered, &header, "", start);
                    }
                    return Progress::Broken(region.len().min(start + 1));
                }
                Phase::Arguments {
                    header,
                    start,
                    balance,
                } => {
                    let start = *start;
                    let header = header.clone();
                    match balance.advance(region, is_end) {
                        Scan::More => return Progress::More,
                        Scan::End(end) => {
                            return self.done(offered, &header, &region[start..end], end);
                        }
                        Scan::Broken(_) => {
                            let find = Find::new(start);
                            self.phase = Phase::Damaged {
                                header,
                                start,
                                find,
                            };
                        }
                    }
                }
                Phase::Damaged {
                    header,
                    start,
                    find,
                } => {
                    let end = match find.advance(region, first(self.closers)) {
                        Some((place, _)) => place,
                        None if is_end => region.len(),
                        None => return Progress::More,
                    };
                    let raw = &region[*start..end];
                    let reason = "the arguments are not complete JSON";
                    let id = header.id.clone();
                    let call = call::damaged(offered, id, &header.name, raw, reason);
                    return Progress::calls(end, vec![call], self.closers);
                }
            }
        }
    }

    fn awaits(&self) -> Awaited {
        match &self.phase {
            Phase::Header | Phase::Before(..) => Awaited::Anything,
            Phase::Arguments { balance, .. } => balance.awaits(),
            Phase::Damaged { find, .. } => find.awaits(first(self.closers)),
        }
    }
}

/// The run of characters that tool names are made of, and where it ends; `None` while it may go on.
pub(super) fn name(rest: &str) -> Option<&str> {
    let end = rest.find(|next: char| !is_name(next))?;
    Some(&rest[..end])
}

/// Whether a tool's name may have this character.
pub(super) fn is_name(next: char) -> bool {
    next.is_alphanumeric() || matches!(next, '_' | '-' | '.')
}
