//! Arguments as a run of tagged values, as text.

use serde_json::Value;

use super::call;
use super::find::Find;
use super::machine::{Awaited, Machine, Progress};
use super::scan::{MAX_TOKEN, Next, literal, skip_space, token};
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
    arguments: Vec<Argument>,
    fault: Option<String>,
}

/// A value as it is written.
#[derive(Debug)]
struct Argument {
    key: String,
    text: String,
    is_text: Option<bool>,
}

#[derive(Debug)]
enum Phase {
    Between,
    Value(Open),
    /// The end alone is still looked for.
    Damaged(Find),
}

/// A value whose end is looked for.
#[derive(Debug)]
struct Open {
    key: String,
    is_text: Option<bool>,
    start: usize,
    /// Keys that were opened since, and not closed, itself included.
    depth: usize,
    find: Find,
    /// How far white space after a closing tag was passed.
    passed: usize,
    /// What comes after it can't be told before the region has this length; 0 where no closing tag is there.
    least: usize,
}

/// What follows a closing tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follower {
    Key,
    End,
    Text,
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
        let call = if let Some(fault) = self.fault.take() {
            call::damaged(offered, String::new(), &self.name, raw, fault)
        } else {
            let arguments = self.read(offered);
            call::untyped(offered, &self.name, arguments, raw)
        };
        Progress::calls(end, vec![call], self.syntax.closers)
    }

    fn damage(&mut self, reason: impl Into<String>) {
        self.fault.get_or_insert(reason.into());
        self.phase = Phase::Damaged(Find::new(self.at));
    }

    /// Whether a closing tag closes a value, judged by what follows it after white space: a value may hold the tag as
    /// text. It ends at the next key, or as the last value of the call.
    /// Else, the length that the region has at least where it can be told.
    fn follower(&self, region: &str, at: usize, is_end: bool) -> Result<Follower, usize> {
        let mut least = (at == region.len()).then_some(at + 1);
        let mut follows = |text: &str| {
            let next = literal(region, at, text);
            if next == Next::Maybe {
                let end = at + text.len();
                least = Some(least.map_or(end, |least| least.min(end)));
            }
            matches!(next, Next::Yes(_))
        };
        if follows(self.syntax.open) {
            return Ok(Follower::Key);
        }
        let mut ends = self.syntax.end.iter().chain(self.syntax.closers);
        if ends.any(|end| follows(end)) {
            return Ok(Follower::End);
        }
        match least {
            Some(least) if !is_end => Err(least),
            Some(_) if at == region.len() => Ok(Follower::End),
            _ => Ok(Follower::Text),
        }
    }

    /// What the texts stand for; all of them say which alternative of the schema is meant.
    fn read(&mut self, offered: &Offered<'_>) -> Vec<(String, Value)> {
        let arguments = std::mem::take(&mut self.arguments);
        let written = arguments.iter().map(|one| (&*one.key, &*one.text));
        let meant = call::meant(offered, &self.name, &written);
        let value = |one: &Argument| match one.is_text {
            Some(true) => Value::String(one.text.clone()),
            Some(false) => crate::dialect::literal::read(one.text.trim())
                .unwrap_or_else(|_| meant.read(&one.key, &one.text)),
            None => meant.read(&one.key, &one.text),
        };
        let values: Vec<Value> = arguments.iter().map(value).collect();
        let keys = arguments.into_iter().map(|one| one.key);
        keys.zip(values).collect()
    }
}

impl Parameters {
    /// Before a key or the end. `None` goes on.
    fn between(&mut self, region: &str, is_end: bool, offered: &Offered<'_>) -> Option<Progress> {
        self.at = skip_space(region, self.at);
        let mut could = self.at == region.len();
        match literal(region, self.at, self.syntax.open) {
            Next::Yes(after) => return self.enter(region, after, is_end),
            Next::Maybe => could = true,
            Next::No => {}
        }
        for end in self.syntax.end {
            match literal(region, self.at, end) {
                Next::Yes(after) => return Some(self.done(offered, region, self.at, after)),
                Next::Maybe => could = true,
                Next::No => {}
            }
        }
        if could && !is_end {
            return Some(Progress::More);
        }
        if self.arguments.is_empty() && !could {
            return Some(Progress::Broken(region.len().min(self.at + 1)));
        }
        self.damage("the call is not complete");
        None
    }

