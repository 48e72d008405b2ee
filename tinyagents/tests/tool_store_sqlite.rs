//! What tools remember in a file.

#![allow(missing_docs, clippy::unwrap_used)]

use serde_json::{Value, json};
use tinyagents::tinytools::tool;
use tinyagents::{Dispatcher, RunContext, SqliteStore, Store, ToolCall, ToolRegistry};

/// Count up.
#[tool(classified, crate = ::tinyagents::tinytools)]
async fn count(#[hidden] store: &dyn Store) -> anyhow::Result<u64> {
    let count = store.get("count").await?.and_then(|count| count.as_u64());
    let count = count.unwrap_or_default() + 1;
    store.put("count", json!(count)).await?;
    Ok(count)
}

#[tokio::test]
async fn a_conversation_goes_on_in_a_later_process_and_keeps_others_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let mut registry = ToolRegistry::new();
    registry.register(CountTool).unwrap();
    let dispatcher = Dispatcher::new(registry);
    let mut counts = Vec::new();
    for thread in ["t1", "t1", "t2", "t1"] {
        let ctx = RunContext::new()
            .with_thread_id(thread)
            .with_store(SqliteStore::open(&path).unwrap());
        let calls = vec![ToolCall::new("c1", "count", json!({}))];
        let batch = dispatcher.dispatch(&(), &ctx, calls).await.unwrap();
        counts.push(batch.messages[0].content.clone());
    }
    assert_eq!(counts, ["1", "2", "1", "3"]);
}

#[tokio::test]
async fn a_value_that_could_not_be_read_again_is_refused_and_the_deepest_other_one_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("s.db")).unwrap();
    let deep = |levels: usize| (1..levels).fold(json!({ "a": 1 }), |value, _| json!([value]));
    for levels in [1, 100, 101, 127, 128] {
        store.put("deep", deep(levels)).await.unwrap();
        assert_eq!(store.get("deep").await.unwrap(), Some(deep(levels)));
    }
    let refused = store.put("deep", deep(129)).await.unwrap_err();
    assert!(format!("{refused:#}").contains("128 levels"), "{refused:#}");
    assert_eq!(store.get("deep").await.unwrap(), Some(deep(128)));
}

#[tokio::test]
async fn values_are_kept_as_they_are_and_keys_are_found_by_prefix() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("s.db")).unwrap();
    let values = [
        ("a%b", json!({ "z": 1, "a": [null, 0.1, "\u{0}é💩"] })),
        ("a_b", json!(null)),
        ("aé", json!(u64::MAX)),
        ("b", json!("")),
    ];
    for (key, value) in &values {
        store.put(key, value.clone()).await.unwrap();
    }
    for (key, value) in &values {
        assert_eq!(store.get(key).await.unwrap().as_ref(), Some(value));
    }
    assert_eq!(store.keys("a").await.unwrap(), ["a%b", "a_b", "aé"]);
    assert_eq!(store.keys("a_").await.unwrap(), ["a_b"]);
    assert_eq!(store.keys("").await.unwrap().len(), 4);
    store.put("b", json!(2)).await.unwrap();
    assert_eq!(store.get("b").await.unwrap(), Some(json!(2)));
    assert!(store.delete("b").await.unwrap() && !store.delete("b").await.unwrap());
    assert_eq!(store.get("b").await.unwrap(), None::<Value>);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_openers_of_one_file_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let stores = [(); 2].map(|()| SqliteStore::open(&path).unwrap());
    // Both at once, again and again. Of two that wait for the disk one after the other, each has its turn in time.
    for n in 0..50 {
        let [one, other] = [n, n + 50].map(|n| (format!("k{n:03}"), json!(n)));
        let puts = (
            stores[0].put(&one.0, one.1),
            stores[1].put(&other.0, other.1),
        );
        tokio::try_join!(puts.0, puts.1).unwrap();
    }
    assert_eq!(stores[0].keys("k").await.unwrap().len(), 100);
}

#[test]
fn what_is_no_store_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let refusal = |name: &str| format!("{:#}", SqliteStore::open(path(name)).unwrap_err());

    let theirs = rusqlite::Connection::open(path("theirs.db")).unwrap();
    theirs.execute_batch("CREATE TABLE theirs (x)").unwrap();
    assert!(refusal("theirs.db").contains("another application's database"));
    assert!(theirs.prepare("SELECT x FROM theirs").is_ok());

    drop(SqliteStore::open(path("newer.db")).unwrap());
    let newer = rusqlite::Connection::open(path("newer.db")).unwrap();
    newer.pragma_update(None, "user_version", 2).unwrap();
    assert!(refusal("newer.db").contains("it is of version 2"));

    std::fs::write(
        path("text.db"),
        "no database at all, but long enough to be one",
    )
    .unwrap();
    assert!(refusal("text.db").contains("not a database"));
    assert!(refusal("missing/s.db").contains("can't be opened"));
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_the_file() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let _store = SqliteStore::open(&path).unwrap();
    let mode = path.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
