//! Arguments as a run of tagged values, as text.

use serde_json::Value;

use super::call;
use super::machine::{Machine, Progress};
use super::scan::{Find, MAX_TOKEN, Next, literal, skip_space, token};
use crate::dialect::offered::Offered;

/// How a run of tagged values is written.
#[derive(Debug)]
pub(super) struct Syntax {
    /// Before the key.
    pub(super) open: &'static str,
    /// What comes after the key, and how the value is introduced: reads the text after `open`.
    pub(super) key: fn(&str) -> KeyRead,
    /// After the value.
    pub(super) close: &'static str,
    /// After the last value.
    pub(super) end: &'static [&'static str],
    /// What may close the whole.
    pub(super) closers: &'static [&'static str],
    /// Whether a call without any value needs its end to be one.
    pub(super) keeps_end: bool,
}

/// What is at the place of a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum KeyRead {
    More,
    No,
    /// The key, how many bytes it took with what is around it, and whether the value is said to be text.
    Key {
        key: String,
        length: usize,
        is_text: Option<bool>,
    },
}

/// Reads tagged values up to the end of the call.
#[derive(Debug)]
pub(super) struct Parameters {
    syntax: &'static Syntax,
    name: String,
    /// Where the arguments begin.
    start: usize,
    at: usize,
    phase: Phase,
    arguments: Vec<(String, Value)>,
    fault: Option<String>,
}

#[derive(Debug)]
enum Phase {
    Between,
    Value {
        key: String,
        start: usize,
        is_text: Option<bool>,
        find: Find,
    },
    /// The end alone is still looked for.
    Damaged(Find),
}

impl Parameters {
    pub(super) fn new(syntax: &'static Syntax, name: &str, start: usize) -> Self {
        Self {
            syntax,
            name: name.to_owned(),
            start,
            at: start,
            phase: Phase::Between,
            arguments: Vec::new(),
            fault: None,
        }
    }

    fn done(&mut self, offered: &Offered<'_>, region: &str, inner: usize, end: usize) -> Progress {
        let raw = &region[self.start..inner];
        let call = match self.fault.take() {
            Some(fault) => call::damaged(offered, String::new(), &self.name, raw, fault),
            None => {
                let arguments = std::mem::take(&mut self.arguments);
                call::untyped(offered, &self.name, arguments, raw)
            }
        };
        Progress::calls(end, vec![call], self.syntax.closers)
    }

    fn damage(&mut self, reason: impl Into<String>) {
        self.fault.get_or_insert(reason.into());
        self.phase = Phase::Damaged(Find::new(self.at));
    }

    /// Whether a closing tag closes the value, judged by what follows it; a value may hold the tag as text.
    fn closes(&self, region: &str, after: usize, is_end: bool) -> Next {
        let at = skip_space(region, after);
        let mut could = at == region.len();
        let followers = std::iter::once(&self.syntax.open)
            .chain(self.syntax.end)
            .chain(self.syntax.closers);
        for follower in followers {
            match literal(region, at, follower) {
                Next::Yes(_) => return Next::Yes(after),
                Next::Maybe => could = true,
                Next::No => {}
            }
        }
        match (could, is_end) {
            (true, true) if at == region.len() => Next::Yes(after),
            (true, false) => Next::Maybe,
            _ => Next::No,
        }
    }

    fn push(&mut self, offered: &Offered<'_>, key: String, text: &str, is_text: Option<bool>) {
        let text = without_layout(text);
        let value = match is_text {
            Some(true) => Value::String(text.to_owned()),
            Some(false) => match crate::dialect::literal::read(text.trim()) {
                Ok(value) => value,
                Err(_) => call::argument(offered, &self.name, &key, text),
            },
            None => call::argument(offered, &self.name, &key, text),
        };
        self.arguments.push((key, value));
    }
}

