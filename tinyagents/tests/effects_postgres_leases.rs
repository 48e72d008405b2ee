//! Leases of the PostgreSQL ledger: one host at a time has a run, until it is dead. Run by `.ci/run postgres`.

#![cfg(feature = "postgres")]
#![allow(missing_docs, clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod postgres_support;

use std::time::Duration;

use futures::future::join_all;
use postgres_support::{Database, granted, is_held, plain_url, settle, start};
use tinyagents::effects::{
    LedgerError, PostgresLedger, PostgresOptions, ToolEffectClaim, ToolEffectLedger,
    ToolEffectStatus,
};

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
