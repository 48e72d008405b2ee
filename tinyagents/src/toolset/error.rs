//! Why toolsets don't fit together.

use crate::registry::InvalidToolName;

/// Why toolsets don't fit together; each says what to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolSetError {
    /// Two members of a combination show a tool under one name.
    #[error(
        "{first} and {second} both have a tool `{name}`; give one of them a prefix by `.prefixed(..)`, rename it by `.renamed(..)` or leave it out by `.filtered(..)`"
    )]
    NameConflict {
        /// The name.
        name: String,
        /// The one that has it.
        first: String,
        /// The other one.
        second: String,
    },
    /// A prefix or a new name makes something of a tool's name that is none.
    #[error("`{from}` can't become `{to}`: {source}; choose a shorter prefix or another name")]
    Unnameable {
        /// The name before.
        from: String,
        /// The name that it would have.
        to: String,
        /// What is wrong with it.
        source: InvalidToolName,
    },
    /// A new name is taken.
    #[error(
        "`{from}` can't be renamed to `{to}`, which is the name of {taken_by}; choose another name, or rename that one too"
    )]
    RenameClash {
        /// The name before.
        from: String,
        /// The new name.
        to: String,
        /// Who has it.
        taken_by: String,
    },
    /// A transform returned a declaration of a name that it wasn't given, or one twice.
    #[error(
        "a prepared toolset returned `{name}`, which it wasn't given; it may edit or drop tools, not add or rename them (use `.renamed(..)`)"
    )]
    PreparedUnknown {
        /// The name.
        name: String,
    },
}
