//! A place in a text.

/// A place in a text, and what can be taken from there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'t> {
    rest: &'t str,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { rest: text }
    }

    pub(crate) fn rest(&self) -> &'t str {
        self.rest
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Takes the text, if it comes next.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Takes characters as long as they belong.
    pub(crate) fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let end = self
            .rest
            .find(|letter| !belongs(letter))
            .unwrap_or(self.rest.len());
        self.take(end)
    }

    /// Takes everything before the text, and the text; nothing if it doesn't come.
    pub(crate) fn take_until(&mut self, text: &str) -> Option<&'t str> {
        let (before, after) = self.rest.split_once(text)?;
        self.rest = after;
        Some(before)
    }

    /// Takes so many bytes, which must end a character.
    pub(crate) fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    /// Takes white space, of Unicode too.
    pub(crate) fn skip_space(&mut self) {
        self.take_while(|letter| letter.is_whitespace() || letter == '\u{feff}');
    }

    /// Takes white space and comments; `None` if a comment doesn't end.
    pub(crate) fn skip_layout(&mut self) -> Option<()> {
        loop {
            self.skip_space();
            if self.eat("/*") {
                self.take_until("*/")?;
            } else if self.eat("//") {
                self.take_while(|letter| letter != '\n' && letter != '\r');
            } else {
                return Some(());
            }
        }
    }
}
