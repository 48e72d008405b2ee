//! The claim of a key.

use deadpool_postgres::{GenericClient, Object};

use super::database::Task;
use super::failure::Failure;
use super::lease::{self, Holder};
use super::rows;
use crate::effects::stored::replay_name;
use crate::effects::{ToolEffect, ToolEffectClaim, ToolEffectStart, ToolEffectStatus};

/// The columns of a new row, without its claim and attempts.
macro_rules! insert {
    ($from:literal) => {
        concat!(
            "INSERT INTO effects (tool_name, key, run_id, call_id, request_hash, replay, status, claim, attempts,
                                  holder, claimant)
             SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, 'started', 1, 1, $7::text, $8::text ",
            $from,
            " ON CONFLICT (tool_name, key) DO NOTHING RETURNING claim"
        )
    };
}

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
        if let Some(token) = self.token
            && !is_again
            && self.insert_held(&*client, token).await?
        {
            return Ok((ToolEffectClaim::Granted(1), None));
        }
        self.claim(client).await
    }
}

impl Claim<'_> {
    /// The usual case in one statement: a lease that holds until this is done, and a key that is free.
    async fn insert_held(&self, client: &impl GenericClient, token: i64) -> Result<bool, Failure> {
        let insert = client
            .prepare_cached(concat!(
                "WITH held AS (
                     SELECT FROM run_leases WHERE run_id = $3::text AND holder = $7::text AND token = $9
                     AND expires_at > clock_timestamp() FOR SHARE
                 ) ",
                insert!("FROM held")
            ))
            .await?;
        let (start, holder) = (self.start, &self.holder.id);
        let row = client
            .query_opt(
                &insert,
                &[
                    &start.tool_name,
                    &start.key,
                    &start.run_id.as_str(),
                    &start.call_id.as_str(),
                    &start.request_hash,
                    &replay_name(start.replay),
                    holder,
                    &self.claimant,
                    &token,
                ],
            )
            .await?;
        Ok(row.is_some())
    }

    /// Every other case, step by step.
    async fn claim(&self, client: &mut Object) -> Result<(ToolEffectClaim, Option<i64>), Failure> {
        let (start, holder) = (self.start, self.holder);
        let transaction = client.transaction().await?;
        let run_id = start.run_id.as_str();
        let may_take_over = self.token.is_none();
        let token = lease::acquire(&transaction, holder, run_id, may_take_over).await?;
        let claim = loop {
            if self.insert(&transaction).await? {
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

    async fn insert(&self, client: &impl GenericClient) -> Result<bool, Failure> {
        let insert = client.prepare_cached(insert!("")).await?;
        let start = self.start;
        let row = client
            .query_opt(
                &insert,
                &[
                    &start.tool_name,
                    &start.key,
                    &start.run_id.as_str(),
                    &start.call_id.as_str(),
                    &start.request_hash,
                    &replay_name(start.replay),
                    &self.holder.id,
                    &self.claimant,
                ],
            )
            .await?;
        Ok(row.is_some())
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
