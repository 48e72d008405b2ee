//! Paused runs.

use anyhow::Context as _;
use deadpool_postgres::{GenericClient, Object};

use super::database::Task;
use super::failure::Failure;
use crate::effects::LedgerError;

/// Writes a run in place of a version, or claims it as it is; the new version.
pub(super) struct Write<'a> {
    pub(super) run_id: &'a str,
    /// The run as JSON; `None` leaves it as it is.
    pub(super) text: Option<&'a str>,
    pub(super) expected: Option<u64>,
    /// What nobody else is called, by which a try recognises what an earlier one did.
    pub(super) writer: &'a str,
}

impl Task for Write<'_> {
    type Output = u64;

    async fn run(&self, client: &mut Object, _: bool) -> Result<u64, Failure> {
        let row = match self.expected {
            None => {
                let insert = "INSERT INTO paused_runs (run_id, run, writer) VALUES ($1, $2, $3)
                              ON CONFLICT (run_id) DO NOTHING RETURNING version";
                let insert = client.prepare_cached(insert).await?;
                client
                    .query_opt(&insert, &[&self.run_id, &self.text, &self.writer])
                    .await?
            }
            Some(expected) => {
                let update = "UPDATE paused_runs SET run = coalesce($2, run), writer = $3, version = DEFAULT,
                                  saved_at = clock_timestamp()
                              WHERE run_id = $1 AND version = $4 RETURNING version";
                let update = client.prepare_cached(update).await?;
                let expected = i64::try_from(expected).unwrap_or(i64::MAX);
                client
                    .query_opt(
                        &update,
                        &[&self.run_id, &self.text, &self.writer, &expected],
                    )
                    .await?
            }
        };
        if let Some(row) = row {
            return version(row.try_get(0)?);
        }
        match found(&*client, self.run_id).await? {
            Some((found, writer)) if writer == self.writer => Ok(found),
            found => Err(changed(self.run_id, self.expected, found)),
        }
    }
}

/// A run as JSON, and its version.
pub(super) struct Load<'a> {
    pub(super) run_id: &'a str,
}

impl Task for Load<'_> {
    type Output = Option<(String, u64)>;

    async fn run(&self, client: &mut Object, _: bool) -> Result<Self::Output, Failure> {
        let select = "SELECT run, version FROM paused_runs WHERE run_id = $1";
        let select = client.prepare_cached(select).await?;
        let row = client.query_opt(&select, &[&self.run_id]).await?;
        let Some(row) = row else {
            return Ok(None);
        };
        Ok(Some((row.try_get(0)?, version(row.try_get(1)?)?)))
    }
}

/// Forgets a run.
pub(super) struct Remove<'a> {
    pub(super) run_id: &'a str,
    pub(super) expected: u64,
}

impl Task for Remove<'_> {
    type Output = ();

    async fn run(&self, client: &mut Object, is_again: bool) -> Result<(), Failure> {
        let delete = "DELETE FROM paused_runs WHERE run_id = $1 AND version = $2";
        let delete = client.prepare_cached(delete).await?;
        let expected = i64::try_from(self.expected).unwrap_or(i64::MAX);
        if client.execute(&delete, &[&self.run_id, &expected]).await? == 1 {
            return Ok(());
        }
        match found(&*client, self.run_id).await? {
            // An earlier try has done it.
            None if is_again => Ok(()),
            found => Err(changed(self.run_id, Some(self.expected), found)),
        }
    }
}

/// The version that is there, and who wrote it.
async fn found(
    client: &impl GenericClient,
    run_id: &str,
) -> Result<Option<(u64, String)>, Failure> {
    let select = "SELECT version, writer FROM paused_runs WHERE run_id = $1";
    let select = client.prepare_cached(select).await?;
    let Some(row) = client.query_opt(&select, &[&run_id]).await? else {
        return Ok(None);
    };
    Ok(Some((version(row.try_get(0)?)?, row.try_get(1)?)))
}

fn changed(run_id: &str, expected: Option<u64>, found: Option<(u64, String)>) -> Failure {
    Failure::Rule(LedgerError::PausedRunChanged {
        run_id: run_id.to_owned(),
        expected,
        found: found.map(|(version, _)| version),
    })
}

fn version(number: i64) -> Result<u64, Failure> {
    let version = number.try_into().context("a version is negative");
    version.map_err(Failure::Row)
}
