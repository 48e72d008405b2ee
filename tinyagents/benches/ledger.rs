//! Started and settled pairs per second, beside two bare statements on the same table with the same settings; and what
//! a ledger costs a dispatched call. PostgreSQL is measured where `TINYAGENTS_POSTGRES_URL` names a server.

#![allow(missing_docs, clippy::unwrap_used)]

use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use tinyagents::effects::{
    MemoryLedger, ToolEffectClaim, ToolEffectLedger, ToolEffectSettle, ToolEffectStart,
    ToolEffectStatus,
};
use tinyagents::model::ToolMessage;
use tinyagents::runtime::{Dispatcher, RunLimits, RunPolicy, ToolRegistry};
use tinyagents::tinytools::{Tool, ToolPolicy, ToolReplay, ToolResult, async_trait};
use tinyagents::{RunContext, ToolCall};
use tokio::runtime::{Builder, Runtime};

/// Calls that share a run, and so a ledger in memory.
const CALLS_OF_A_RUN: u64 = 1_000;

const ANSWER: &str = "charged 1900 cents to card 17";

fn runtime() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

fn start(number: u64) -> ToolEffectStart {
    ToolEffectStart {
        run_id: "run".into(),
        call_id: format!("c{number}").into(),
        tool_name: "charge".to_owned(),
        key: format!("{number:064}"),
        request_hash: "0".repeat(64),
        replay: ToolReplay::Never,
    }
}

async fn pair(ledger: &dyn ToolEffectLedger, number: u64) {
    let start = start(number);
    let settle = ToolEffectSettle {
        tool_name: start.tool_name.clone(),
        key: start.key.clone(),
        claim: 1,
        status: ToolEffectStatus::Completed,
        answer: Some(ToolMessage::new(start.call_id.as_str(), "charge", ANSWER).into()),
        attempts: 1,
    };
    let claim = ledger.started(start).await.unwrap();
    assert!(matches!(claim, ToolEffectClaim::Granted(1)));
    ledger.settled(settle).await.unwrap();
}

/// As many calls of a batch run together by default.
#[cfg(any(feature = "postgres", feature = "sqlite"))]
const TOGETHER: usize = 8;

#[cfg(feature = "postgres")]
mod postgres {
    use criterion::{BenchmarkId, Throughput};
    use deadpool_postgres::tokio_postgres::{Client, NoTls, Statement, connect};
    use futures::{StreamExt as _, stream};
    use tinyagents::effects::PostgresOptions;

    use super::{ANSWER, Criterion, Instant, TOGETHER, ToolMessage, pair, runtime, start};

    /// The least that anybody would write: one statement before, one after, each durable.
    struct Bare {
        client: Client,
        insert: Statement,
        update: Statement,
    }

    impl Bare {
        async fn connect(url: &str) -> Self {
            let (client, connection) = connect(url, NoTls).await.unwrap();
            tokio::spawn(connection);
            client
                .batch_execute("SET search_path = bench")
                .await
                .unwrap();
            let insert = "INSERT INTO effects (tool_name, key, run_id, call_id, request_hash, replay, status, claim,
                              attempts, holder, claimant)
                          VALUES ($1, $2, $3, $4, $5, 'never', 'started', 1, 1, '', '')";
            let update = "UPDATE effects SET status = 'completed', answer = $3, settled_at = clock_timestamp()
                          WHERE tool_name = $1 AND key = $2";
            Self {
                insert: client.prepare(insert).await.unwrap(),
                update: client.prepare(update).await.unwrap(),
                client,
            }
        }

        async fn pair(&self, number: u64) {
            let start = start(number);
            let (run_id, call_id) = (start.run_id.as_str(), start.call_id.as_str());
            self.client
                .execute(
                    &self.insert,
                    &[
                        &start.tool_name,
                        &start.key,
                        &run_id,
                        &call_id,
                        &start.request_hash,
                    ],
                )
                .await
                .unwrap();
            let answer = ToolMessage::new(call_id, "charge", ANSWER);
            let answer = serde_json::to_string(&answer).unwrap();
            self.client
                .execute(&self.update, &[&start.tool_name, &start.key, &answer])
                .await
                .unwrap();
        }
    }

    pub(super) fn pairs(criterion: &mut Criterion) {
        let Ok(server) = std::env::var("TINYAGENTS_POSTGRES_URL") else {
            println!("postgres: not measured; TINYAGENTS_POSTGRES_URL is not set");
            return;
        };
        let url = format!("{server}?sslmode=disable");
        let runtime = runtime();
        let (ledger, bare) = runtime.block_on(async {
            let (client, connection) = connect(&url, NoTls).await.unwrap();
            tokio::spawn(connection);
            let drop = "DROP SCHEMA IF EXISTS bench CASCADE";
            client.batch_execute(drop).await.unwrap();
            let options = PostgresOptions::new(&url).schema("bench");
            let ledger = options.connect().await.unwrap();
            (ledger, Bare::connect(&url).await)
        });
        let mut group = criterion.benchmark_group("postgres");
        group.throughput(Throughput::Elements(1)).sample_size(20);
        let mut next = 0;
        group.bench_function("bare", |bencher| {
            bencher.iter_custom(|pairs| {
                let first = next + 1;
                next += pairs;
                let started = Instant::now();
                runtime.block_on(async {
                    for number in first..=next {
                        bare.pair(number).await;
                    }
                });
                started.elapsed()
            });
        });
        for together in [1, TOGETHER] {
            group.bench_function(BenchmarkId::new("ledger", together), |bencher| {
                bencher.iter_custom(|pairs| {
                    let first = next + 1;
                    next += pairs;
                    let started = Instant::now();
                    runtime.block_on(
                        stream::iter(first..=next)
                            .for_each_concurrent(together, |number| pair(&ledger, number)),
                    );
                    started.elapsed()
                });
            });
        }
        group.finish();
    }
}

