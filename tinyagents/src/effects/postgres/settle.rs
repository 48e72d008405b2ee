//! The end of a claim.

use anyhow::Context as _;
use deadpool_postgres::tokio_postgres::types::ToSql;
use deadpool_postgres::{GenericClient, Object};

use super::database::Task;
use super::failure::Failure;
use super::lease::{self, Holder};
use super::rows;
use crate::effects::{LedgerError, ToolEffectSettle, ToolEffectStatus};

macro_rules! settle {
    ($rest:literal) => {
        concat!(
            "UPDATE effects SET status = $3, answer = $4, attempts = attempts + $5, settled_at = clock_timestamp()
             WHERE tool_name = $1 AND key = $2 AND claim = $6
             AND status IN ('started', 'interrupted') AND status <> $3",
            $rest
        )
    };
}

/// One index look, so that the server keeps its plan: with the look at the lease it would make one each time.
const SETTLE: &str = settle!("");
/// The same by the claim's own host, or by the one that has the run.
const INTERRUPT_HELD: &str = settle!(
    " AND (holder = $7 OR EXISTS (
          SELECT FROM run_leases WHERE run_leases.run_id = effects.run_id AND run_leases.holder = $7
          AND expires_at > clock_timestamp()
      ))"
);

/// Settles a claim. What a tool said is recorded from wherever it comes; that nobody can know what it said, only from
/// the host that has the run.
pub(super) struct Settle<'a> {
    pub(super) settle: &'a ToolEffectSettle,
    pub(super) holder: &'a Holder,
}

impl Task for Settle<'_> {
    type Output = ();

    async fn run(&self, client: &mut Object, _: bool) -> Result<(), Failure> {
        let settle = self.settle;
        if settle.status == ToolEffectStatus::Started {
            return Err(LedgerError::NoSettlement.into());
        }
        if self.update(&*client).await? {
            return Ok(());
        }
        // Why not? The row knows.
        let transaction = client.transaction().await?;
        let known = rows::locked(&transaction, &settle.tool_name, &settle.key).await?;
        let Some((mut row, _)) = known else {
            return Err(not_started(&settle.tool_name));
        };
        let run_id = row.run_id.clone();
        if !row.settle(settle.clone())? || self.update(&transaction).await? {
            transaction.commit().await?;
            return Ok(());
        }
        Err(lease::held(run_id.as_str()))
    }
}

impl Settle<'_> {
    /// The usual case in one statement; what it says is the rule of `ToolEffect::settle`.
    async fn update(&self, client: &impl GenericClient) -> Result<bool, Failure> {
        let settle = self.settle;
        let answer = settle.answer.as_ref().map(serde_json::to_string);
        let answer = answer.transpose().context("the answer has no JSON form");
        let answer = answer.map_err(Failure::Other)?;
        let is_interrupted = settle.status == ToolEffectStatus::Interrupted;
        let sql = if is_interrupted {
            INTERRUPT_HELD
        } else {
            SETTLE
        };
        let update = client.prepare_cached(sql).await?;
        let status = settle.status.as_str();
        let more = i64::from(settle.attempts.saturating_sub(1));
        let claim = i64::try_from(settle.claim).unwrap_or(i64::MAX);
        let mut params: Vec<&(dyn ToSql + Sync)> = vec![
            &settle.tool_name,
            &settle.key,
            &status,
            &answer,
            &more,
            &claim,
        ];
        if is_interrupted {
            params.push(&self.holder.id);
        }
        let changed = client.execute(&update, &params).await?;
        Ok(changed == 1)
    }
}

/// Forgets a claim that came to nothing.
pub(super) struct Withdraw<'a> {
    pub(super) tool_name: &'a str,
    pub(super) key: &'a str,
    pub(super) claim: u64,
}

impl Task for Withdraw<'_> {
    type Output = ();

    async fn run(&self, client: &mut Object, is_again: bool) -> Result<(), Failure> {
        let transaction = client.transaction().await?;
        match rows::locked(&transaction, self.tool_name, self.key).await? {
            Some((row, _)) => row.check_withdrawal(self.claim)?,
            // An earlier try has done it.
            None if is_again => return Ok(()),
            None => return Err(not_started(self.tool_name)),
        }
        let delete = "DELETE FROM effects WHERE tool_name = $1 AND key = $2";
        let delete = transaction.prepare_cached(delete).await?;
        transaction
            .execute(&delete, &[&self.tool_name, &self.key])
            .await?;
        transaction.commit().await?;
        Ok(())
    }
}

fn not_started(tool_name: &str) -> Failure {
    Failure::Rule(LedgerError::NotStarted {
        tool_name: tool_name.to_owned(),
    })
}
