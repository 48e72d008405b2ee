//! What a provider would not take as it is.

use std::fmt;

/// One thing in a schema that a provider would refuse or ignore.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Finding {
    /// JSON pointer of the place; empty for the whole.
    pub path: String,
    /// What is wrong there and how it would be right.
    pub message: String,
    /// What the provider does about it.
    pub effect: FindingEffect,
}

/// What a provider does about a [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FindingEffect {
    /// The request fails, with all tools in it.
    Refused,
    /// The request works, without what was meant.
    Ignored,
}

impl Finding {
    pub(super) fn refused(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
            effect: FindingEffect::Refused,
        }
    }

    pub(super) fn ignored(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            effect: FindingEffect::Ignored,
            ..Self::refused(path, message)
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let effect = match self.effect {
            FindingEffect::Refused => "refused",
            FindingEffect::Ignored => "ignored",
        };
        write!(f, "#{}: {effect}: {}", self.path, self.message)
    }
}
