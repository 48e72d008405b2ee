//! How a ledger in PostgreSQL is opened.

use std::fmt;
use std::time::Duration;

use super::ledger::PostgresLedger;
use crate::effects::LedgerError;

/// How a [`PostgresLedger`] is opened: where it is, and what may differ from the defaults.
///
/// ```no_run
/// # async fn open() -> Result<(), tinyagents::LedgerError> {
/// use std::time::Duration;
/// use tinyagents::PostgresOptions;
///
/// let ledger = PostgresOptions::new("postgres://app@db.internal/app?sslmode=require")
///     .lease(Duration::from_secs(10))
///     .connections(16)
///     .connect()
///     .await?;
/// # let _ = ledger;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use]
pub struct PostgresOptions {
    pub(super) url: String,
    pub(super) schema: String,
    pub(super) lease: Duration,
    pub(super) connections: usize,
    pub(super) patience: Duration,
    pub(super) root_certificates: Option<Vec<u8>>,
}

impl PostgresOptions {
    /// The defaults for a database, given as a URL or as `key=value` pairs:
    /// <https://docs.rs/tokio-postgres/latest/tokio_postgres/config/struct.Config.html>.
    ///
    /// `sslmode` is `disable`, `prefer` (the default: TLS where the server offers it) or `require`. A certificate is
    /// always verified, the host's name included, and one that can't be fails the connection.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            schema: "tinyagents".to_owned(),
            lease: Duration::from_secs(30),
            connections: 8,
            patience: Duration::from_secs(10),
            root_certificates: None,
        }
    }

    /// The schema that holds the tables; made where it isn't there. Default: `tinyagents`.
    pub fn schema(mut self, schema: impl Into<String>) -> Self {
        self.schema = schema.into();
        self
    }

    /// How long a run stays this host's after the last sign of life, by the database's clock. Signs of life are sent
    /// three times as often. Default: 30 seconds.
    ///
    /// A host that can't reach the database for so long may lose its runs to others, and can then begin nothing more in
    /// them; a short lease makes others wait less for a dead host's runs.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// How many connections are kept at most. Default: 8.
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections.max(1);
        self
    }

    /// How long an operation waits for a database that is busy, restarting or out of reach, before it fails.
    /// Default: 10 seconds.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The certificates, in PEM form, of the authorities that the server's certificate may come from. Default: those of
    /// the operating system.
    pub fn root_certificates(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.root_certificates = Some(pem.into());
        self
    }

    /// Opens the ledger, and makes its tables or brings them to the newest version.
    ///
    /// # Errors
    /// [`Unreachable`](LedgerError::Unreachable), [`NotALedger`](LedgerError::NotALedger),
    /// [`NewerVersion`](LedgerError::NewerVersion), or what the database says; a URL or certificates that can't be read.
    pub async fn connect(self) -> Result<PostgresLedger, LedgerError> {
        PostgresLedger::open(self).await
    }
}

impl fmt::Debug for PostgresOptions {
    /// Without the URL: there may be a password in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresOptions")
            .field("schema", &self.schema)
            .field("lease", &self.lease)
            .field("connections", &self.connections)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}
