//! Where in its line and in Markdown a place is: in what is quoted, nothing is a call.

/// Columns of white space before what Markdown shows as code.
const CODE_INDENT: usize = 4;

/// What has gone before on the line, and whether a code span or fence is open.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about one place"
)]
pub(super) struct Line {
    /// Nothing but white space so far.
    is_blank: bool,
    /// What it begins with besides white space: nothing, or the marks of list items, in which a quotation or a fence may lead.
    item: Item,
    /// It begins with the mark of a list item.
    is_item: bool,
    /// Columns of white space that it begins with.
    indent: usize,
    above: Above,
    /// The first character is `>`.
    is_quoted: bool,
    /// Length of the run of this mark that ends here.
    run: usize,
    mark: u8,
    /// The run opened the line.
    run_leads: bool,
    /// Length of the backtick run that opened a code span; 0 without one.
    span: usize,
    /// The run that opened a fence.
    fence: Option<(u8, usize)>,
    /// The fence was opened on this line.
    opens_fence: bool,
    /// The line, so far, closes the fence.
    closes_fence: bool,
}

/// What the lines above say of an indented one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Above {
    /// There is no text that it could be an example in.
    #[default]
    Nothing,
    Text,
    /// Text, and a blank line.
    Blank,
    /// Code, and maybe a blank line.
    Code,
    /// A list item, which it goes on.
    Item,
}

/// The mark of a list item, such as `-` or `1.`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    /// A mark or more, or none yet, and white space.
    Led,
    Digits,
    /// A mark, before the white space that it needs.
    Marked,
    /// Something else came.
    None,
}

impl Item {
    fn then(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Led | Self::Marked, b' ' | b'\t') => Self::Led,
            (Self::Led, b'-' | b'*' | b'+') | (Self::Digits, b'.' | b')') => Self::Marked,
            (Self::Led | Self::Digits, b'0'..=b'9') => Self::Digits,
            _ => Self::None,
        }
    }
}

impl Default for Line {
    fn default() -> Self {
        Self {
            is_blank: true,
            item: Item::Led,
            is_item: false,
            indent: 0,
            above: Above::Nothing,
            is_quoted: false,
            run: 0,
            mark: 0,
            run_leads: false,
            span: 0,
            fence: None,
            opens_fence: false,
            closes_fence: false,
        }
    }
}

impl Line {
    pub(super) fn is_blank(&self) -> bool {
        self.is_blank
    }

    /// Whether a call can begin here.
    pub(super) fn is_open(&self) -> bool {
        self.fence.is_none() && !self.is_quoted && self.span == 0
    }

    /// Whether Markdown shows the line as code, since it is indented.
    pub(super) fn is_in_code(&self) -> bool {
        self.indent >= CODE_INDENT && matches!(self.above, Above::Blank | Above::Code)
    }

    /// What the line says of one below it.
    fn below(&self) -> Above {
        let is_item = self.is_item || self.above == Above::Item && self.indent > 0;
        match self.above {
            above if self.is_blank => match above {
                Above::Text => Above::Blank,
                other => other,
            },
            _ if self.is_in_code() => Above::Code,
            _ if is_item => Above::Item,
            _ => Above::Text,
        }
    }

    /// The marks that close the fence that is open.
    pub(super) fn fence_closer(&self) -> Option<String> {
        let (mark, length) = self.fence?;
        Some(char::from(mark).to_string().repeat(length))
    }

    /// Whether the next plain bytes change nothing.
    pub(super) fn is_plain(&self) -> bool {
        self.item == Item::None && self.run == 0 && !self.closes_fence
    }

    /// After markup, a line begins anew.
    pub(super) fn after_markup(&mut self) {
        *self = Self {
            fence: self.fence,
            ..Self::default()
        };
    }

    /// Before this byte is looked at: what the run of marks before it was, if it ends here.
    pub(super) fn settle(&mut self, next: u8) {
        if self.run > 0 && next != self.mark {
            self.end_run(next);
        }
    }

    /// Passes one byte of text.
    pub(super) fn pass(&mut self, byte: u8) {
        if matches!(byte, b'`' | b'~') {
            self.settle(byte);
            if self.run == 0 {
                self.run_leads = match self.fence {
                    Some(_) => self.is_blank,
                    None => self.item == Item::Led,
                };
                self.mark = byte;
            }
            self.run += 1;
            self.is_blank = false;
            self.item = Item::None;
            return;
        }
        self.settle(byte);
        match byte {
            b'\n' => {
                if self.closes_fence {
                    self.fence = None;
                }
                *self = Self {
                    fence: self.fence,
                    above: self.below(),
                    ..Self::default()
                };
            }
            b' ' | b'\t' | b'\r' => {
                if self.is_blank {
                    self.indent += match byte {
                        b' ' => 1,
                        b'\t' => CODE_INDENT - self.indent % CODE_INDENT,
                        _ => 0,
                    };
                }
                self.is_item |= self.item == Item::Marked;
                self.item = self.item.then(byte);
            }
            _ => {
                self.closes_fence = false;
                if self.item == Item::Led && byte == b'>' {
                    self.is_quoted = true;
                }
                self.is_blank = false;
                self.item = self.item.then(byte);
            }
        }
    }

    /// What the run of marks before this byte was.
    fn end_run(&mut self, next: u8) {
        let (run, mark) = (std::mem::take(&mut self.run), self.mark);
        if self.opens_fence && mark == b'`' && self.fence.is_some_and(|(fence, _)| fence == mark) {
            // What opens a fence has no backtick after it on its line: it opened a span.
            self.span = self.fence.take().map_or(0, |(_, length)| length);
            self.opens_fence = false;
        }
        if let Some((fence, length)) = self.fence {
            self.closes_fence = self.run_leads
                && mark == fence
                && run >= length
                && matches!(next, b' ' | b'\t' | b'\r' | b'\n');
        } else if self.run_leads && run >= 3 {
            self.fence = Some((mark, run));
            self.opens_fence = true;
        } else if mark == b'`' {
            if self.span == 0 {
                self.span = run;
            } else if self.span == run {
                self.span = 0;
            }
        }
    }
}
