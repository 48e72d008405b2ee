//! Where in the arguments a walk is; becomes text only when there is a fault to report.

/// Room for most paths.
const TYPICAL_BYTES: usize = 24;

/// Bytes of names that need no quotes. Whatever is not ASCII is taken for a letter.
const PLAIN: [bool; 256] = {
    let ascii = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-$*";
    let mut plain = [false; 256];
    let mut at = 0;
    while at < ascii.len() {
        plain[ascii[at] as usize] = true;
        at += 1;
    }
    let mut byte = 0x80;
    while byte < plain.len() {
        plain[byte] = true;
        byte += 1;
    }
    plain
};

/// One step into the arguments, linked to the steps before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    segment: Segment<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Segment<'a> {
    Root,
    Property {
        name: &'a str,
        optional: bool,
    },
    /// A name that the schema does not know: it comes from the caller alone.
    Undeclared(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    pub(super) const ROOT: Path<'static> = Path {
        parent: None,
        segment: Segment::Root,
    };

    pub(super) fn property(&'a self, name: &'a str, optional: bool) -> Self {
        self.then(Segment::Property { name, optional })
    }

    pub(super) fn undeclared(&'a self, name: &'a str) -> Self {
        self.then(Segment::Undeclared(name))
    }

    pub(super) fn index(&'a self, index: usize) -> Self {
        self.then(Segment::Index(index))
    }

    fn then(&'a self, segment: Segment<'a>) -> Self {
        Self {
            parent: Some(self),
            segment,
        }
    }

    /// Whether the value may be left out.
    pub(super) fn is_optional(&self) -> bool {
        matches!(
            self.segment,
            Segment::Property { optional: true, .. } | Segment::Undeclared(_)
        )
    }

    /// Whether it lies in, or is, one of these top-level arguments.
    pub(super) fn is_under(&self, names: &[&str]) -> bool {
        if names.is_empty() {
            return false;
        }
        let mut step = self;
        loop {
            match (step.parent, step.segment) {
                (Some(parent), segment) if parent.parent.is_none() => {
                    return match segment {
                        Segment::Property { name, .. } | Segment::Undeclared(name) => {
                            names.contains(&name)
                        }
                        Segment::Root | Segment::Index(_) => false,
                    };
                }
                (Some(parent), _) => step = parent,
                (None, _) => return false,
            }
        }
    }

    /// The path as text, such as `filters[2].since`; empty at the root. When redacted, a name inside the argument that
    /// the schema does not know is `*`.
    pub(super) fn render(&self, redacted: bool) -> String {
        if let Some(Path { parent: None, .. }) = self.parent
            && let Segment::Property { name, .. } | Segment::Undeclared(name) = self.segment
            && is_plain(name)
        {
            return name.to_owned();
        }
        let mut text = String::with_capacity(TYPICAL_BYTES);
        self.write(redacted, &mut text);
        text
    }

    /// As deep as the arguments, whose depth has been checked.
    fn write(&self, redacted: bool, text: &mut String) {
        let Some(parent) = self.parent else {
            return;
        };
        parent.write(redacted, text);
        match self.segment {
            Segment::Root => {}
            Segment::Undeclared(_) if redacted && parent.parent.is_some() => write_name("*", text),
            Segment::Property { name, .. } | Segment::Undeclared(name) => write_name(name, text),
            Segment::Index(index) => {
                text.push('[');
                text.push_str(&index.to_string());
                text.push(']');
            }
        }
    }
}

/// Whether it needs no quotes.
#[inline]
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| PLAIN[usize::from(byte)])
}

fn write_name(name: &str, text: &mut String) {
    if !is_plain(name) {
        text.push('[');
        text.push_str(&serde_json::Value::from(name).to_string());
        text.push(']');
        return;
    }
    if !text.is_empty() {
        text.push('.');
    }
    text.push_str(name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_like_code() {
        let filters = Path::ROOT.property("filters", false);
        let third = filters.index(2);
        assert_eq!(
            third.property("since", true).render(false),
            "filters[2].since"
        );
        assert_eq!(
            third.undeclared("a b.c").render(false),
            r#"filters[2]["a b.c"]"#
        );
        assert_eq!(Path::ROOT.undeclared("").render(false), r#"[""]"#);
        assert_eq!(Path::ROOT.render(false), "");
    }

    #[test]
    fn a_redacted_path_holds_only_names_of_the_schema() {
        let secret = Path::ROOT.property("secret", false);
        let key = secret.undeclared("hunter2");
        assert!(key.is_under(&["secret"]) && secret.is_under(&["x", "secret"]));
        assert!(!key.is_under(&["hunter2"]) && !Path::ROOT.is_under(&["secret"]));
        assert_eq!(key.property("x", false).render(true), "secret.*.x");
        assert_eq!(Path::ROOT.undeclared("secret").render(true), "secret");
    }
}
