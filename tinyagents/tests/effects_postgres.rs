//! The PostgreSQL ledger: rules, hosts, versions, TLS. Run by `.ci/run postgres`, which starts a server.

#![cfg(feature = "postgres")]
#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod postgres_support;

use std::time::Duration;

use futures::future::join_all;
use postgres_support::{Database, granted, plain_url, server, settle, start};
use tinyagents::check_paused_runs;
use tinyagents::effects::{
    LedgerError, PostgresLedger, PostgresOptions, ToolEffectClaim, ToolEffectLedger,
    ToolEffectStatus, check_ledger,
};

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
