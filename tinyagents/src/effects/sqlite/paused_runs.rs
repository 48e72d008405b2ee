//! The statements of paused runs.

use anyhow::Context as _;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::failure::Failure;
use crate::effects::LedgerError;

/// Writes a run in place of the expected version; the new one. Each version is a row of its own, so none comes twice.
pub(super) fn save(
    connection: &Connection,
    run_id: &str,
    text: &str,
    expected: Option<u64>,
) -> Result<u64, Failure> {
    check(connection, run_id, expected)?;
    let sql = "INSERT OR REPLACE INTO paused_runs (run_id, run) VALUES (?1, ?2)";
    let mut insert = connection.prepare_cached(sql)?;
    insert.execute(params![run_id, text])?;
    version(connection.last_insert_rowid())
}

pub(super) fn load(
    connection: &Connection,
    run_id: &str,
) -> Result<Option<(String, u64)>, Failure> {
    let sql = "SELECT run, version FROM paused_runs WHERE run_id = ?1";
    let mut select = connection.prepare_cached(sql)?;
    let found = select.query_row([run_id], |row| Ok((row.get(0)?, row.get(1)?)));
    let found = found.optional()?;
    found
        .map(|(text, number)| Ok((text, version(number)?)))
        .transpose()
}

pub(super) fn claim(connection: &Connection, run_id: &str, expected: u64) -> Result<u64, Failure> {
    check(connection, run_id, Some(expected))?;
    let mut insert = connection.prepare_cached(
        "INSERT OR REPLACE INTO paused_runs (run_id, run)
         SELECT run_id, run FROM paused_runs WHERE run_id = ?1",
    )?;
    insert.execute([run_id])?;
    version(connection.last_insert_rowid())
}

pub(super) fn remove(connection: &Connection, run_id: &str, expected: u64) -> Result<(), Failure> {
    check(connection, run_id, Some(expected))?;
    let sql = "DELETE FROM paused_runs WHERE run_id = ?1";
    connection.prepare_cached(sql)?.execute([run_id])?;
    Ok(())
}

/// The transaction has the write lock, so what is found stays until it ends.
fn check(connection: &Connection, run_id: &str, expected: Option<u64>) -> Result<(), Failure> {
    let sql = "SELECT version FROM paused_runs WHERE run_id = ?1";
    let mut select = connection.prepare_cached(sql)?;
    let found = select.query_row([run_id], |row| row.get(0)).optional()?;
    let found = found.map(version).transpose()?;
    if found == expected {
        return Ok(());
    }
    Err(Failure::Rule(LedgerError::PausedRunChanged {
        run_id: run_id.to_owned(),
        expected,
        found,
    }))
}

fn version(number: i64) -> Result<u64, Failure> {
    let version = number.try_into().context("a version is negative");
    version.map_err(Failure::Row)
}
