//! Values in one SQLite file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, bail, ensure};
use rusqlite::{Connection, OptionalExtension as _};
use serde_json::Value;
use tinytools::async_trait;

use super::Store;
use crate::model::deep_json;
use crate::schema::{MAX_ARGUMENT_DEPTH, is_within_depth};
use crate::sqlite_file::{PATIENCE, make_private, set_wal, until_free};

/// Marks a file as a store: `TEKV` in ASCII.
const APPLICATION_ID: i64 = 0x5445_4b56;

/// The form of the tables.
const VERSION: i64 = 1;

/// Keeps values in one SQLite file, safe with several processes on one machine (feature `sqlite`).
///
/// The file is in WAL mode and has the mode 0600; `-wal` and `-shm` beside it belong to it. A value that was put survives
/// the death of the machine; one of more than 128 levels of arrays and objects is refused. Clones share one connection; the work is done on the blocking pool.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("notes.db");
/// use tinyagents::{RunContext, SqliteStore};
///
/// let ctx = RunContext::new().with_thread_id("t1").with_store(SqliteStore::open(path)?);
/// # let _ = ctx;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SqliteStore {
    path: PathBuf,
    connection: Arc<Mutex<Connection>>,
}

impl SqliteStore {
    /// Opens a store, or makes one. Blocks while the file is opened.
    ///
    /// # Errors
    /// When the file can't be opened, is damaged, is no store, or is of a newer version.
    pub fn open(path: impl AsRef<Path>) -> anyhow::Result<Self> {
        let path = path.as_ref().to_owned();
        let connection =
            open(&path).with_context(|| format!("the store {} can't be opened", path.display()))?;
        Ok(Self {
            path,
            connection: Arc::new(Mutex::new(connection)),
        })
    }

    /// The store's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs one statement on the blocking pool; the lock is held for that long, never across an await.
    async fn run<T: Send + 'static>(
        &self,
        statement: impl FnOnce(&Connection) -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let connection = Arc::clone(&self.connection);
        let done = tokio::task::spawn_blocking(move || {
            statement(&connection.lock().unwrap_or_else(PoisonError::into_inner))
        });
        done.await?
            .with_context(|| format!("the store {} failed", self.path.display()))
    }
}

fn open(path: &Path) -> anyhow::Result<Connection> {
    make_private(path)?;
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // Looked at under the lock: another process may be making the same file.
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let pragma = |name: &str| -> rusqlite::Result<i64> {
        transaction.pragma_query_value(None, name, |row| row.get(0))
    };
    let count = "SELECT count(*) FROM sqlite_schema";
    let tables: i64 = transaction.query_row(count, [], |row| row.get(0))?;
    match (pragma("application_id")?, pragma("user_version")?) {
        (APPLICATION_ID, VERSION) => {}
        (APPLICATION_ID, newer) => {
            bail!("it is of version {newer}, and this program knows {VERSION}; use a newer program")
        }
        (0, 0) if tables == 0 => {
            transaction.execute_batch(&format!(
                "CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
                 PRAGMA application_id = {APPLICATION_ID};
                 PRAGMA user_version = {VERSION};"
            ))?;
        }
        _ => bail!("it is another application's database; choose another file"),
    }
    transaction.commit()?;
    until_free(PATIENCE, || set_wal(&connection))?;
    Ok(connection)
}

#[async_trait]
impl Store for SqliteStore {
    async fn get(&self, key: &str) -> anyhow::Result<Option<Value>> {
        let key = key.to_owned();
        self.run(move |connection| {
            let sql = "SELECT value FROM entries WHERE key = ?1";
            let mut select = connection.prepare_cached(sql)?;
            let found: Option<String> = select.query_row([key], |row| row.get(0)).optional()?;
            let value = found.map(|text| deep_json::from_text(&text)).transpose();
            value.context("a value is not JSON; the file was changed by something else")
        })
        .await
    }

    async fn put(&self, key: &str, value: Value) -> anyhow::Result<()> {
        ensure!(
            is_within_depth(&value, MAX_ARGUMENT_DEPTH),
            "a value of more than {MAX_ARGUMENT_DEPTH} levels could not be read again"
        );
        let entry = [key.to_owned(), deep_json::to_text(&value)];
        self.run(move |connection| {
            let sql = "INSERT OR REPLACE INTO entries (key, value) VALUES (?1, ?2)";
            connection.prepare_cached(sql)?.execute(entry)?;
            Ok(())
        })
        .await
    }

    async fn delete(&self, key: &str) -> anyhow::Result<bool> {
        let key = key.to_owned();
        self.run(move |connection| {
            let sql = "DELETE FROM entries WHERE key = ?1";
            Ok(connection.prepare_cached(sql)?.execute([key])? > 0)
        })
        .await
    }

    async fn keys(&self, prefix: &str) -> anyhow::Result<Vec<String>> {
        let prefix = prefix.to_owned();
        self.run(move |connection| {
            // Sorted by their bytes, so those with the prefix stand together.
            let sql = "SELECT key FROM entries WHERE key >= ?1 ORDER BY key";
            let mut select = connection.prepare_cached(sql)?;
            let mut rows = select.query([&prefix])?;
            let mut keys = Vec::new();
            while let Some(row) = rows.next()? {
                let key: String = row.get(0)?;
                if !key.starts_with(&prefix) {
                    break;
                }
                keys.push(key);
            }
            Ok(keys)
        })
        .await
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
