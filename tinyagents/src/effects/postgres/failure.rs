//! What PostgreSQL fails with, in the ledger's words.

use std::error::Error as _;
use std::io::{self, ErrorKind};

use deadpool_postgres::tokio_postgres;
use deadpool_postgres::tokio_postgres::error::SqlState;
use deadpool_postgres::{HookError, PoolError};

use crate::effects::LedgerError;

/// Why an operation failed.
pub(super) enum Failure {
    /// A rule of the ledger.
    Rule(LedgerError),
    /// The database.
    Database(tokio_postgres::Error),
    /// A row holds what no version has written.
    Row(anyhow::Error),
    /// The tables are something else.
    NotALedger,
    /// A newer version has written them.
    Newer { found: i64, known: i64 },
    /// No connection was free, or nothing was answered, in time.
    Silent,
    /// What another try can't mend.
    Other(anyhow::Error),
}

impl Failure {
    /// Whether another try may do better: the server is away, starting, or had to give way to another transaction.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Silent => true,
            Self::Database(error) => is_passing(error),
            _ => false,
        }
    }

    pub(super) fn into_ledger_error(self, place: &str) -> LedgerError {
        let ledger = place.to_owned();
        match self {
            Self::Rule(error) => error,
            Self::Row(source) => LedgerError::Damaged { ledger, source },
            Self::NotALedger => LedgerError::NotALedger { ledger },
            Self::Newer { found, known } => LedgerError::NewerVersion {
                ledger,
                found,
                known,
            },
            Self::Silent => LedgerError::Unreachable {
                ledger,
                source: anyhow::anyhow!("no answer came in time"),
            },
            Self::Other(error) => LedgerError::Other(error),
            Self::Database(error) => database(ledger, error),
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Self::Rule(error)
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error)
    }
}

impl From<PoolError> for Failure {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                Self::Database(error)
            }
            PoolError::Timeout(_) => Self::Silent,
            other => Self::Other(other.into()),
        }
    }
}

/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>
fn database(ledger: String, error: tokio_postgres::Error) -> LedgerError {
    if is_passing(&error) {
        return LedgerError::Unreachable {
            ledger,
            source: error.into(),
        };
    }
    let state = error.code().cloned();
    match state {
        Some(SqlState::DISK_FULL) => LedgerError::Full { ledger },
        Some(SqlState::QUERY_CANCELED | SqlState::LOCK_NOT_AVAILABLE) => {
            LedgerError::Busy { ledger }
        }
        Some(SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED) => LedgerError::Damaged {
            ledger,
            source: error.into(),
        },
        _ => LedgerError::Other(
            anyhow::Error::new(error).context(format!("the ledger {ledger} can't be used")),
        ),
    }
}

fn is_passing(error: &tokio_postgres::Error) -> bool {
    let Some(state) = error.code() else {
        return error.is_closed() || is_connection_lost(error);
    };
    // Class 08 is about connections.
    state.code().starts_with("08")
        || [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::TOO_MANY_CONNECTIONS,
            SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            // A replica that is about to become the primary.
            SqlState::READ_ONLY_SQL_TRANSACTION,
        ]
        .contains(state)
}

/// Whether the network failed, and not a certificate, which comes as an error of input and output, too.
fn is_connection_lost(error: &tokio_postgres::Error) -> bool {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return !matches!(
                error.kind(),
                ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::PermissionDenied
            );
        }
        source = error.source();
    }
    false
}
