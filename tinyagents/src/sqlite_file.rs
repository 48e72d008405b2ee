//! A file of SQLite: who may read it, and waiting for it.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::ErrorCode;

/// How long another process may hold the file.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);

/// Makes the file if there is none, and sees to it that nobody else reads it: mode 0600. SQLite gives `-wal` and `-shm` the
/// same.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let permissions = file.metadata()?.permissions();
        if permissions.mode() & 0o077 != 0 {
            file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        }
    }
    drop(file);
    Ok(())
}

/// Tries again while another process holds the file: SQLite doesn't wait by itself for the change of the journal.
pub(crate) fn until_free<T>(
    patience: Duration,
    mut attempt: impl FnMut() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let started = Instant::now();
    loop {
        match attempt() {
            Err(error) if is_busy(&error) && started.elapsed() < patience => {
                std::thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
}

pub(crate) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Readers and the writer don't wait for each other, and a commit is one write.
pub(crate) fn set_wal(connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    let sql = "PRAGMA journal_mode = WAL";
    connection.query_row(sql, [], |_| Ok(()))
}
