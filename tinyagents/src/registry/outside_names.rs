//! Names of tools that others have named.

use std::collections::HashMap;

use super::ToolName;
use crate::unique_names::{Naming, unique_names};

/// Canonical names for tools that come from outside, such as those of an MCP server, and the way back.
///
/// A canonical name stays. Any other becomes snake case, and what no provider takes becomes `_`; should two come out
/// alike, or one like a name that is taken, each that had to be changed gets a suffix made of its own outside name. So the
/// result depends neither on the order nor on how often it is asked for.
///
/// ```
/// use tinyagents::OutsideNames;
///
/// let names = OutsideNames::sanitize(["read", "createIssue", "pages/list", "pages.list"], &[]);
/// assert_eq!(names.canonical("read").unwrap(), "read");
/// assert_eq!(names.canonical("createIssue").unwrap(), "create_issue");
/// assert_eq!(names.canonical("pages/list").unwrap(), "pages_list_ff170e95");
/// assert_eq!(names.outside("pages_list_ff170e95"), Some("pages/list"));
/// assert_ne!(names.canonical("pages.list"), names.canonical("pages/list"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutsideNames {
    canonical: HashMap<String, ToolName>,
    outside: HashMap<ToolName, String>,
}

impl OutsideNames {
    /// Gives each outside name a canonical one that is none of `taken`.
    #[must_use]
    pub fn sanitize<'a>(names: impl IntoIterator<Item = &'a str>, taken: &[&str]) -> Self {
        let naming = Naming {
            is_kept: &|name| ToolName::parse(name).is_ok(),
            plain: &plain,
            max_bytes: ToolName::MAX_BYTES,
        };
        let mut sanitized = Self::default();
        for (outside, canonical) in unique_names(names, taken, &naming) {
            // What comes out is canonical, so nothing is left out here.
            if let Ok(canonical) = ToolName::parse(&canonical) {
                sanitized.outside.insert(canonical.clone(), outside.clone());
                sanitized.canonical.insert(outside, canonical);
            }
        }
        sanitized
    }

    /// The canonical name of a tool by its outside name.
    #[must_use]
    pub fn canonical(&self, outside: &str) -> Option<&ToolName> {
        self.canonical.get(outside)
    }

    /// The outside name of a tool by its canonical name.
    #[must_use]
    pub fn outside(&self, canonical: &str) -> Option<&str> {
        self.outside.get(canonical).map(String::as_str)
    }

    /// How many names there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.canonical.len()
    }

    /// Whether there is no name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.canonical.is_empty()
    }
}

/// Snake case in ASCII, with a letter first; empty where no letter or digit is left.
fn plain(name: &str) -> String {
    let snake: String = super::names::snake_case(name)
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '_'
            }
        })
        .collect();
    let snake = snake.trim_matches('_');
    match snake.chars().next() {
        Some(first) if first.is_ascii_digit() => format!("t_{snake}"),
        _ => snake.to_owned(),
    }
}
