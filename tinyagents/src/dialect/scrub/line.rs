//! Where in its line and in Markdown a place is: in what is quoted, nothing is a call.

/// What has gone before on the line, and whether a code span or fence is open.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about one place"
)]
pub(super) struct Line {
    /// Nothing but white space so far.
    is_blank: bool,
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
    /// The line, so far, closes the fence.
    closes_fence: bool,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            is_blank: true,
            is_quoted: false,
            run: 0,
            mark: 0,
            run_leads: false,
            span: 0,
            fence: None,
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

    /// Whether the next plain bytes change nothing.
    pub(super) fn is_plain(&self) -> bool {
        !self.is_blank && self.run == 0 && !self.closes_fence
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
                self.run_leads = self.is_blank;
                self.mark = byte;
            }
            self.run += 1;
            self.is_blank = false;
            return;
        }
        self.settle(byte);
        match byte {
            b'\n' => {
                if self.closes_fence {
                    self.fence = None;
                }
                let fence = self.fence;
                *self = Self::default();
                self.fence = fence;
            }
            b' ' | b'\t' | b'\r' => {}
            _ => {
                self.closes_fence = false;
                if self.is_blank && byte == b'>' {
                    self.is_quoted = true;
                }
                self.is_blank = false;
            }
        }
    }

    /// What the run of marks before this byte was.
    fn end_run(&mut self, next: u8) {
        let (run, mark) = (std::mem::take(&mut self.run), self.mark);
        if let Some((fence, length)) = self.fence {
            self.closes_fence = self.run_leads
                && mark == fence
                && run >= length
                && matches!(next, b' ' | b'\t' | b'\r' | b'\n');
        } else if self.run_leads && run >= 3 {
            self.fence = Some((mark, run));
        } else if mark == b'`' {
            if self.span == 0 {
                self.span = run;
            } else if self.span == run {
                self.span = 0;
            }
        }
    }
}
