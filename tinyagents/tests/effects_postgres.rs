//! The PostgreSQL ledger: rules, hosts, leases, versions, TLS. Run by `.ci/run postgres`, which starts a server.

#![cfg(feature = "postgres")]
#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod postgres_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::join_all;
use postgres_support::{Database, plain_url, server};
use serde_json::{Value, json};
use tinyagents::effects::{
    LedgerError, LedgerFailure, PostgresLedger, PostgresOptions, ToolEffectClaim, ToolEffectLedger,
    ToolEffectSettle, ToolEffectStart, ToolEffectStatus, check_ledger,
};
use tinyagents::model::{Message, ScriptedModel, ToolMessage};
use tinyagents::tinytools::{Tool, ToolPolicy, ToolReplay, ToolResult, async_trait};
use tinyagents::{
    AgentHarness, PausedRun, PausedRunStore, RunContext, TinyAgentsError, anyhow, check_paused_runs,
};

fn start(run_id: &str, key: &str) -> ToolEffectStart {
    ToolEffectStart {
        run_id: run_id.into(),
        call_id: key.into(),
        tool_name: "pay".to_owned(),
        key: key.to_owned(),
        request_hash: String::new(),
        replay: ToolReplay::Never,
    }
}

fn settle(key: &str, status: ToolEffectStatus) -> ToolEffectSettle {
    ToolEffectSettle {
        tool_name: "pay".to_owned(),
        key: key.to_owned(),
        claim: 1,
        status,
        answer: Some(ToolMessage::new(key, "pay", "paid").into()),
        attempts: 1,
    }
}

async fn granted(ledger: &PostgresLedger, run_id: &str, key: &str) {
    let claim = ledger.started(start(run_id, key)).await.unwrap();
    assert_eq!(claim, ToolEffectClaim::Granted(1), "{key}");
}

fn is_held<T>(answer: &Result<T, LedgerError>) -> bool {
    matches!(answer, Err(LedgerError::RunHeld { run_id }) if run_id == "r1")
}

