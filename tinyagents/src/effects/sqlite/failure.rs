//! What SQLite fails with, in the ledger's words.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::effects::LedgerError;
use crate::sqlite_file::is_busy;

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
                ledger: path.display().to_string(),
                source,
            },
            Self::NotALedger => LedgerError::NotALedger {
                ledger: path.display().to_string(),
            },
            Self::Newer { found, known } => LedgerError::NewerVersion {
                ledger: path.display().to_string(),
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

/// <https://sqlite.org/rescode.html>
pub(super) fn ledger_error(path: &Path, error: rusqlite::Error) -> LedgerError {
    let ledger = path.display().to_string();
    if is_busy(&error) {
        return LedgerError::Busy { ledger };
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => LedgerError::Full { ledger },
        Some(ErrorCode::NotADatabase) => LedgerError::NotALedger { ledger },
        Some(ErrorCode::DatabaseCorrupt) => LedgerError::Damaged {
            ledger,
            source: error.into(),
        },
        _ => LedgerError::Other(
            anyhow::Error::new(error).context(format!("the ledger {ledger} can't be used")),
        ),
    }
}
