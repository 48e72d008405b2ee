//! The privilege a call needs.

use serde::{Deserialize, Serialize};

/// How much privilege a call needs, from least to most.
///
/// The order is the contract: a host that allows up to `Write` runs every tool whose level is `<= Write`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PermissionLevel {
    /// Touches nothing, not even to read.
    None,
    /// Reads and changes nothing. The default of a tool.
    #[default]
    ReadOnly,
    /// Changes data, for example files of the workspace.
    Write,
    /// Runs processes or installs software.
    Execute,
    /// Destroys data, spends money, or can't be undone.
    Dangerous,
}
