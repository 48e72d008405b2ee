//! The file itself: who may read it, and waiting for it.

use std::fs::OpenOptions;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::failure::is_busy;
use crate::effects::LedgerError;

/// How long another process may hold the file.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);

/// Makes the file if there is none, and sees to it that nobody else reads it: answers of tools may be confidential.
/// SQLite gives `-wal` and `-shm` the same mode.
pub(super) fn make_private(path: &Path) -> Result<(), LedgerError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let cannot = || format!("the ledger {} can't be opened", path.display());
    let file = options.open(path).with_context(cannot)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let permissions = file.metadata().with_context(cannot)?.permissions();
        if permissions.mode() & 0o077 != 0 {
            let private = std::fs::Permissions::from_mode(0o600);
            file.set_permissions(private).with_context(cannot)?;
        }
    }
    drop(file);
    Ok(())
}

/// Tries again while another process holds the file: SQLite doesn't wait by itself for the change of the journal.
pub(super) fn until_free<T>(
    mut attempt: impl FnMut() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let started = Instant::now();
    loop {
        match attempt() {
            Err(error) if is_busy(&error) && started.elapsed() < PATIENCE => {
                std::thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
}
