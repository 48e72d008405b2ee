//! Answers that don't fit the calls that wait.

use std::fmt;

/// Every id whose answer can't be used, and every call without one. Nothing has run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeferredResultsError {
    /// Answers to calls that the paused turn didn't make.
    pub unknown: Vec<String>,
    /// Ids that are answered more than once.
    pub duplicate: Vec<String>,
    /// Ids whose call has its row already.
    pub answered: Vec<String>,
    /// Calls without an answer.
    pub missing: Vec<String>,
    /// Approvals of calls that don't wait for one but for a result.
    pub not_approvable: Vec<String>,
}

impl DeferredResultsError {
    pub(super) fn is_empty(&self) -> bool {
        self.parts().all(|(_, ids)| ids.is_empty())
    }

    fn parts(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        [
            ("unknown", &*self.unknown),
            ("answered more than once", &*self.duplicate),
            ("already answered", &*self.answered),
            ("without an answer", &*self.missing),
            ("approved, but waiting for a result", &*self.not_approvable),
        ]
        .into_iter()
    }
}

impl fmt::Display for DeferredResultsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the results don't fit the deferred calls: ")?;
        let mut separator = "";
        for (fault, ids) in self.parts().filter(|(_, ids)| !ids.is_empty()) {
            write!(f, "{separator}{fault}: ")?;
            separator = "; ";
            for (position, id) in ids.iter().enumerate() {
                let comma = if position == 0 { "" } else { ", " };
                write!(f, "{comma}`{id}`")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for DeferredResultsError {}
