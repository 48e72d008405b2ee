//! The schema's version, and the steps to the newest.

use deadpool_postgres::tokio_postgres::error::SqlState;
use deadpool_postgres::{GenericClient, Object};

use super::database::Task;
use super::failure::Failure;

/// Step by step from an empty schema; the number of steps that were taken is its version. A step that has been released
/// is never changed.
const STEPS: &[&str] = &["
    CREATE TABLE effects (
        tool_name TEXT NOT NULL,
        key TEXT NOT NULL,
        place BIGINT GENERATED ALWAYS AS IDENTITY,
        run_id TEXT NOT NULL,
        call_id TEXT NOT NULL,
        request_hash TEXT NOT NULL,
        replay TEXT NOT NULL,
        status TEXT NOT NULL,
        claim BIGINT NOT NULL,
        attempts BIGINT NOT NULL,
        answer TEXT,
        holder TEXT NOT NULL,
        claimant TEXT NOT NULL,
        started_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
        settled_at TIMESTAMPTZ,
        PRIMARY KEY (tool_name, key)
    ) WITH (fillfactor = 60);
    CREATE INDEX effects_of_call ON effects (run_id, call_id);

    CREATE TABLE run_leases (
        run_id TEXT PRIMARY KEY,
        holder TEXT NOT NULL,
        token BIGINT NOT NULL,
        expires_at TIMESTAMPTZ NOT NULL
    ) WITH (fillfactor = 60);

    CREATE TABLE paused_runs (
        run_id TEXT PRIMARY KEY,
        version BIGINT GENERATED ALWAYS AS IDENTITY,
        run TEXT NOT NULL,
        writer TEXT NOT NULL,
        saved_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
    );
"];

/// Makes the schema, or takes the steps that are missing, all or none.
pub(super) struct Migrate {
    pub(super) schema: String,
}

impl Task for Migrate {
    type Output = ();

    async fn run(&self, client: &mut Object, _: bool) -> Result<(), Failure> {
        migrate(client, &self.schema, STEPS).await
    }
}

async fn migrate(client: &mut Object, schema: &str, steps: &[&str]) -> Result<(), Failure> {
    let known = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    // An application need not be allowed to change the schema, once it is as it should be.
    if version(&*client).await? == Some(known) {
        return Ok(());
    }
    let transaction = client.transaction().await?;
    // Others may be doing the same: they wait here, and find it done.
    let lock = "SELECT pg_advisory_xact_lock(hashtextextended('tinyagents ledger ' || $1, 0))";
    transaction.execute(lock, &[&schema]).await?;
    let encoding = "SELECT current_setting('server_encoding')";
    let encoding: String = transaction.query_one(encoding, &[]).await?.try_get(0)?;
    if encoding != "UTF8" {
        let why = anyhow::anyhow!("the database has the encoding {encoding}; a ledger needs UTF8");
        return Err(Failure::Other(why));
    }
    let is_there = "SELECT to_regnamespace(quote_ident($1)) IS NOT NULL";
    let is_there: bool = transaction
        .query_one(is_there, &[&schema])
        .await?
        .try_get(0)?;
    if !is_there {
        let name = schema.replace('"', "\"\"");
        let create = format!("CREATE SCHEMA \"{name}\"");
        transaction.batch_execute(&create).await?;
    }
    let found = if let Some(found) = version(&transaction).await? {
        found
    } else {
        let create = "CREATE TABLE ledger_version (version BIGINT NOT NULL);
                      INSERT INTO ledger_version VALUES (0)";
        transaction.batch_execute(create).await?;
        0
    };
    if found > known || found < 0 {
        return Err(Failure::Newer { found, known });
    }
    let taken = usize::try_from(found).unwrap_or_default();
    for step in &steps[taken..] {
        let done = transaction.batch_execute(step).await;
        done.map_err(|error| match error.code() {
            Some(&SqlState::DUPLICATE_TABLE) => Failure::NotALedger,
            _ => error.into(),
        })?;
    }
    let mark = "UPDATE ledger_version SET version = $1";
    transaction.execute(mark, &[&known]).await?;
    transaction.commit().await?;
    Ok(())
}

/// The version that is there; `None` where nothing is.
async fn version(client: &impl GenericClient) -> Result<Option<i64>, Failure> {
    let is_there = "SELECT to_regclass('ledger_version') IS NOT NULL";
    let is_there: bool = client.query_one(is_there, &[]).await?.try_get(0)?;
    if !is_there {
        return Ok(None);
    }
    let version = client
        .query_opt("SELECT version FROM ledger_version", &[])
        .await;
    let version = version.map_err(|error| match error.code() {
        Some(&SqlState::UNDEFINED_COLUMN) => Failure::NotALedger,
        _ => error.into(),
    })?;
    let version = version.ok_or(Failure::NotALedger)?.try_get(0);
    version.map(Some).map_err(|_| Failure::NotALedger)
}

#[cfg(test)]
mod tests {
    use deadpool_postgres::Pool;

    use super::*;
    use crate::effects::postgres::{PostgresOptions, session};

    const FIRST: &str = "CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (1);";
    const SECOND: &str = "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 7;";

    /// A connection to an empty schema of that name.
    async fn connected(schema: &str, parameters: &str) -> (Pool, Object) {
        let server = std::env::var("TINYAGENTS_POSTGRES_URL").unwrap();
        let url = format!("{server}?sslmode=disable{parameters}");
        let options = PostgresOptions::new(&url).schema(schema);
        let pool = session::pool(&options, session::config(&url).unwrap()).unwrap();
        let client = pool.get().await.unwrap();
        let drop = format!("DROP SCHEMA IF EXISTS {schema} CASCADE");
        client.batch_execute(&drop).await.unwrap();
        (pool, client)
    }

    async fn text(client: &Object, sql: &str) -> String {
        let row = client.query_one(sql, &[]).await.unwrap();
        row.get(0)
    }

    #[tokio::test]
    #[ignore = "needs a PostgreSQL server"]
    async fn older_tables_get_the_steps_they_lack_and_keep_their_rows() {
        let (_pool, mut client) = connected("older", "").await;
        for (steps, known) in [
            (&[FIRST][..], 1),
            (&[FIRST, SECOND], 2),
            (&[FIRST, SECOND], 2),
        ] {
            assert!(migrate(&mut client, "older", steps).await.is_ok());
            assert!(matches!(version(&client).await, Ok(Some(found)) if found == known));
        }
        let rows = text(&client, "SELECT x || ' ' || y FROM a").await;
        assert_eq!(rows, "1 7");
    }

    #[tokio::test]
    #[ignore = "needs a PostgreSQL server"]
    async fn a_step_that_fails_leaves_the_tables_as_they_were() {
        let (_pool, mut client) = connected("failing", "").await;
        assert!(migrate(&mut client, "failing", &[FIRST]).await.is_ok());
        let steps = &[FIRST, SECOND, "CREATE TABLE b (z NOTHING)"];
        let failed = migrate(&mut client, "failing", steps).await;
        assert!(matches!(failed, Err(Failure::Database(_))));
        assert!(matches!(version(&client).await, Ok(Some(1))));
        assert!(client.query("SELECT y FROM a", &[]).await.is_err());
    }

    #[tokio::test]
    #[ignore = "needs a PostgreSQL server"]
    async fn tables_of_a_newer_version_are_refused_and_not_changed() {
        let (_pool, mut client) = connected("newer", "").await;
        let steps = &[FIRST, SECOND];
        assert!(migrate(&mut client, "newer", steps).await.is_ok());
        let refused = migrate(&mut client, "newer", &[FIRST]).await;
        assert!(matches!(
            refused,
            Err(Failure::Newer { found: 2, known: 1 })
        ));
        assert!(matches!(version(&client).await, Ok(Some(2))));
    }

    #[tokio::test]
    #[ignore = "needs a PostgreSQL server"]
    async fn commits_are_durable_whatever_the_server_prefers() {
        for (prefers, expected) in [("off", "on"), ("remote_apply", "remote_apply")] {
            let parameters = format!("&options=-c%20synchronous_commit%3D{prefers}");
            let (_pool, client) = connected("durable", &parameters).await;
            let level = text(&client, "SHOW synchronous_commit").await;
            assert_eq!(level, expected);
            let isolation = text(&client, "SHOW default_transaction_isolation").await;
            assert_eq!(isolation, "read committed");
        }
    }
}
