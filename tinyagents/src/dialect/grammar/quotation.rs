//! Quotations in HTML: comments, preformatted text, examples. Nothing in them is a call.

use super::machine::{Machine, Progress, Then};
use super::scan::{MAX_TOKEN, Next, literal, token};
use super::xml_tag::{TagRead, tag};
use crate::dialect::offered::Offered;

/// What ends a quotation that begins at the start of a line, and one in the middle of it: that one ends with its line at
/// the latest, since text may name a tag without quoting anything.
#[derive(Debug)]
struct Ends {
    of_block: &'static [&'static str],
    of_inline: &'static [&'static str],
}

const COMMENT: &str = "<!--";
const COMMENT_ENDS: Ends = Ends {
    of_block: &["-->"],
    of_inline: &["-->", "\n"],
};

/// In the cases that tags are written in: names of HTML are the same in any.
const TAGS: [(&str, Ends); 2] = [
    (
        "pre",
        Ends {
            of_block: &["</pre>", "</PRE>", "</Pre>"],
            of_inline: &["</pre>", "</PRE>", "</Pre>", "\n"],
        },
    ),
    (
        "example",
        Ends {
            of_block: &["</example>", "</EXAMPLE>", "</Example>"],
            of_inline: &["</example>", "</EXAMPLE>", "</Example>", "\n"],
        },
    ),
];

impl Ends {
    fn at(&self, is_line_start: bool) -> Then {
        Then::Quotation(if is_line_start {
            self.of_block
        } else {
            self.of_inline
        })
    }
}

/// Whether the name of a tag that quotes can begin so.
pub(in crate::dialect) fn starts(name: &str) -> bool {
    let begins = |known: &str| {
        let start = known.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    TAGS.iter().any(|(known, _)| begins(known))
}

/// The grammar for a tag of this name, if it quotes.
pub(in crate::dialect) fn begin(name: &str, is_line_start: bool) -> Option<Box<dyn Machine>> {
    let (_, ends) = TAGS
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    let then = ends.at(is_line_start);
    Some(Box::new(Quotation { then, is_tag: true }))
}

/// The grammar for a comment; not known yet where the text ends too early to tell.
pub(in crate::dialect) fn comment(
    rest: &str,
    is_line_start: bool,
) -> Result<Box<dyn Machine>, Next> {
    match literal(rest, 0, COMMENT) {
        Next::Yes(_) => Ok(Box::new(Quotation {
            then: COMMENT_ENDS.at(is_line_start),
            is_tag: false,
        })),
        other => Err(other),
    }
}

#[derive(Debug)]
struct Quotation {
    then: Then,
    /// Its tag is still to be read.
    is_tag: bool,
}

impl Machine for Quotation {
    fn advance(&mut self, region: &str, is_end: bool, _: &Offered<'_>) -> Progress {
        if !self.is_tag {
            return Progress::markup(0, self.then);
        }
        match tag(token(region)) {
            TagRead::More if !is_end && region.len() < MAX_TOKEN => Progress::More,
            TagRead::More => Progress::Broken(token(region).len()),
            TagRead::Tag(read) if !read.is_empty => Progress::markup(0, self.then),
            TagRead::Tag(read) => Progress::Broken(read.length),
            TagRead::No(known) => Progress::Broken(known),
        }
    }
}
