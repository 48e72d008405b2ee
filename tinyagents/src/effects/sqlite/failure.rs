//! What SQLite fails with, in the ledger's words.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::effects::LedgerError;

/// Why an operation failed.
pub(super) enum Failure {
    /// A rule of the ledger: the transaction goes on.
    Rule(LedgerError),
    /// The database.
    Sqlite(rusqlite::Error),
    /// A row holds what no version has written.
    Row(anyhow::Error),
    /// The file is something else.
    NotALedger,
    /// A newer version has written it.
    Newer { found: i64, known: i64 },
}

impl Failure {
    pub(super) fn into_ledger_error(self, path: &Path) -> LedgerError {
        match self {
            Self::Rule(error) => error,
            Self::Sqlite(error) => ledger_error(path, error),
            Self::Row(source) => LedgerError::Damaged {
                path: path.to_owned(),
                source,
            },
            Self::NotALedger => LedgerError::NotALedger {
                path: path.to_owned(),
            },
            Self::Newer { found, known } => LedgerError::NewerVersion {
                path: path.to_owned(),
                found,
                known,
            },
        }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Self::Rule(error)
    }
}

pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// <https://sqlite.org/rescode.html>
pub(super) fn ledger_error(path: &Path, error: rusqlite::Error) -> LedgerError {
    let path = path.to_owned();
    if is_busy(&error) {
        return LedgerError::Busy { path };
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => LedgerError::Full { path },
        Some(ErrorCode::NotADatabase) => LedgerError::NotALedger { path },
        Some(ErrorCode::DatabaseCorrupt) => LedgerError::Damaged {
            path,
            source: error.into(),
        },
        _ => LedgerError::Other(
            anyhow::Error::new(error)
                .context(format!("the ledger {} can't be used", path.display())),
        ),
    }
}
