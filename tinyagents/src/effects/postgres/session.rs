//! Connections: how they are made, and what each of them is told first.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::Context as _;
use deadpool_postgres::tokio_postgres::Config;
use deadpool_postgres::tokio_postgres::NoTls;
use deadpool_postgres::tokio_postgres::config::{Host, SslMode};
use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts,
};

use super::options::PostgresOptions;
use super::tls;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// What the client sends where nothing else is said: two hours are too long to notice that a server is gone.
const DEFAULT_KEEPALIVES_IDLE: Duration = Duration::from_hours(2);
const KEEPALIVES_IDLE: Duration = Duration::from_secs(30);

/// The connections of a ledger; none is made before it is needed.
pub(super) fn pool(options: &PostgresOptions, config: Config) -> anyhow::Result<Pool> {
    // A closed connection is noticed without asking the server; one that dies later fails its first use.
    let how = ManagerConfig {
        recycling_method: RecyclingMethod::Fast,
    };
    let manager = if config.get_ssl_mode() == SslMode::Disable {
        Manager::from_config(config, NoTls, how)
    } else {
        let connector = tls::connector(options.root_certificates.as_deref())?;
        Manager::from_config(config, connector, how)
    };
    let settings = settings(options)?;
    let prepare = Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, _| {
        let settings = settings.clone();
        Box::pin(async move {
            let done = client.batch_execute(&settings).await;
            done.map_err(HookError::Backend)
        })
    });
    let pool = Pool::builder(manager)
        .max_size(options.connections)
        .timeouts(Timeouts::wait_millis(millis(options.patience)))
        .runtime(Runtime::Tokio1)
        .post_create(prepare)
        .build();
    pool.context("the connections can't be pooled")
}

/// The database, with what is missing for a client that must not hang.
pub(super) fn config(url: &str) -> anyhow::Result<Config> {
    let config: Result<Config, _> = url.parse();
    let mut config = config.context("the URL of the ledger can't be read")?;
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if config.get_keepalives_idle() == DEFAULT_KEEPALIVES_IDLE {
        config.keepalives_idle(KEEPALIVES_IDLE);
    }
    if config.get_application_name().is_none() {
        config.application_name("tinyagents");
    }
    Ok(config)
}

/// Where the ledger is, for messages: without a user and without a password.
pub(super) fn place(config: &Config, schema: &str) -> String {
    let mut place = "postgres://".to_owned();
    for (position, host) in config.get_hosts().iter().enumerate() {
        let ports = config.get_ports();
        let port = ports.get(position).or(ports.first()).unwrap_or(&5432);
        let comma = if position == 0 { "" } else { "," };
        // Writing to a `String` can't fail.
        let _ = match host {
            Host::Tcp(name) => write!(place, "{comma}{name}:{port}"),
            #[cfg(unix)]
            Host::Unix(path) => write!(place, "{comma}{}:{port}", path.display()),
        };
    }
    let database = config.get_dbname().or(config.get_user());
    let _ = write!(place, "/{} (schema {schema})", database.unwrap_or_default());
    place
}

/// What a connection is told first. A statement or a transaction that its host has forgotten must not hold the rows of
/// others; a commit must be durable, whatever the server's default is.
fn settings(options: &PostgresOptions) -> anyhow::Result<String> {
    let schema = &options.schema;
    anyhow::ensure!(
        !schema.is_empty() && !schema.contains('\0'),
        "the name of the schema can't be used"
    );
    let schema = schema.replace('"', "\"\"");
    let patience = millis(options.patience).max(1);
    Ok(format!(
        "SET search_path = \"{schema}\";
         SET default_transaction_isolation = 'read committed';
         SET statement_timeout = {patience};
         SET idle_in_transaction_session_timeout = {patience};
         SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';"
    ))
}

/// As the server counts, which is up to 24 days.
fn millis(time: Duration) -> u64 {
    const MOST: u64 = 2_147_483_647;
    u64::try_from(time.as_millis()).unwrap_or(MOST).min(MOST)
}