async fn takes_over_in_time(database: &Database, ledger: &PostgresLedger) {
    for _ in 0..1000 {
        match ledger.take_over("r1").await {
            Ok(()) => return,
            refused => assert!(is_held(&refused), "{refused:?}"),
        }
        database.wait().await;
    }
    panic!("the run was never free");
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn the_postgres_ledger_keeps_every_rule() {
    let database = Database::new("rules").await;
    for _ in 0..2 {
        // The second time in the tables of the first.
        let ledger = database.options().connect().await.unwrap();
        check_ledger(&ledger).await.unwrap();
        check_paused_runs(&ledger).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a PostgreSQL server"]
async fn of_many_hosts_one_gets_each_key() {
    let database = Database::new("hosts").await;
    // They also make the tables at the same moment.
    let hosts = join_all((0..6).map(|_| database.host())).await;
    let claims = hosts.iter().enumerate().map(|(number, host)| async move {
        let run_id = format!("r{number}");
        let mut granted = 0;
        for key in 0..100 {
            let start = start(&run_id, &format!("k{key}"));
            match host.started(start).await.unwrap() {
                ToolEffectClaim::Granted(_) => granted += 1,
                ToolEffectClaim::Taken(row) => assert_ne!(row.run_id.as_str(), run_id),
                other => panic!("{other:?}"),
            }
        }
        granted
    });
    let granted: usize = join_all(claims).await.into_iter().sum();
    assert_eq!(granted, 100);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn many_claims_at_once_wait_for_few_connections_and_are_all_answered() {
    let database = Database::new("crowd").await;
    let ledger = database.options().connections(3).connect().await.unwrap();
    let pairs = (0..500).map(|number| {
        let ledger = &ledger;
        async move {
            let key = format!("k{number}");
            granted(ledger, "r1", &key).await;
            let settle = settle(&key, ToolEffectStatus::Completed);
            ledger.settled(settle).await.unwrap();
        }
    });
    join_all(pairs).await;
    assert!(ledger.unresolved("r1").await.unwrap().is_empty());
    let count = "SELECT count(*) FROM effects WHERE status = 'completed'";
    let row = database.client.query_one(count, &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 500);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn a_run_has_one_host_at_a_time() {
    let database = Database::new("one_host").await;
    let (first, second) = (database.host().await, database.host().await);
    granted(&first, "r1", "a").await;
    assert!(is_held(&second.started(start("r1", "b")).await));
    assert!(is_held(&second.take_over("r1").await));
    granted(&second, "another run", "c").await;
    // Nobody but the run's host can say that nobody knows how a call ended; how it ended, anybody can.
    let interrupted = settle("a", ToolEffectStatus::Interrupted);
    assert!(is_held(&second.settled(interrupted).await));
    let row = second.unresolved("r1").await.unwrap().remove(0);
    assert_eq!((row.call_id.as_str(), row.claim), ("a", 1));
    second
        .settled(settle("a", ToolEffectStatus::Completed))
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a PostgreSQL server"]
async fn a_dead_hosts_run_is_taken_over_by_exactly_one_other() {
    let database = Database::new("dead_host").await;
    for round in 0..10 {
        let run_id = format!("round {round}");
        let (dead, key) = (database.host().await, format!("k{round}"));
        granted(&dead, &run_id, &key).await;
        drop(dead);
        database.lapse().await;
        let others = join_all((0..5).map(|_| database.host())).await;
        let taken = join_all(others.iter().map(|host| host.take_over(&run_id))).await;
        let won: Vec<_> = taken.iter().map(Result::is_ok).collect();
        assert_eq!(won.iter().filter(|won| **won).count(), 1, "{taken:?}");
        for (host, won) in others.iter().zip(won) {
            let settled = host
                .settled(settle(&key, ToolEffectStatus::Interrupted))
                .await;
            let began = host.started(start(&run_id, &format!("{key} next"))).await;
            if won {
                settled.unwrap();
                assert_eq!(began.unwrap(), ToolEffectClaim::Granted(1));
            } else {
                assert!(matches!(began, Err(LedgerError::RunHeld { .. })));
                // The winner may have been first; saying the same again changes nothing.
                assert!(matches!(settled, Ok(()) | Err(LedgerError::RunHeld { .. })));
            }
        }
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn a_host_that_wakes_up_after_a_take_over_begins_nothing_more_but_records_what_it_did() {
    let database = Database::new("woken").await;
    let (woken, other) = (database.host().await, database.host().await);
    granted(&woken, "r1", "a").await;
    database.lapse().await;
    other.take_over("r1").await.unwrap();
    other
        .settled(settle("a", ToolEffectStatus::Interrupted))
        .await
        .unwrap();
    // Even when the lease of the other one has lapsed again.
    for _ in 0..2 {
        assert!(is_held(&woken.started(start("r1", "b")).await));
        database.lapse().await;
    }
    woken
        .settled(settle("a", ToolEffectStatus::Completed))
        .await
        .unwrap();
    let rows = other.of_call("r1", "a").await.unwrap();
    assert_eq!(rows[0].status, ToolEffectStatus::Completed);
    // To go on it has to say so.
    woken.take_over("r1").await.unwrap();
    granted(&woken, "r1", "b").await;
    assert!(is_held(&other.started(start("r1", "c")).await));
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn a_lease_that_lapsed_and_was_not_taken_is_still_ones_own() {
    let database = Database::new("lapsed").await;
    let host = database.host().await;
    granted(&host, "r1", "a").await;
    database.lapse().await;
    granted(&host, "r1", "b").await;
    assert!(is_held(&database.host().await.take_over("r1").await));
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn signs_of_life_keep_a_run_until_its_call_is_dropped() {
    let database = Database::new("heartbeat").await;
    let lease = Duration::from_millis(400);
    let alive = database.options().lease(lease).connect().await.unwrap();
    let other = database.host().await;
    granted(&alive, "r1", "a").await;
    let select =
        "SELECT expires_at::text, clock_timestamp() > $1::text::timestamptz FROM run_leases";
    let mut last = None;
    let mut beats = 0;
    let mut is_past_first = false;
    let first = "SELECT (clock_timestamp() + interval '800 ms')::text";
    let first: String = database.client.query_one(first, &[]).await.unwrap().get(0);
    while beats < 4 || !is_past_first {
        assert!(is_held(&other.take_over("r1").await));
        let row = database.client.query_one(select, &[&first]).await.unwrap();
        let expires: String = row.get(0);
        is_past_first = row.get(1);
        if last.replace(expires.clone()) != Some(expires) {
            beats += 1;
        }
        database.wait().await;
    }
    alive.abandoned("pay", "a", 1);
    takes_over_in_time(&database, &other).await;
    let open = other.unresolved("r1").await.unwrap();
    assert_eq!(open.len(), 1);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn a_run_that_was_left_is_free_at_once_and_its_next_stay_is_not_given_back() {
    let database = Database::new("left").await;
    let (first, second) = (database.host().await, database.host().await);
    granted(&first, "r1", "a").await;
    // Not while a call is open.
    first.released("r1");
    assert!(is_held(&second.take_over("r1").await));
    first
        .settled(settle("a", ToolEffectStatus::Completed))
        .await
        .unwrap();
    first.released("r1");
    takes_over_in_time(&database, &second).await;
    // It comes back before the release of its last stay is carried out.
    second.released("r1");
    second.take_over("r1").await.unwrap();
    for _ in 0..20 {
        assert!(is_held(&first.take_over("r1").await));
        database.wait().await;
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn only_the_clock_of_the_database_counts() {
    let database = Database::new("clocks").await;
    let url = |zone: &str| format!("{}&options=-c%20TimeZone%3D{zone}", plain_url());
    let lease = Duration::from_mins(1);
    let host = |zone| {
        let options = PostgresOptions::new(url(zone)).schema("clocks");
        options.lease(lease).connect()
    };
    // Fourteen hours before, and twelve behind.
    let (early, late) = (host("Pacific/Kiritimati").await, host("Etc/GMT%2B12").await);
    let (early, late) = (early.unwrap(), late.unwrap());
    granted(&late, "r1", "a").await;
    assert!(is_held(&early.take_over("r1").await));
    granted(&early, "r2", "b").await;
    assert!(matches!(
        late.take_over("r2").await,
        Err(LedgerError::RunHeld { .. })
    ));
    let left =
        "SELECT bool_and(expires_at - clock_timestamp() BETWEEN '50 s' AND '60 s') FROM run_leases";
    let row = database.client.query_one(left, &[]).await.unwrap();
    assert!(row.get::<_, bool>(0));
}

/// Pays once a person has said so, and counts.
struct Pay(Arc<AtomicUsize>);

#[async_trait]
impl Tool for Pay {
    fn name(&self) -> &'static str {
        "pay"
    }

    fn description(&self) -> &'static str {
        "Pay."
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn policy(&self) -> ToolPolicy {
        let mut policy = ToolPolicy::classified();
        policy.side_effects.payment = true;
        policy.access.approval_required = true;
        policy
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(ToolResult::success("paid"))
    }
}

fn harness(model: ScriptedModel, paid: &Arc<AtomicUsize>) -> AgentHarness<()> {
    let mut harness = AgentHarness::new();
    harness.with_model(model);
    harness.register_tool(Pay(Arc::clone(paid))).unwrap();
    harness
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn of_two_hosts_that_resume_one_run_one_wins_and_the_other_is_told() {
    let database = Database::new("resumed").await;
    let paid = Arc::default();
    let first = Arc::new(database.host().await);
    let model = ScriptedModel::new().call("pay", json!({}));
    let ctx = RunContext::new().with_run_id("r1");
    let ctx = ctx.with_tool_effect_ledger(Arc::clone(&first));
    let messages = vec![Message::user("go")];
    let asking = harness(model, &paid);
    let run = asking.invoke_in_context(&(), ctx, messages).await;
    let paused = PausedRun::of(&run.unwrap()).unwrap();
    first.save(&paused, None).await.unwrap();

    // Both have read the run before one of them claims it.
    let mut hosts = Vec::new();
    for _ in 0..2 {
        let host = Arc::new(database.host().await);
        let saved = host.load("r1").await.unwrap().unwrap();
        hosts.push((host, saved));
    }
    let resumed = hosts.into_iter().map(|(host, saved)| {
        let paid = Arc::clone(&paid);
        async move {
            let version = host.claim("r1", saved.version).await?;
            let results = saved.run.requests().approve_all();
            let ctx = saved.run.context();
            let ctx = ctx.with_tool_effect_ledger(Arc::clone(&host));
            let harness = harness(ScriptedModel::new().text("done"), &paid);
            let run = harness.resume_deferred(&(), ctx, saved.run.messages, results);
            assert_eq!(run.await?.final_text.as_deref(), Some("done"));
            host.remove("r1", version).await?;
            anyhow::Ok(())
        }
    });
    let resumed = join_all(resumed).await;
    assert_eq!(resumed.iter().filter(|run| run.is_ok()).count(), 1);
    let lost = resumed.into_iter().find_map(Result::err).unwrap();
    assert!(
        matches!(
            lost.downcast_ref(),
            Some(LedgerError::PausedRunChanged { .. })
        ) && lost.to_string().contains("somebody else has resumed"),
        "{lost}"
    );
    assert_eq!(paid.load(Ordering::SeqCst), 1);
    assert!(first.load("r1").await.unwrap().is_none());
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn a_run_of_another_host_is_not_gone_on_with_whatever_the_host_prefers() {
    let database = Database::new("preference").await;
    let other = database.host().await;
    other.take_over("r1").await.unwrap();
    for failure in [LedgerFailure::Abort, LedgerFailure::Continue] {
        let paid = Arc::default();
        let mut harness: AgentHarness<()> = AgentHarness::new();
        harness.with_model(ScriptedModel::new().call("pay", json!({})).text("done"));
        let mut tool = ToolPolicy::classified();
        tool.side_effects.payment = true;
        harness
            .register_tool(Free(Pay(Arc::clone(&paid)), tool))
            .unwrap();
        let ledger = Arc::new(database.host().await);
        let ctx = RunContext::new()
            .with_run_id("r1")
            .with_tool_effect_ledger(Arc::clone(&ledger))
            .with_tool_effect_ledger_failure(failure);
        let mut messages = vec![Message::user("go")];
        let run = harness.invoke_in_context(&(), ctx.clone(), messages.clone());
        let failed = run.await.unwrap_err();
        assert!(is_lost(&failed), "{failed}");
        assert_eq!(paid.load(Ordering::SeqCst), 0);
        messages = ctx.failed_run().unwrap().messages;
        let reconciled = harness.reconcile_tool_effects(&ctx, "r1", &mut messages);
        let reconciled = reconciled.await.unwrap_err();
        assert!(is_lost(&reconciled), "{reconciled}");
    }
}

fn is_lost(error: &TinyAgentsError) -> bool {
    let TinyAgentsError::Ledger(error) = error else {
        return false;
    };
    let error = error.downcast_ref();
    matches!(error, Some(LedgerError::RunHeld { .. }))
}

/// The same under another policy.
struct Free(Pay, ToolPolicy);

#[async_trait]
impl Tool for Free {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn description(&self) -> &str {
        self.0.description()
    }

    fn parameters_schema(&self) -> Value {
        self.0.parameters_schema()
    }

    fn policy(&self) -> ToolPolicy {
        self.1.clone()
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        self.0.execute(args).await
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn what_is_no_ledger_or_a_newer_one_is_refused_and_left_alone() {
    let database = Database::new("versions").await;
    drop(database.host().await);
    database.run("UPDATE ledger_version SET version = 99").await;
    let refused = database.options().connect().await.unwrap_err();
    assert!(
        matches!(refused, LedgerError::NewerVersion { found: 99, .. }),
        "{refused}"
    );
    let database = Database::new("theirs").await;
    database
        .run("CREATE SCHEMA theirs; CREATE TABLE effects (x INTEGER)")
        .await;
    let refused = database.options().connect().await.unwrap_err();
    assert!(
        matches!(refused, LedgerError::NotALedger { .. }),
        "{refused}"
    );
    let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'theirs'";
    let row = database.client.query_one(tables, &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 1);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn once_the_tables_are_there_a_host_need_not_be_allowed_to_make_any() {
    let database = Database::new("least").await;
    drop(database.host().await);
    database
        .run(
            "DROP ROLE IF EXISTS least; CREATE ROLE least LOGIN; GRANT USAGE ON SCHEMA least TO least;
             GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA least TO least;",
        )
        .await;
    let url = plain_url().replacen("postgres@", "least@", 1);
    let options = PostgresOptions::new(url).schema("least");
    let ledger = options.connect().await.unwrap();
    check_ledger(&ledger).await.unwrap();
    check_paused_runs(&ledger).await.unwrap();
    database
        .run("DROP SCHEMA least CASCADE; DROP ROLE least")
        .await;
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn a_schema_may_have_any_name() {
    let name = "Ein \"Schema\"; DROP";
    let database = Database::new("odd").await;
    let quoted = "DROP SCHEMA IF EXISTS \"Ein \"\"Schema\"\"; DROP\" CASCADE";
    database.run(quoted).await;
    let options = || PostgresOptions::new(plain_url()).schema(name);
    granted(&options().connect().await.unwrap(), "r1", "a").await;
    let again = options().connect().await.unwrap();
    assert_eq!(again.unresolved("r1").await.unwrap().len(), 1);
    database.run(quoted).await;
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn what_the_database_can_not_hold_is_not_started() {
    let database = Database::new("nul").await;
    let host = database.host().await;
    assert!(host.started(start("r1", "a\0b")).await.is_err());
    granted(&host, "r1", "a").await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_waited_for_and_then_told_without_its_password() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let url = format!("postgres://app:s3cret@127.0.0.1:{port}/app?sslmode=disable");
    let options = || PostgresOptions::new(&url).patience(Duration::from_millis(300));
    // One that accepts and says nothing, then none.
    let silent = options().connect().await.unwrap_err();
    drop(listener);
    let gone = options().connect().await.unwrap_err();
    for failed in [silent, gone] {
        assert!(
            matches!(failed, LedgerError::Unreachable { .. }),
            "{failed:?}"
        );
        let (shown, debug) = (format!("{failed}"), format!("{failed:?} {:?}", options()));
        assert!(shown.contains(&format!("127.0.0.1:{port}/app")), "{shown}");
        assert!(!shown.contains("s3cret") && !debug.contains("s3cret"));
    }
    for url in ["postgres://app:s3cret@[/x", "host=x sslmode=s3cret"] {
        let failed = PostgresLedger::connect(url).await.unwrap_err();
        assert!(
            !format!("{failed:?} {failed:#?}").contains("s3cret"),
            "{failed:?}"
        );
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL server"]
async fn tls_is_used_and_a_certificate_that_can_not_be_verified_is_refused() {
    let path = std::env::var("TINYAGENTS_POSTGRES_CA");
    let path = path.expect("TINYAGENTS_POSTGRES_CA names the server's authority, in PEM form");
    let authority = std::fs::read(path).unwrap();
    let database = Database::new("tls").await;
    let options = |mode: &str| {
        let options = PostgresOptions::new(format!("{}?sslmode={mode}", server()));
        options.schema("tls").patience(Duration::from_secs(5))
    };
    for mode in ["require", "prefer"] {
        let ledger = options(mode).root_certificates(&authority[..]);
        let ledger = ledger.connect().await.unwrap();
        granted(&ledger, "r1", mode).await;
        let encrypted = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                         WHERE ssl AND application_name = 'tinyagents'";
        let row = database.client.query_one(encrypted, &[]).await.unwrap();
        assert!(row.get::<_, i64>(0) >= 1, "{mode}");
        ledger.released("r1");
        drop(ledger);
        database.lapse().await;
        // The authorities of the system don't know this one.
        assert!(options(mode).connect().await.is_err(), "{mode}");
    }
    for pem in [
        "",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    ] {
        let refused = options("require").root_certificates(pem).connect().await;
        assert!(format!("{:?}", refused.unwrap_err()).contains("root certificates"));
    }
}
