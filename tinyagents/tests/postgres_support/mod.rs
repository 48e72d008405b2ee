//! The server that `.ci/run postgres` starts, and a schema of its own for each test.
#![allow(dead_code, reason = "each test program uses what it needs")]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "test code")]

use deadpool_postgres::tokio_postgres::{Client, NoTls};
use tinyagents::effects::{
    LedgerError, PostgresLedger, PostgresOptions, ToolEffectClaim, ToolEffectLedger,
    ToolEffectSettle, ToolEffectStart, ToolEffectStatus,
};
use tinyagents::model::ToolMessage;
use tinyagents::tinytools::ToolReplay;

/// Where the server is, without parameters: `postgres://user@host:port/database`.
pub(crate) fn server() -> String {
    let url = std::env::var("TINYAGENTS_POSTGRES_URL");
    url.expect("TINYAGENTS_POSTGRES_URL names a server; `.ci/run postgres` starts one")
}

pub(crate) fn plain_url() -> String {
    format!("{}?sslmode=disable", server())
}

/// A look at the tables from outside.
pub(crate) struct Database {
    pub(crate) client: Client,
    pub(crate) schema: String,
}

impl Database {
    /// An empty schema of that name.
    pub(crate) async fn new(schema: &str) -> Self {
        let database = Self::open(schema).await;
        let drop = format!("DROP SCHEMA IF EXISTS \"{schema}\" CASCADE");
        database.client.batch_execute(&drop).await.unwrap();
        database
    }

    /// The schema as it is.
    pub(crate) async fn open(schema: &str) -> Self {
        let connected = deadpool_postgres::tokio_postgres::connect(&plain_url(), NoTls).await;
        let (client, connection) = connected.unwrap();
        tokio::spawn(connection);
        let path = format!("SET search_path = \"{schema}\"");
        client.batch_execute(&path).await.unwrap();
        let schema = schema.to_owned();
        Self { client, schema }
    }

    pub(crate) fn options(&self) -> PostgresOptions {
        PostgresOptions::new(plain_url()).schema(&self.schema)
    }

    /// A host whose leases don't lapse while a test runs.
    pub(crate) async fn host(&self) -> PostgresLedger {
        let lease = std::time::Duration::from_hours(1);
        let options = self.options().lease(lease).connections(4);
        options.connect().await.unwrap()
    }

    pub(crate) async fn run(&self, sql: &str) {
        self.client.batch_execute(sql).await.unwrap();
    }

    /// As if the holder of every run had been silent for too long.
    pub(crate) async fn lapse(&self) {
        self.run("UPDATE run_leases SET expires_at = clock_timestamp() - interval '1 s'")
            .await;
    }

    /// Waits in the database.
    pub(crate) async fn wait(&self) {
        self.run("SELECT pg_sleep(0.01)").await;
    }
}

/// The start of a payment.
pub(crate) fn start(run_id: &str, key: &str) -> ToolEffectStart {
    ToolEffectStart {
        run_id: run_id.into(),
        call_id: key.into(),
        tool_name: "pay".to_owned(),
        key: key.to_owned(),
        request_hash: String::new(),
        replay: ToolReplay::Never,
    }
}

/// The end of a payment that was granted first.
pub(crate) fn settle(key: &str, status: ToolEffectStatus) -> ToolEffectSettle {
    ToolEffectSettle {
        tool_name: "pay".to_owned(),
        key: key.to_owned(),
        claim: 1,
        status,
        answer: Some(ToolMessage::new(key, "pay", "paid").into()),
        attempts: 1,
    }
}

/// Starts a payment, which is granted.
pub(crate) async fn granted(ledger: &PostgresLedger, run_id: &str, key: &str) {
    let claim = ledger.started(start(run_id, key)).await.unwrap();
    assert_eq!(claim, ToolEffectClaim::Granted(1), "{key}");
}

/// Whether another host has the run.
pub(crate) fn is_held<T>(answer: &Result<T, LedgerError>) -> bool {
    matches!(answer, Err(LedgerError::RunHeld { run_id }) if run_id == "r1")
}