#[cfg(feature = "sqlite")]
mod sqlite {
    use std::path::Path;

    use criterion::{BenchmarkId, Throughput};
    use futures::{StreamExt as _, stream};
    use rusqlite::{Connection, params};
    use tinyagents::effects::{SqliteLedger, Synchronous};

    use super::{ANSWER, Criterion, Instant, TOGETHER, ToolMessage, pair, runtime, start};

    /// The least that anybody would write: one statement before, one after, each durable.
    struct Bare(Connection);

    impl Bare {
        fn open(path: &Path, level: &str) -> Self {
            let connection = Connection::open(path).unwrap();
            connection
                .execute_batch(&format!("PRAGMA synchronous = {level}"))
                .unwrap();
            Self(connection)
        }

        fn pair(&self, number: u64) {
            let start = start(number);
            let key = start.key.as_str();
            let mut insert = self.0.prepare_cached(
                "INSERT INTO effects (tool_name, key, run_id, call_id, request_hash, replay, status, claim, attempts)
                 VALUES (?1, ?2, ?3, ?4, ?5, 'never', 'started', 1, 1)",
            );
            let insert = insert.as_mut().unwrap();
            let (run_id, call_id) = (start.run_id.as_str(), start.call_id.as_str());
            let row = params![start.tool_name, key, run_id, call_id, start.request_hash];
            insert.execute(row).unwrap();
            let answer = ToolMessage::new(call_id, "charge", ANSWER);
            let answer = serde_json::to_string(&answer).unwrap();
            let mut update = self.0.prepare_cached(
                "UPDATE effects SET status = 'completed', answer = ?3, settled_at = unixepoch()
                 WHERE tool_name = ?1 AND key = ?2",
            );
            let update = update.as_mut().unwrap();
            update
                .execute(params![start.tool_name, key, answer])
                .unwrap();
        }
    }

    pub(super) fn pairs(criterion: &mut Criterion) {
        let runtime = runtime();
        for (level, synchronous) in [("full", Synchronous::Full), ("normal", Synchronous::Normal)] {
            let mut group = criterion.benchmark_group(format!("sqlite/{level}"));
            group.throughput(Throughput::Elements(1)).sample_size(20);
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("ledger.db");
            let ledger = SqliteLedger::open_with(&path, synchronous).unwrap();
            let mut next = 0;
            let bare = Bare::open(&path, level);
            group.bench_function("bare", |bencher| {
                bencher.iter(|| {
                    next += 1;
                    bare.pair(next);
                });
            });
            for together in [1, TOGETHER] {
                group.bench_function(BenchmarkId::new("ledger", together), |bencher| {
                    bencher.iter_custom(|pairs| {
                        let first = next + 1;
                        next += pairs;
                        let started = Instant::now();
                        runtime.block_on(
                            stream::iter(first..=next)
                                .for_each_concurrent(together, |number| pair(&ledger, number)),
                        );
                        started.elapsed()
                    });
                });
            }
            group.finish();
        }
    }
}

struct Charge;

#[async_trait]
impl Tool for Charge {
    fn name(&self) -> &'static str {
        "charge"
    }

    fn description(&self) -> &'static str {
        "Charge a card."
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::classified()
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        Ok(ToolResult::success(ANSWER))
    }
}

/// One dispatched call with a ledger in memory, and without one.
fn overhead(criterion: &mut Criterion) {
    let runtime = runtime();
    let mut registry = ToolRegistry::new();
    registry.register(Charge).unwrap();
    let limits = RunLimits {
        max_tool_calls: u32::MAX,
        ..RunLimits::default()
    };
    let dispatcher = Dispatcher::new(registry).with_policy(RunPolicy {
        limits,
        ..RunPolicy::default()
    });
    let mut group = criterion.benchmark_group("overhead");
    let mut next = 0_u64;
    for case in ["without", "memory"] {
        // A run makes so many calls at most; each has a context of its own, and its ledger with that.
        let run = || match case {
            "memory" => RunContext::new().with_tool_effect_ledger(MemoryLedger::new()),
            _ => RunContext::new(),
        };
        group.bench_function(case, |bencher| {
            bencher.iter_custom(|calls| {
                let mut elapsed = Duration::ZERO;
                let mut left = calls;
                while left > 0 {
                    let (ctx, calls) = (run(), left.min(CALLS_OF_A_RUN));
                    left -= calls;
                    elapsed += runtime.block_on(async {
                        let started = Instant::now();
                        for _ in 0..calls {
                            next += 1;
                            let arguments = json!({ "amount": 1900, "card": "17" });
                            let call = ToolCall::new(format!("c{next}"), "charge", arguments);
                            dispatcher.dispatch(&(), &ctx, vec![call]).await.unwrap();
                        }
                        started.elapsed()
                    });
                }
                elapsed
            });
        });
    }
    group.bench_function("pair", |bencher| {
        let ledger = MemoryLedger::new();
        let mut number = 0;
        bencher.iter_custom(|pairs| {
            runtime.block_on(async {
                let started = Instant::now();
                for _ in 0..pairs {
                    number += 1;
                    pair(&ledger, number).await;
                }
                started.elapsed()
            })
        });
    });
    group.finish();
}

fn pairs(criterion: &mut Criterion) {
    #[cfg(feature = "postgres")]
    postgres::pairs(criterion);
    #[cfg(feature = "sqlite")]
    sqlite::pairs(criterion);
    overhead(criterion);
}

criterion_group!(benches, pairs);
criterion_main!(benches);
