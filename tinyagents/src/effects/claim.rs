//! What a start was answered.

use super::ToolEffect;

/// The ledger's answer to a start.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ToolEffectClaim {
    /// The call may run, and nobody else may run this tool under this key. The number has to be given back with the
    /// settlement.
    Granted(u64),
    /// The call must not run: this row is there already.
    Taken(Box<ToolEffect>),
}
