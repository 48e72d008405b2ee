//! The open file, and operations on it in transactions.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use rusqlite::{Connection, OpenFlags};

use super::ledger::Synchronous;
use super::operation::{Operation, Outcome};
use super::{failure, migration, statements};
use crate::effects::LedgerError;
use crate::sqlite_file;

/// The open file.
pub(super) struct Database {
    path: PathBuf,
    connection: Connection,
    patience: Duration,
    /// Short rows written since they were last moved into the file itself, where that is left to us.
    untidy: Option<u32>,
}

/// After as many short rows they are moved into the file itself; SQLite by itself would do it after a thousand pages.
const TIDY_AFTER: u32 = 500;

impl Database {
    /// Opens the file; another process may hold it for as long as `patience`, now and later.
    pub(super) fn open(
        path: &Path,
        synchronous: Synchronous,
        patience: Duration,
    ) -> Result<Self, LedgerError> {
        let cannot = || format!("the ledger {} can't be opened", path.display());
        // Answers of tools may be confidential.
        sqlite_file::make_private(path).with_context(cannot)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags);
        let connection = connection.map_err(|error| failure::ledger_error(path, error))?;
        let mut database = Self {
            path: path.to_owned(),
            connection,
            patience,
            untidy: (synchronous == Synchronous::Normal).then_some(0),
        };
        database
            .prepare(synchronous, patience)
            .map_err(|error| error.into_ledger_error(path))?;
        Ok(database)
    }

    fn prepare(
        &mut self,
        synchronous: Synchronous,
        patience: Duration,
    ) -> Result<(), failure::Failure> {
        self.connection.busy_timeout(patience)?;
        self.connection.set_prepared_statement_cache_capacity(32);
        // A schema that somebody else has written must not run code, and what is damaged should be noticed.
        self.connection
            .execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")?;
        migration::check_identity(&self.connection)?;
        sqlite_file::until_free(patience, || sqlite_file::set_wal(&self.connection))?;
        self.connection.execute_batch(match synchronous {
            Synchronous::Full => {
                "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;"
            }
            // Only moving the writes waits for the disk; see `tidy`.
            Synchronous::Normal => "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;",
        })?;
        migration::migrate(&mut self.connection, migration::STEPS)
    }

    /// Runs one operation without waiting for anybody: neither for another process that holds the file, nor for the disk.
    /// `None` where that can't be; nothing has been done then.
    pub(super) fn run_at_once(
        &mut self,
        operation: &Operation,
    ) -> Option<Result<Outcome, LedgerError>> {
        if self.untidy.is_none_or(|written| written >= TIDY_AFTER) {
            return None;
        }
        self.connection.busy_timeout(Duration::ZERO).ok()?;
        let done = self.transact(&[operation]);
        // What is done is done, whatever this says.
        let _ = self.connection.busy_timeout(self.patience);
        match done {
            Err(LedgerError::Busy { .. }) => None,
            Err(error) => Some(Err(error)),
            Ok(outcomes) => outcomes.into_iter().next(),
        }
    }

    /// Moves what was written into the file itself, once it is much. A reader that is in the way postpones it.
    pub(super) fn tidy(&mut self) {
        if self.untidy.is_some_and(|written| written >= TIDY_AFTER) {
            let sql = "PRAGMA wal_checkpoint(PASSIVE)";
            // The rows are durable as they are; the next time is as good.
            let _ = self.connection.query_row(sql, [], |_| Ok(()));
            self.untidy = Some(0);
        }
    }

    /// Runs operations and makes what they wrote durable, together where that is possible. One outcome for each.
    pub(super) fn run(&mut self, operations: &[&Operation]) -> Vec<Result<Outcome, LedgerError>> {
        if operations.len() > 1
            && let Ok(outcomes) = self.transact(operations)
        {
            return outcomes;
        }
        // Alone, each fails alone.
        let alone = operations.iter().map(|operation| {
            let outcomes = self.transact(&[*operation])?;
            let only = outcomes.into_iter().next();
            only.unwrap_or_else(|| Err(anyhow::anyhow!("the operation was not run").into()))
        });
        alone.collect()
    }

    /// The outer error is the database's, and nothing has been written; an inner one is a rule's, and stands.
    fn transact(
        &mut self,
        operations: &[&Operation],
    ) -> Result<Vec<Result<Outcome, LedgerError>>, LedgerError> {
        let done = self.try_transact(operations);
        if done.is_err() && !self.connection.is_autocommit() {
            // Whatever this says, the failure that led here is the one to tell.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        done.map_err(|error| error.into_ledger_error(&self.path))
    }

    fn try_transact(
        &mut self,
        operations: &[&Operation],
    ) -> Result<Vec<Result<Outcome, LedgerError>>, failure::Failure> {
        let connection = &self.connection;
        let reads = operations.iter().all(|operation| operation.is_read());
        if let Some(written) = &mut self.untidy {
            let more = operations.iter().map(|operation| operation.weight());
            *written = more.fold(*written, u32::saturating_add);
        }
        if !reads {
            // The write lock at once: a claim must not be decided on what another process is changing.
            connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        }
        let mut outcomes = Vec::with_capacity(operations.len());
        for operation in operations {
            outcomes.push(match statements::run(connection, operation) {
                Ok(outcome) => Ok(outcome),
                Err(failure::Failure::Rule(error)) => Err(error),
                Err(error) => return Err(error),
            });
        }
        if !reads {
            connection.prepare_cached("COMMIT")?.execute([])?;
        }
        Ok(outcomes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effects::sqlite::tests;
    use crate::sqlite_file::PATIENCE;

    fn start(key: &str) -> Operation {
        Operation::Start(tests::start(key))
    }

    fn settle(key: &str, answer: String) -> Operation {
        Operation::Settle(tests::settle(key, answer))
    }

    fn opened() -> (tempfile::TempDir, Database) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("l.db");
        let database = Database::open(&path, Synchronous::Normal, PATIENCE).unwrap();
        (folder, database)
    }

    #[test]
    fn a_full_disk_is_told_as_one_and_spoils_nothing() {
        let (_folder, mut database) = opened();
        let pages = "PRAGMA max_page_count = 20";
        database
            .connection
            .query_row(pages, [], |_| Ok(()))
            .unwrap();
        assert!(database.run(&[&start("small")])[0].is_ok());
        let large = settle("small", "x".repeat(1_000_000));
        let (also, free) = (start("beside"), settle("small", "paid".to_owned()));
        let outcomes = database.run(&[&large, &also]);
        assert!(matches!(outcomes[0], Err(LedgerError::Full { .. })));
        assert!(outcomes[1].is_ok());
        assert!(database.run(&[&free])[0].is_ok());
    }

    #[test]
    fn a_broken_rule_fails_alone() {
        let (_folder, mut database) = opened();
        let (good, bad, also) = (start("a"), settle("unknown", String::new()), start("b"));
        let outcomes = database.run(&[&good, &bad, &also]);
        assert!(matches!(outcomes[1], Err(LedgerError::NotStarted { .. })));
        assert!(outcomes[0].is_ok() && outcomes[2].is_ok());
        assert!(database.connection.is_autocommit());
    }

    #[test]
    fn rows_that_make_no_sense_are_damage() {
        let (_folder, mut database) = opened();
        assert!(database.run(&[&start("a")])[0].is_ok());
        for change in ["status = 'paid'", "answer = '{'", "claim = -1"] {
            let change = format!("UPDATE effects SET {change}");
            database.connection.execute_batch(&change).unwrap();
            let outcomes = database.run(&[&start("a")]);
            assert!(
                matches!(outcomes[0], Err(LedgerError::Damaged { .. })),
                "{change}"
            );
        }
    }

    #[test]
    fn the_choice_of_durability_is_made() {
        for (synchronous, level) in [(Synchronous::Full, 2), (Synchronous::Normal, 1)] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("l.db");
            let database = Database::open(&path, synchronous, PATIENCE).unwrap();
            let pragma = |name: &str| {
                let name = format!("PRAGMA {name}");
                let read = database
                    .connection
                    .query_row(&name, [], |row| row.get::<_, String>(0));
                let number = |_| {
                    database
                        .connection
                        .query_row(&name, [], |row| row.get::<_, i64>(0))
                };
                read.or_else(|error| number(error).map(|number| number.to_string()))
                    .unwrap()
            };
            assert_eq!(pragma("synchronous"), level.to_string());
            assert_eq!(pragma("journal_mode"), "wal");
        }
    }
}
