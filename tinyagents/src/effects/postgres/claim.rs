//! The claim of a key.

use deadpool_postgres::tokio_postgres::types::ToSql;
use deadpool_postgres::{GenericClient, Object};

use super::database::Task;
use super::failure::Failure;
use super::lease::{self, Holder};
use super::rows;
use crate::effects::stored::replay_name;
use crate::effects::{ToolEffect, ToolEffectClaim, ToolEffectStart, ToolEffectStatus};

/// A new row, unless the key has one.
macro_rules! insert {
    ($from:literal) => {
        concat!(
            "INSERT INTO effects (tool_name, key, run_id, call_id, request_hash, replay, status, claim, attempts,
                                  holder, claimant)
             SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, 'started', 1, 1, $7::text, $8::text ",
            $from,
            " ON CONFLICT (tool_name, key) DO NOTHING"
        )
    };
}

const INSERT: &str = insert!("");
/// The same under a lease that holds until this is done.
const INSERT_HELD: &str = concat!(
    "WITH held AS (
         SELECT FROM run_leases WHERE run_id = $3::text AND holder = $7::text AND token = $9
         AND expires_at > clock_timestamp() FOR SHARE
     ) ",
    insert!("FROM held")
);

/// Claims a key for a call of a run that this host holds, or can take.
pub(super) struct Claim<'a> {
    pub(super) start: &'a ToolEffectStart,
    pub(super) holder: &'a Holder,
    /// What nobody else is called, by which a try recognises what an earlier one did.
    pub(super) claimant: &'a str,
    /// The token of the run, where it has been held before. Somebody else's since is then not taken back.
    pub(super) token: Option<i64>,
}

impl Task for Claim<'_> {
    /// The claim, and the token of the run where it was looked at.
    type Output = (ToolEffectClaim, Option<i64>);

    async fn run(&self, client: &mut Object, is_again: bool) -> Result<Self::Output, Failure> {
        // The usual case in one statement: a lease that holds, and a key that is free.
        if let Some(token) = self.token
            && !is_again
            && self.insert(&*client, Some(token)).await?
        {
            return Ok((ToolEffectClaim::Granted(1), None));
        }
        self.claim(client).await
    }
}

impl Claim<'_> {
    /// Every other case, step by step.
    async fn claim(&self, client: &mut Object) -> Result<(ToolEffectClaim, Option<i64>), Failure> {
        let (start, holder) = (self.start, self.holder);
        let transaction = client.transaction().await?;
        let run_id = start.run_id.as_str();
        let may_take_over = self.token.is_none();
        let token = lease::acquire(&transaction, holder, run_id, may_take_over).await?;
        let claim = loop {
            if self.insert(&transaction, None).await? {
                break ToolEffectClaim::Granted(1);
            }
            // Gone again where it was withdrawn meanwhile.
            let known = rows::locked(&transaction, &start.tool_name, &start.key).await?;
            if let Some((known, claimant)) = known {
                break self.reclaim(&transaction, known, &claimant).await?;
            }
        };
        transaction.commit().await?;
        Ok((claim, Some(token)))
    }

    /// `false` where the key has a row, or the run isn't held under the token that is asked for.
    async fn insert(
        &self,
        client: &impl GenericClient,
        token: Option<i64>,
    ) -> Result<bool, Failure> {
        let sql = if token.is_some() { INSERT_HELD } else { INSERT };
        let insert = client.prepare_cached(sql).await?;
        let start = self.start;
        let (run_id, call_id) = (start.run_id.as_str(), start.call_id.as_str());
        let replay = replay_name(start.replay);
        let mut params: Vec<&(dyn ToSql + Sync)> = vec![
            &start.tool_name,
            &start.key,
            &run_id,
            &call_id,
            &start.request_hash,
            &replay,
            &self.holder.id,
            &self.claimant,
        ];
        if let Some(token) = &token {
            params.push(token);
        }
        let inserted = client.execute(&insert, &params).await?;
        Ok(inserted == 1)
    }

    /// What becomes of a key that has a row.
    async fn reclaim(
        &self,
        client: &impl GenericClient,
        mut known: ToolEffect,
        claimant: &str,
    ) -> Result<ToolEffectClaim, Failure> {
        if claimant == self.claimant && known.status == ToolEffectStatus::Started {
            return Ok(ToolEffectClaim::Granted(known.claim));
        }
        if !known.reclaim(self.start) {
            return Ok(ToolEffectClaim::Taken(Box::new(known)));
        }
        // A new place: it is the newest row now.
        let update = client
            .prepare_cached(
                "UPDATE effects SET run_id = $3, call_id = $4, request_hash = $5, replay = $6, status = 'started',
                     claim = $7, attempts = $8, answer = NULL, holder = $9, claimant = $10, place = DEFAULT,
                     started_at = clock_timestamp(), settled_at = NULL
                 WHERE tool_name = $1 AND key = $2",
            )
            .await?;
        client
            .execute(
                &update,
                &[
                    &known.tool_name,
                    &known.key,
                    &known.run_id.as_str(),
                    &known.call_id.as_str(),
                    &known.request_hash,
                    &replay_name(known.replay),
                    &i64::try_from(known.claim).unwrap_or(i64::MAX),
                    &i64::from(known.attempts),
                    &self.holder.id,
                    &self.claimant,
                ],
            )
            .await?;
        Ok(ToolEffectClaim::Granted(known.claim))
    }
}