impl Machine for Parameters {
    fn advance(&mut self, region: &str, is_end: bool, offered: &Offered<'_>) -> Progress {
        loop {
            match &mut self.phase {
                Phase::Between => {
                    self.at = skip_space(region, self.at);
                    let mut could = self.at == region.len();
                    match literal(region, self.at, self.syntax.open) {
                        Next::Yes(after) => {
                            let rest = token(&region[after..]);
                            match (self.syntax.key)(rest) {
                                KeyRead::More if is_end || region.len() - after >= MAX_TOKEN => {
                                    self.damage("a key is not closed");
                                }
                                KeyRead::More => return Progress::More,
                                KeyRead::No => self.damage("a key is not closed"),
                                KeyRead::Key {
                                    key,
                                    length,
                                    is_text,
                                } => {
                                    let start = after + length;
                                    let find = Find::new(start);
                                    self.phase = Phase::Value {
                                        key,
                                        start,
                                        is_text,
                                        find,
                                    };
                                }
                            }
                            continue;
                        }
                        Next::Maybe => could = true,
                        Next::No => {}
                    }
                    let mut ended = None;
                    for end in self.syntax.end {
                        match literal(region, self.at, end) {
                            Next::Yes(after) => ended = Some(after),
                            Next::Maybe => could = true,
                            Next::No => {}
                        }
                    }
                    if let Some(after) = ended {
                        let end = if self.syntax.keeps_end {
                            self.at
                        } else {
                            after
                        };
                        return self.done(offered, region, self.at, end);
                    }
                    if could && !is_end {
                        return Progress::More;
                    }
                    if self.arguments.is_empty() && self.fault.is_none() && !could {
                        return Progress::Broken(region.len().min(self.at + 1));
                    }
                    self.damage("the call is not complete");
                }
                Phase::Value {
                    key,
                    start,
                    is_text,
                    find,
                } => {
                    let Some((place, marker)) =
                        find.advance(region, &[self.syntax.close, self.syntax.open])
                    else {
                        if !is_end {
                            return Progress::More;
                        }
                        let reason = format!("the argument `{key}` is not closed");
                        self.damage(reason);
                        continue;
                    };
                    let (key, start, is_text, after) =
                        (key.clone(), *start, *is_text, place + marker.len());
                    if marker == self.syntax.open {
                        // A value that holds such a tag can't be told from one that isn't closed.
                        if region[..place].ends_with('\n') {
                            self.damage(format!("the argument `{key}` is not closed"));
                        } else {
                            *find = Find::new(after);
                        }
                        continue;
                    }
                    match self.closes(region, after, is_end) {
                        Next::Yes(_) => {
                            self.push(offered, key, &region[start..place], is_text);
                            self.at = after;
                            self.phase = Phase::Between;
                        }
                        Next::Maybe => return Progress::More,
                        Next::No => {
                            if let Phase::Value { find, .. } = &mut self.phase {
                                *find = Find::new(after);
                            }
                        }
                    }
                }
                Phase::Damaged(find) => {
                    let Some((place, marker)) = find.advance(region, self.syntax.end) else {
                        if is_end {
                            return self.done(offered, region, region.len(), region.len());
                        }
                        return Progress::More;
                    };
                    let end = if self.syntax.keeps_end {
                        place
                    } else {
                        place + marker.len()
                    };
                    return self.done(offered, region, place, end);
                }
            }
        }
    }
}

/// The value without the line break on either side that belongs to the layout.
pub(super) fn without_layout(text: &str) -> &str {
    let text = text.strip_prefix('\n').unwrap_or(text);
    text.strip_suffix('\n').unwrap_or(text)
}

/// Reads `KEY` up to `close`; a key is one line and holds no markup.
pub(super) fn plain_key(rest: &str, close: &str) -> KeyRead {
    match rest.find(['<', '>', '\n']) {
        None => KeyRead::More,
        Some(end) => match literal(rest, end, close) {
            Next::Maybe => KeyRead::More,
            Next::Yes(length) if !rest[..end].trim().is_empty() => KeyRead::Key {
                key: rest[..end].trim().to_owned(),
                length,
                is_text: None,
            },
            _ => KeyRead::No,
        },
    }
}
