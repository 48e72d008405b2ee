//! Reading rows.

use deadpool_postgres::tokio_postgres::Row;
use deadpool_postgres::tokio_postgres::types::ToSql;
use deadpool_postgres::{GenericClient, Object};

use super::database::Task;
use super::failure::Failure;
use crate::effects::ToolEffect;
use crate::effects::stored::Stored;

/// The columns of a row, in the order that [`read`] has them.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT run_id, call_id, tool_name, key, request_hash, replay, status, claim, attempts, answer, claimant
             FROM effects ",
            $rest
        )
    };
}

/// Which rows of a run.
pub(super) enum Rows<'a> {
    /// Those that are started.
    Unresolved { run_id: &'a str },
    /// Those of one call.
    OfCall { run_id: &'a str, call_id: &'a str },
}

impl Task for Rows<'_> {
    type Output = Vec<ToolEffect>;

    async fn run(&self, client: &mut Object, _: bool) -> Result<Self::Output, Failure> {
        let (sql, params): (_, Vec<&(dyn ToSql + Sync)>) = match self {
            Self::Unresolved { run_id } => (
                select!("WHERE run_id = $1 AND status = 'started' ORDER BY place"),
                vec![run_id],
            ),
            Self::OfCall { run_id, call_id } => (
                select!("WHERE run_id = $1 AND call_id = $2 ORDER BY place"),
                vec![run_id, call_id],
            ),
        };
        let select = client.prepare_cached(sql).await?;
        let rows = client.query(&select, &params).await?;
        let effects = rows.iter().map(|row| read(row).map(|(effect, _)| effect));
        effects.collect()
    }
}

/// The row of a key and who claimed it, locked until the transaction ends.
pub(super) async fn locked(
    client: &impl GenericClient,
    tool_name: &str,
    key: &str,
) -> Result<Option<(ToolEffect, String)>, Failure> {
    let select = select!("WHERE tool_name = $1 AND key = $2 FOR UPDATE");
    let select = client.prepare_cached(select).await?;
    let row = client.query_opt(&select, &[&tool_name, &key]).await?;
    row.as_ref().map(read).transpose()
}

fn read(row: &Row) -> Result<(ToolEffect, String), Failure> {
    let stored = Stored {
        run_id: row.try_get(0)?,
        call_id: row.try_get(1)?,
        tool_name: row.try_get(2)?,
        key: row.try_get(3)?,
        request_hash: row.try_get(4)?,
        replay: row.try_get(5)?,
        status: row.try_get(6)?,
        claim: row.try_get(7)?,
        attempts: row.try_get(8)?,
        answer: row.try_get(9)?,
    };
    let effect = stored.into_effect().map_err(Failure::Row)?;
    Ok((effect, row.try_get(10)?))
}
