//! The statements of each operation.

use anyhow::Context as _;
use rusqlite::{Connection, OptionalExtension as _, Params, Row, named_params, params};

use super::failure::Failure;
use super::operation::{Operation, Outcome};
use super::paused_runs;
use crate::effects::stored::{Stored, replay_name};
use crate::effects::{
    LedgerError, ToolEffect, ToolEffectClaim, ToolEffectSettle, ToolEffectStart, ToolEffectStatus,
};

/// The columns of a row, in the order that [`read`] has them.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT run_id, call_id, tool_name, key, request_hash, replay, status, claim, attempts, answer FROM effects ",
            $rest
        )
    };
}

/// Runs one operation in the transaction that is open.
pub(super) fn run(connection: &Connection, operation: &Operation) -> Result<Outcome, Failure> {
    match operation {
        Operation::Start(start) => claim(connection, start).map(Outcome::Claim),
        Operation::Settle(settle) => settled(connection, settle).map(|()| Outcome::Done),
        Operation::Withdraw {
            tool_name,
            key,
            claim,
        } => withdraw(connection, tool_name, key, *claim).map(|()| Outcome::Done),
        Operation::Unresolved(run_id) => {
            let sql = select!("WHERE run_id = ?1 AND status = 'started' ORDER BY place");
            rows(connection, sql, params![run_id]).map(Outcome::Rows)
        }
        Operation::OfCall { run_id, call_id } => {
            let sql = select!("WHERE run_id = ?1 AND call_id = ?2 ORDER BY place");
            rows(connection, sql, params![run_id, call_id]).map(Outcome::Rows)
        }
        Operation::SaveRun {
            run_id,
            text,
            expected,
        } => paused_runs::save(connection, run_id, text, *expected).map(Outcome::Version),
        Operation::LoadRun(run_id) => paused_runs::load(connection, run_id).map(Outcome::Run),
        Operation::ClaimRun { run_id, expected } => {
            paused_runs::claim(connection, run_id, *expected).map(Outcome::Version)
        }
        Operation::RemoveRun { run_id, expected } => {
            paused_runs::remove(connection, run_id, *expected).map(|()| Outcome::Done)
        }
    }
}

fn claim(connection: &Connection, start: &ToolEffectStart) -> Result<ToolEffectClaim, Failure> {
    if insert(connection, start, 1, 1)? {
        return Ok(ToolEffectClaim::Granted(1));
    }
    let mut known = known(connection, &start.tool_name, &start.key)?;
    if !known.reclaim(start) {
        return Ok(ToolEffectClaim::Taken(Box::new(known)));
    }
    // A new place: it is the newest row now.
    delete(connection, &start.tool_name, &start.key)?;
    insert(connection, start, known.claim, known.attempts)?;
    Ok(ToolEffectClaim::Granted(known.claim))
}

/// `false` where the key has a row.
fn insert(
    connection: &Connection,
    start: &ToolEffectStart,
    claim: u64,
    attempts: u32,
) -> Result<bool, Failure> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO effects (tool_name, key, run_id, call_id, request_hash, replay, status, claim, attempts)
         VALUES (:tool_name, :key, :run_id, :call_id, :request_hash, :replay, 'started', :claim, :attempts)
         ON CONFLICT (tool_name, key) DO NOTHING",
    )?;
    let inserted = insert.execute(named_params! {
        ":tool_name": start.tool_name,
        ":key": start.key,
        ":run_id": start.run_id.as_str(),
        ":call_id": start.call_id.as_str(),
        ":request_hash": start.request_hash,
        ":replay": replay_name(start.replay),
        ":claim": i64::try_from(claim).unwrap_or(i64::MAX),
        ":attempts": attempts,
    })?;
    Ok(inserted == 1)
}

fn settled(connection: &Connection, settle: &ToolEffectSettle) -> Result<(), Failure> {
    if settle.status == ToolEffectStatus::Started {
        return Err(LedgerError::NoSettlement.into());
    }
    let answer = settle.answer.as_ref().map(serde_json::to_string);
    let answer = answer.transpose().context("the answer has no JSON form");
    let answer = answer.map_err(LedgerError::Other)?;
    // The usual case in one statement; what it says is the rule of `ToolEffect::settle`.
    let mut update = connection.prepare_cached(
        "UPDATE effects SET status = :status, answer = :answer, attempts = attempts + :more, settled_at = unixepoch()
         WHERE tool_name = :tool_name AND key = :key AND claim = :claim
         AND status IN ('started', 'interrupted') AND status <> :status",
    )?;
    let changed = update.execute(named_params! {
        ":status": settle.status.as_str(),
        ":answer": answer,
        ":more": settle.attempts.saturating_sub(1),
        ":tool_name": settle.tool_name,
        ":key": settle.key,
        ":claim": i64::try_from(settle.claim).unwrap_or(i64::MAX),
    })?;
    if changed == 1 {
        return Ok(());
    }
    // Why not? The row knows.
    let mut row = known(connection, &settle.tool_name, &settle.key)?;
    row.settle(settle.clone())?;
    Ok(())
}

fn withdraw(
    connection: &Connection,
    tool_name: &str,
    key: &str,
    claim: u64,
) -> Result<(), Failure> {
    known(connection, tool_name, key)?.check_withdrawal(claim)?;
    delete(connection, tool_name, key)
}

fn delete(connection: &Connection, tool_name: &str, key: &str) -> Result<(), Failure> {
    let sql = "DELETE FROM effects WHERE tool_name = ?1 AND key = ?2";
    connection.prepare_cached(sql)?.execute([tool_name, key])?;
    Ok(())
}

fn known(connection: &Connection, tool_name: &str, key: &str) -> Result<ToolEffect, Failure> {
    let mut select = connection.prepare_cached(select!("WHERE tool_name = ?1 AND key = ?2"))?;
    let stored = select.query_row([tool_name, key], read).optional()?;
    let Some(stored) = stored else {
        return Err(Failure::Rule(LedgerError::NotStarted {
            tool_name: tool_name.to_owned(),
        }));
    };
    stored.into_effect().map_err(Failure::Row)
}

fn rows(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> Result<Vec<ToolEffect>, Failure> {
    let mut select = connection.prepare_cached(sql)?;
    let mut effects = Vec::new();
    for stored in select.query_map(params, read)? {
        effects.push(stored?.into_effect().map_err(Failure::Row)?);
    }
    Ok(effects)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Stored> {
    Ok(Stored {
        run_id: row.get(0)?,
        call_id: row.get(1)?,
        tool_name: row.get(2)?,
        key: row.get(3)?,
        request_hash: row.get(4)?,
        replay: row.get(5)?,
        status: row.get(6)?,
        claim: row.get(7)?,
        attempts: row.get(8)?,
        answer: row.get(9)?,
    })
}
