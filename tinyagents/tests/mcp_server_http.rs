//! A server over streamable HTTP, on loopback.
#![cfg(feature = "mcp")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "test code")]

use serde_json::json;
use tokio::net::TcpStream;

use mcp_http_support::{connect, serve};
use mcp_server_support::{Lifecycle, call, text};

mod mcp_http_support;
mod mcp_server_support;

#[tokio::test]
async fn each_client_is_served_as_who_it_is() {
    let served = serve().await;
    for lifecycle in Lifecycle::BOTH {
        let ada = connect(&served, "ada", lifecycle).await;
        let bob = connect(&served, "bob", lifecycle).await;
        assert_eq!(ada.list_all_tools().await.unwrap().len(), 4);
        for (client, name) in [(&ada, "ada"), (&bob, "bob"), (&ada, "ada")] {
            let result = client.call_tool(call("whoami", json!({}))).await.unwrap();
            assert_eq!(text(&result), name, "{lifecycle:?}");
        }
        let result = ada.call_tool(call("wipe", json!({}))).await.unwrap();
        assert_eq!(text(&result), "wiped", "{lifecycle:?}");
        assert_eq!(ada.service().questions().len(), 1);
    }
}

#[tokio::test]
async fn a_session_that_ends_takes_its_calls_with_it() {
    let served = serve().await;
    for lifecycle in Lifecycle::BOTH {
        let client = connect(&served, "ada", lifecycle).await;
        let peer = client.peer().clone();
        let asked = tokio::spawn(async move { peer.call_tool(call("wait", json!({}))).await });
        served.stage.begun.notified().await;
        client.cancel().await.unwrap();
        served.stage.ended.notified().await;
        assert!(asked.await.unwrap().is_err());
    }
}

#[tokio::test]
async fn a_cancelled_call_learns_of_it() {
    let served = serve().await;
    for lifecycle in Lifecycle::BOTH {
        let client = connect(&served, "ada", lifecycle).await;
        tokio::select! {
            _ = client.call_tool(call("wait", json!({}))) => panic!("nobody has told it to end"),
            () = served.stage.begun.notified() => {}
        }
        served.stage.ended.notified().await;
        let result = client
            .call_tool(call("echo", json!({ "text": "a" })))
            .await
            .unwrap();
        assert_eq!(text(&result), "a");
    }
}

#[tokio::test]
async fn everything_ends_with_the_server() {
    let served = serve().await;
    let client = connect(&served, "ada", Lifecycle::Handshake).await;
    let peer = client.peer().clone();
    let asked = tokio::spawn(async move { peer.call_tool(call("wait", json!({}))).await });
    served.stage.begun.notified().await;
    served.serving.abort();
    served.stage.ended.notified().await;
    assert!(served.serving.await.unwrap_err().is_cancelled());
    // Nobody listens any more.
    TcpStream::connect(served.address).await.unwrap_err();
    asked.abort();
}
