//! Tasks on the database, tried again while it is away.

use std::future::Future;
use std::time::Duration;

use anyhow::Context as _;
use deadpool_postgres::{Object, Pool};
use tokio::time::{Instant, sleep, timeout_at};

use super::failure::Failure;
use super::migration;
use super::options::PostgresOptions;
use super::session;
use crate::effects::LedgerError;

const FIRST_WAIT: Duration = Duration::from_millis(10);
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// The database of one ledger.
pub(super) struct Database {
    pool: Pool,
    /// Where it is, for messages.
    place: String,
    patience: Duration,
}

/// Something to do on one connection. It may be done again after a try whose end is not known, so it has to recognise
/// what it did itself.
pub(super) trait Task: Sync {
    type Output: Send;

    /// `is_again` tells that an earlier try may have been carried out.
    fn run(
        &self,
        client: &mut Object,
        is_again: bool,
    ) -> impl Future<Output = Result<Self::Output, Failure>> + Send;
}

impl Database {
    /// Connects, and brings the tables to the newest version.
    pub(super) async fn open(options: &PostgresOptions) -> Result<Self, LedgerError> {
        let config = session::config(&options.url)?;
        let place = session::place(&config, &options.schema);
        let pool = session::pool(options, config);
        let pool = pool.with_context(|| format!("the ledger {place} can't be used"))?;
        let database = Self {
            pool,
            place,
            patience: options.patience,
        };
        let schema = options.schema.clone();
        database.perform(&migration::Migrate { schema }).await?;
        Ok(database)
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// Does a task, if it takes several tries.
    pub(super) async fn perform<T: Task>(&self, task: &T) -> Result<T::Output, LedgerError> {
        let now = Instant::now();
        let until = now.checked_add(self.patience).unwrap_or(now);
        let mut wait = FIRST_WAIT;
        let mut is_again = false;
        loop {
            let failure = match self.attempt(task, is_again, until).await {
                Ok(output) => return Ok(output),
                Err(failure) => failure,
            };
            if !failure.is_passing() || Instant::now() + wait >= until {
                return Err(failure.into_ledger_error(&self.place));
            }
            is_again = true;
            sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    async fn attempt<T: Task>(
        &self,
        task: &T,
        is_again: bool,
        until: Instant,
    ) -> Result<T::Output, Failure> {
        let client = timeout_at(until, self.pool.get()).await;
        let mut client = client.map_err(|_| Failure::Silent)??;
        let done = timeout_at(until, task.run(&mut client, is_again)).await;
        done.unwrap_or_else(|_| {
            // A connection that owes an answer is of no use to others.
            drop(Object::take(client));
            Err(Failure::Silent)
        })
    }
}