    /// Reads the key after its opening.
    fn enter(&mut self, region: &str, after: usize, is_end: bool) -> Option<Progress> {
        let rest = token(&region[after..]);
        match (self.syntax.key)(rest) {
            KeyRead::More if !is_end && region.len() - after < MAX_TOKEN => {
                return Some(Progress::More);
            }
            KeyRead::More | KeyRead::No => self.damage("a key is not closed"),
            KeyRead::Key {
                key,
                length,
                is_text,
            } => {
                let start = after + length;
                self.phase = Phase::Value(Open {
                    key,
                    is_text,
                    start,
                    depth: 1,
                    find: Find::new(start),
                    passed: start,
                    least: 0,
                });
            }
        }
        None
    }

    /// Goes on to the end of a value. `None` goes on.
    fn value(&mut self, mut open: Open, region: &str, is_end: bool) -> Option<Progress> {
        let markers = [self.syntax.close, self.syntax.open];
        let Some((place, marker)) = open.find.advance(region, &markers) else {
            if is_end {
                self.damage(format!("the argument `{}` is not closed", open.key));
                return None;
            }
            self.phase = Phase::Value(open);
            return Some(Progress::More);
        };
        let after = place + marker.len();
        if marker == self.syntax.open {
            open.depth += 1;
        } else {
            open.passed = skip_space(region, open.passed.max(after));
            let follower = match self.follower(region, open.passed, is_end) {
                Ok(follower) => follower,
                Err(least) => {
                    open.least = least;
                    self.phase = Phase::Value(open);
                    return Some(Progress::More);
                }
            };
            let closes = open.depth == 1 && follower != Follower::Text;
            if closes {
                self.arguments.push(Argument {
                    text: without_layout(&region[open.start..place]).to_owned(),
                    key: open.key,
                    is_text: open.is_text,
                });
                self.at = after;
                self.phase = Phase::Between;
                return None;
            }
            // More keys were opened than closed: which value isn't closed, or is text of another, can't be told.
            if follower == Follower::End {
                self.damage(format!("the argument `{}` is not closed", open.key));
                return None;
            }
            open.depth = open.depth.saturating_sub(1).max(1);
        }
        open.find = Find::new(after);
        open.least = 0;
        self.phase = Phase::Value(open);
        None
    }
}

impl Machine for Parameters {
    fn advance(&mut self, region: &str, is_end: bool, offered: &Offered<'_>) -> Progress {
        loop {
            let step = match std::mem::replace(&mut self.phase, Phase::Between) {
                Phase::Between => self.between(region, is_end, offered),
                Phase::Value(open) => self.value(open, region, is_end),
                Phase::Damaged(mut find) => match find.advance(region, self.syntax.end) {
                    Some((place, marker)) => {
                        Some(self.done(offered, region, place, place + marker.len()))
                    }
                    None if is_end => Some(self.done(offered, region, region.len(), region.len())),
                    None => {
                        self.phase = Phase::Damaged(find);
                        Some(Progress::More)
                    }
                },
            };
            if let Some(progress) = step {
                return progress;
            }
        }
    }

    fn awaits(&self) -> Awaited {
        match &self.phase {
            Phase::Between => Awaited::Anything,
            Phase::Value(open) if open.least > 0 => Awaited::Length(open.least),
            Phase::Value(open) => open.find.awaits(&[self.syntax.close, self.syntax.open]),
            Phase::Damaged(find) => find.awaits(self.syntax.end),
        }
    }
}

/// The value without the line break on either side that belongs to the layout. One of two characters is that only where
/// the value begins with it too.
pub(super) fn without_layout(text: &str) -> &str {
    let ending = if text.starts_with("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let text = text.strip_prefix(ending).unwrap_or(text);
    text.strip_suffix(ending).unwrap_or(text)
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
