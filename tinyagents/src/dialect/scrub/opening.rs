//! Whether a region begins at a place.

use super::markers::{self, Marked};
use crate::dialect::grammar::{
    Machine, Next, Place, THINK_END, begin_bare, begin_comment, begin_quotation, begin_tag,
    is_tag_name, starts_quotation,
};
use crate::dialect::offered::Offered;

/// A place in text.
pub(super) struct Spot<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    /// After nothing but white space on its line.
    pub(super) is_line_start: bool,
    /// After nothing but white space in the message.
    pub(super) is_first: bool,
    /// On a line that Markdown shows as code, since it is indented.
    pub(super) is_in_code: bool,
    pub(super) offered: &'a Offered<'a>,
}

/// Whether a region begins at a place.
pub(super) enum Opening {
    No,
    Maybe,
    Region(Box<dyn Machine>),
}

impl Spot<'_> {
    /// What begins here, at this byte. With `is_end` there is no further text, and [`Opening::Maybe`] is no answer.
    pub(super) fn opening(&self, byte: u8, is_end: bool) -> Opening {
        if !(markers::is_trigger(byte) || self.is_line_start)
            || !self.text.is_char_boundary(self.at)
        {
            return Opening::No;
        }
        match self.unquoted(byte, is_end) {
            Opening::No => Opening::No,
            _ if self.follows_opening_quote() => Opening::No,
            opening => opening,
        }
    }

    /// What begins here, if no quotation does.
    fn unquoted(&self, byte: u8, is_end: bool) -> Opening {
        let rest = &self.text[self.at..];
        // Reasoning may end with such a line; nothing else of it is markup.
        if self.is_in_code && !rest.starts_with(THINK_END) {
            let could = !is_end && THINK_END.starts_with(rest);
            return if could { Opening::Maybe } else { Opening::No };
        }
        let mut could = false;
        match markers::find(rest) {
            Marked::Opener(opener) => {
                if opener.place == Place::Anywhere || self.is_line_start {
                    return Opening::Region((opener.begin)());
                }
            }
            Marked::Maybe => could = !is_end,
            Marked::No => {}
        }
        if byte == b'<' {
            match self.tag(&rest[1..], could) {
                Opening::Maybe => could = !is_end,
                Opening::Region(machine) => return Opening::Region(machine),
                Opening::No => {}
            }
            match begin_comment(rest, self.is_line_start) {
                Ok(machine) => return Opening::Region(machine),
                Err(Next::Maybe) => could = !is_end,
                Err(_) => {}
            }
        }
        if could {
            return Opening::Maybe;
        }
        self.is_line_start
            .then(|| begin_bare(byte, self.is_first, self.offered))
            .flatten()
            .map_or(Opening::No, Opening::Region)
    }

    /// Whether the tag of an offered tool begins here, or one that quotes; from its name on. `could` if more text is waited for anyway.
    fn tag(&self, name: &str, could: bool) -> Opening {
        match name.find(|next: char| !is_tag_name(next)) {
            None if could || self.offered.starts(name) || starts_quotation(name) => Opening::Maybe,
            Some(end) if end > 0 && self.offered.exactly(&name[..end]).is_some() => {
                Opening::Region(begin_tag())
            }
            Some(end) => begin_quotation(&name[..end], self.is_line_start)
                .map_or(Opening::No, Opening::Region),
            None => Opening::No,
        }
    }

    /// Whether a quotation opens right before this place: what it holds is talked about.
    fn follows_opening_quote(&self) -> bool {
        let before = &self.text[..self.at];
        let Some(before) = before.strip_suffix(['"', '\'']) else {
            return before.ends_with(['“', '‘', '«', '„']);
        };
        before
            .chars()
            .next_back()
            .is_none_or(|before| before.is_whitespace() || "([{:=,".contains(before))
    }
}
