//! MCP servers that hang, die and come back.

#![cfg(feature = "mcp")]
#![allow(missing_docs, clippy::unwrap_used)]

mod mcp_client_support;

use std::sync::Arc;
use std::time::Duration;

use mcp_client_support::{connected, names, only, settled, tool, wire, wires};
use serde_json::json;
use tinyagents::effects::{MemoryLedger, ToolEffectLedger, ToolEffectStatus};
use tinyagents::mcp::{McpError, McpLimits, McpToolSet, McpTransport};
use tinyagents::toolset::ToolSet;
use tinyagents::{
    AgentEvent, Dispatcher, EventLog, RunContext, ToolCall, ToolMessage, ToolRegistry,
};
use tokio::time::Instant;

async fn row(set: &McpToolSet, ctx: &RunContext) -> ToolMessage {
    let dispatcher = Dispatcher::new(ToolRegistry::new()).with_toolset(set.clone());
    let calls = vec![ToolCall::new("c1", "a", json!({}))];
    let batch = dispatcher.dispatch(&(), ctx, calls).await.unwrap();
    batch.messages.into_iter().next().unwrap()
}

/// Set and ends of a server that can be reached this often.
async fn reached(times: usize) -> (McpToolSet, Vec<mcp_client_support::Wire>) {
    let (transport, mut wires) = wires(times);
    let (set, ()) = tokio::join!(
        McpToolSet::connect(transport),
        wires[0].open(json!([tool("a")]))
    );
    (set.unwrap(), wires)
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_given_up_in_time() {
    let (transport, mut wire) = wire();
    let begun = Instant::now();
    let set = McpToolSet::builder(transport).with_name("mute").connect();
    let error = set.await.unwrap_err();
    assert_eq!(begun.elapsed(), McpLimits::default().connect_timeout);
    let expected = McpError::TimedOut {
        server: "mute".to_owned(),
        what: "answer",
        limit: Duration::from_secs(30),
    };
    assert_eq!(error, expected);
    // The greeting was sent, and then the connection was let go.
    assert_eq!(wire.next().await.unwrap()["method"], "initialize");
    assert_eq!(wire.next().await, None);
}

fn unreachable(outcome: Result<McpToolSet, McpError>) -> String {
    let Err(McpError::Unreachable { reason, .. }) = outcome else {
        unreachable!("{outcome:?}");
    };
    reason
}

#[tokio::test]
async fn a_server_that_greets_wrongly_is_an_error() {
    for (greeting, reason) in [
        (
            json!({ "jsonrpc": "2.0", "id": 99, "result": {} }),
            "its first message is no answer to `initialize`",
        ),
        (
            json!({ "jsonrpc": "2.0", "id": 0, "result": { "tools": [] } }),
            "its first message is no answer to `initialize`",
        ),
        (
            json!({ "jsonrpc": "2.0", "id": 0, "error": { "code": -1, "message": "go away" } }),
            "it refused the session: go away (code -1); its own log may say why",
        ),
    ] {
        let (transport, mut wire) = wire();
        let serve = async {
            wire.next().await.unwrap();
            wire.send(greeting).await;
        };
        let (outcome, ()) = tokio::join!(McpToolSet::connect(transport), serve);
        assert_eq!(unreachable(outcome), reason);
    }
    let (transport, wire) = wire();
    drop(wire);
    let outcome = McpToolSet::connect(transport).await;
    assert_eq!(unreachable(outcome), "its streams ended before it answered");
}

#[tokio::test]
async fn calls_that_are_under_way_when_the_server_dies_are_each_answered_once() {
    let (set, mut wire) = connected(json!([tool("a")])).await;
    let shown = only(&set).await;
    let die = async {
        for _ in 0..3 {
            wire.call().await;
        }
        drop(wire);
    };
    let call = || shown.execute(json!({}));
    let (first, second, third, ()) = tokio::join!(call(), call(), call(), die);
    for outcome in [first, second, third] {
        let error = format!("{:#}", outcome.unwrap_err());
        assert!(
            error.contains("went away before it answered; its effect may have happened"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_call_whose_end_nobody_knows_is_interrupted_in_the_ledger() {
    let (set, mut wire) = connected(json!([tool("a")])).await;
    let ledger = Arc::new(MemoryLedger::new());
    let ctx = RunContext::new().with_run_id("r1");
    let ctx = ctx.with_tool_effect_ledger(Arc::clone(&ledger) as Arc<dyn ToolEffectLedger>);
    let die = async {
        wire.call().await;
        drop(wire);
    };
    let (row, ()) = tokio::join!(row(&set, &ctx), die);
    assert!(
        row.is_error && row.content.contains("may have happened"),
        "{row:?}"
    );
    let effects = ledger.of_call("r1", "c1").await.unwrap();
    assert_eq!(
        effects[0].status,
        ToolEffectStatus::Interrupted,
        "{effects:?}"
    );
}

#[tokio::test]
async fn a_read_only_call_leaves_nothing_in_doubt() {
    let (transport, mut wire) = wire();
    let mut look = tool("a");
    look["annotations"] = json!({ "readOnlyHint": true });
    let set = McpToolSet::builder(transport).trusting_server().connect();
    let (set, ()) = tokio::join!(set, wire.open(json!([look])));
    let (set, ctx) = (set.unwrap(), RunContext::new());
    let die = async {
        wire.call().await;
        drop(wire);
    };
    let (row, ()) = tokio::join!(row(&set, &ctx), die);
    assert_eq!(
        row.content,
        "`a` failed: its server went away before it answered"
    );
}

#[tokio::test]
async fn a_server_that_died_is_reached_again_by_the_next_call() {
    let (set, mut wires) = reached(2).await;
    let shown = only(&set).await;
    let mut second = wires.remove(1);
    wires.clear();
    settled().await;
    let serve = async {
        second.open(json!([tool("a")])).await;
        let call = second.call().await;
        second.say(&call, "back").await;
    };
    let (result, ()) = tokio::join!(shown.execute(json!({})), serve);
    assert_eq!(result.unwrap().text(), "back");
}

#[tokio::test]
async fn all_who_wait_for_a_server_wait_for_one_try() {
    let (set, mut wires) = reached(3).await;
    let shown = only(&set).await;
    let mut third = wires.remove(2);
    let mut second = wires.remove(1);
    wires.clear();
    settled().await;
    let serve = async {
        second.open(json!([tool("a")])).await;
        for _ in 0..3 {
            let call = second.call().await;
            second.say(&call, "back").await;
        }
    };
    let call = || shown.execute(json!({}));
    let (first, other, names, last, ()) = tokio::join!(call(), call(), names(&set), call(), serve);
    for result in [first, other, last] {
        assert_eq!(result.unwrap().text(), "back");
    }
    assert_eq!(names, ["a"]);
    set.close().await;
    drop(set);
    drop(shown);
    assert_eq!(third.next().await, None, "nobody came here");
}

#[tokio::test]
async fn a_server_that_comes_back_with_another_definition_is_not_called() {
    let (set, mut wires) = reached(2).await;
    let shown = only(&set).await;
    let mut second = wires.remove(1);
    wires.clear();
    settled().await;
    let mut other = tool("a");
    other["description"] = "Do worse.".into();
    let (result, ()) = tokio::join!(shown.execute(json!({})), second.open(json!([other])));
    let error = format!("{:#}", result.unwrap_err());
    assert!(error.contains("was not run"), "{error}");
    assert!(only(&set).await.policy().access.approval_required);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_keeps_failing_is_tried_ever_more_rarely() {
    let (set, wires) = reached(1).await;
    drop(wires);
    settled().await;
    let shown = only(&set).await;
    let mut tries = Vec::new();
    let begun = Instant::now();
    for _ in 0..12 {
        // Whatever the call says, it says it at once.
        let at = Instant::now();
        let error = format!("{:#}", shown.execute(json!({})).await.unwrap_err());
        assert!(
            error.contains("`a` was not run: its server is not available"),
            "{error}"
        );
        assert!(at.elapsed() < Duration::from_secs(1));
        // Who waits as long as it says finds the next try.
        let Err(McpError::Waiting { retry_after, .. }) = waiting(&set).await else {
            unreachable!()
        };
        tries.push(begun.elapsed());
        tokio::time::advance(retry_after).await;
    }
    let waits: Vec<Duration> = tries
        .windows(2)
        .map(|pair| pair[1].abs_diff(pair[0]))
        .collect();
    assert!(
        waits.is_sorted() && waits[0] < Duration::from_secs(2),
        "{waits:?}"
    );
    assert_eq!(*waits.last().unwrap(), Duration::from_secs(30), "{waits:?}");
}

/// Why the set has no server.
async fn waiting(set: &McpToolSet) -> Result<(), McpError> {
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    set.tools(&ctx).await.unwrap();
    let told = log.events().into_iter().find_map(|event| match event {
        AgentEvent::Custom { data, .. } => data["unavailable"].as_str().map(str::to_owned),
        _ => None,
    });
    let Some(told) = told else { return Ok(()) };
    let wait = told.rsplit(' ').next().unwrap();
    let wait = wait.strip_suffix("ms").map_or_else(
        || {
            wait.strip_suffix('s')
                .unwrap()
                .parse::<f64>()
                .map(Duration::from_secs_f64)
        },
        |millis| {
            millis
                .parse::<f64>()
                .map(|millis| Duration::from_secs_f64(millis / 1000.0))
        },
    );
    Err(McpError::Waiting {
        server: "mcp".to_owned(),
        failures: 0,
        retry_after: wait.unwrap(),
    })
}

#[tokio::test(start_paused = true)]
async fn the_last_known_tools_are_shown_while_the_server_is_away_and_the_host_is_told() {
    let (set, wires) = reached(1).await;
    drop(wires);
    settled().await;
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let shown = set.tools(&ctx).await.unwrap();
    assert_eq!(shown.len(), 1);
    let told = log.events().into_iter().any(|event| {
        matches!(event, AgentEvent::Custom { data, .. }
            if data["mcp_server"] == "mcp" && data["unavailable"].as_str().unwrap().contains("no server is left"))
    });
    assert!(told, "{:?}", log.events());
}

#[tokio::test]
async fn streams_that_have_ended_cannot_be_had_again() {
    let (set, wire) = connected(json!([tool("a")])).await;
    drop(wire);
    settled().await;
    let error = format!(
        "{:#}",
        only(&set).await.execute(json!({})).await.unwrap_err()
    );
    assert!(error.contains("not available"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_read_holds_up_nobody_who_closes_or_drops() {
    let (set, wire) = connected(json!([tool("a")])).await;
    let shown = only(&set).await;
    // More than the pipe holds, and nobody takes it out.
    let large = json!({ "text": "x".repeat(1_000_000) });
    let error = format!("{:#}", shown.execute(large).await.unwrap_err());
    assert!(error.contains("did not answer in time"), "{error}");
    let begun = Instant::now();
    set.close().await;
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "{:?}",
        begun.elapsed()
    );
    drop((set, shown, wire));
}

#[tokio::test]
async fn the_connection_ends_with_the_last_who_can_use_it() {
    let (set, mut wire) = connected(json!([tool("a")])).await;
    let shown = only(&set).await;
    drop(set);
    let serve = async {
        let call = wire.call().await;
        wire.say(&call, "still here").await;
    };
    let (result, ()) = tokio::join!(shown.execute(json!({})), serve);
    assert_eq!(result.unwrap().text(), "still here");
    drop(shown);
    assert_eq!(wire.next().await, None);
}

#[tokio::test]
async fn a_closed_set_says_so_and_stays_closed() {
    let (set, mut wires) = reached(2).await;
    let shown = only(&set).await;
    set.close().await;
    set.close().await;
    let error = set
        .tools(&RunContext::new())
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("is closed"), "{error}");
    assert!(shown.execute(json!({})).await.is_err());
    assert_eq!(wires[0].next().await, None);
    drop((set, shown));
    assert_eq!(wires[1].next().await, None);
}

#[tokio::test]
async fn a_dropped_attempt_to_connect_lets_the_other_side_go() {
    let (transport, mut wire) = wire();
    let attempt = tokio::spawn(McpToolSet::connect(transport));
    assert_eq!(wire.next().await.unwrap()["method"], "initialize");
    attempt.abort();
    assert_eq!(wire.next().await, None);
}

#[tokio::test]
async fn an_address_that_is_none_and_secrets_in_one_are_not_shown() {
    use tinyagents::mcp::McpHttp;
    for address in [
        "not an address",
        "ftp://example.com/",
        "http://127.0.0.1:1/mcp?key=s3cret",
    ] {
        let server = McpHttp::new(address)
            .with_bearer_token("t0ken")
            .with_header("x-key", "h1dden");
        let transport = McpTransport::http(server);
        let shown = format!("{transport:?}");
        let error = McpToolSet::connect(transport).await.unwrap_err();
        assert!(matches!(error, McpError::Unreachable { .. }), "{error:?}");
        for text in [shown, error.to_string(), format!("{error:?}")] {
            for secret in ["s3cret", "t0ken", "h1dden"] {
                assert!(!text.contains(secret), "{text}");
            }
        }
    }
    let bad = McpHttp::new("http://127.0.0.1:1/").with_header("a b", "c");
    let error = McpToolSet::connect(bad).await.unwrap_err().to_string();
    assert!(error.contains("no name of a header"), "{error}");
}
