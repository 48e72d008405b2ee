//! Whose run it is, by the database's clock alone.
//!
//! A run has one holder at a time, and a token that grows with each change of the holder. A holder whose lease has
//! lapsed keeps the run until somebody else takes it; from then on the old token opens nothing more.

use std::time::Duration;

use deadpool_postgres::{GenericClient, Object};

use super::database::Task;
use super::failure::Failure;
use crate::effects::LedgerError;

/// One holder, and the length of its leases.
#[derive(Clone)]
pub(super) struct Holder {
    pub(super) id: String,
    pub(super) lease: Duration,
}

/// Takes the run, or prolongs the lease of one that is held already; its token. A take-over has a new one, even where
/// the host has left the run itself before.
pub(super) async fn acquire(
    client: &impl GenericClient,
    holder: &Holder,
    run_id: &str,
    may_take_over: bool,
) -> Result<i64, Failure> {
    let acquire = client
        .prepare_cached(
            "INSERT INTO run_leases AS held (run_id, holder, token, expires_at)
             VALUES ($1, $2, 1, clock_timestamp() + make_interval(secs => $3))
             ON CONFLICT (run_id) DO UPDATE SET
                 holder = excluded.holder,
                 token = held.token + CASE WHEN held.holder = excluded.holder AND NOT $4 THEN 0 ELSE 1 END,
                 expires_at = clock_timestamp() + make_interval(secs => $3)
             WHERE held.holder = excluded.holder OR ($4 AND held.expires_at <= clock_timestamp())
             RETURNING token",
        )
        .await?;
    let lease = holder.lease.as_secs_f64();
    let row = client
        .query_opt(&acquire, &[&run_id, &holder.id, &lease, &may_take_over])
        .await?;
    let row = row.ok_or_else(|| held(run_id))?;
    Ok(row.try_get(0)?)
}

/// The run is somebody else's.
pub(super) fn held(run_id: &str) -> Failure {
    Failure::Rule(LedgerError::RunHeld {
        run_id: run_id.to_owned(),
    })
}

/// Takes a run whose holder is silent, or has left it.
pub(super) struct TakeOver<'a> {
    pub(super) holder: &'a Holder,
    pub(super) run_id: &'a str,
}

impl Task for TakeOver<'_> {
    type Output = i64;

    async fn run(&self, client: &mut Object, _: bool) -> Result<i64, Failure> {
        acquire(&*client, self.holder, self.run_id, true).await
    }
}

/// Prolongs the leases of runs that are still held.
pub(super) struct Renew<'a> {
    pub(super) holder: &'a Holder,
    pub(super) run_ids: Vec<String>,
}

impl Task for Renew<'_> {
    type Output = ();

    async fn run(&self, client: &mut Object, _: bool) -> Result<(), Failure> {
        let renew = client
            .prepare_cached(
                "UPDATE run_leases SET expires_at = clock_timestamp() + make_interval(secs => $3)
                 WHERE holder = $1 AND run_id = ANY ($2)",
            )
            .await?;
        let lease = self.holder.lease.as_secs_f64();
        client
            .execute(&renew, &[&self.holder.id, &self.run_ids, &lease])
            .await?;
        Ok(())
    }
}

/// Lets others have a run at once. Its row stays: a token must never be given twice.
pub(super) struct Release<'a> {
    pub(super) holder: &'a Holder,
    pub(super) run_id: String,
    pub(super) token: i64,
}

impl Task for Release<'_> {
    type Output = ();

    async fn run(&self, client: &mut Object, _: bool) -> Result<(), Failure> {
        let release = client
            .prepare_cached(
                "UPDATE run_leases SET expires_at = clock_timestamp()
                 WHERE run_id = $1 AND holder = $2 AND token = $3 AND expires_at > clock_timestamp()",
            )
            .await?;
        client
            .execute(&release, &[&self.run_id, &self.holder.id, &self.token])
            .await?;
        Ok(())
    }
}
