//! A host's own ranking of what is searched.

#![allow(missing_docs, clippy::unwrap_used, clippy::needless_pass_by_value)]

mod discovery_support;
mod toolset_support;

use std::sync::Arc;

use discovery_support::{dispatcher, found, search};
use tinyagents::{
    AgentEvent, Dispatcher, EventLog, RunContext, RunPolicy, TinyAgentsError, ToolDiscoveryPolicy,
    ToolRanker, ToolSchema, async_trait,
};
use toolset_support::one;

/// Ranks by a fixed list, or fails in one way or another.
struct Fixed(Result<Vec<&'static str>, &'static str>);

#[async_trait]
impl ToolRanker for Fixed {
    async fn rank(
        &self,
        query: &str,
        tools: &[ToolSchema],
        _: usize,
        _: &RunContext,
    ) -> Result<Vec<String>, TinyAgentsError> {
        assert!(query != "panic", "no answer");
        assert!(tools.iter().all(|tool| tool.name != "secret_wipe"));
        match &self.0 {
            Ok(names) => Ok(names.iter().map(|name| (*name).to_owned()).collect()),
            Err(text) => Err(TinyAgentsError::Other(anyhow::anyhow!(*text))),
        }
    }
}

fn ranked(ranker: Fixed) -> Dispatcher {
    let discovery = ToolDiscoveryPolicy {
        ranker: Some(Arc::new(ranker)),
        ..ToolDiscoveryPolicy::default()
    };
    dispatcher().with_policy(RunPolicy {
        discovery,
        ..RunPolicy::default()
    })
}

#[tokio::test]
async fn a_ranker_decides_among_what_may_be_found() {
    let order = vec![
        "convert",
        "secret_wipe",
        "read",
        "made_up",
        "convert",
        "create_issue",
    ];
    let dispatcher = ranked(Fixed(Ok(order)));
    let (text, _) = one(&dispatcher, &RunContext::new(), search("anything")).await;
    assert_eq!(found(&text), ["convert", "create_issue"]);
}

#[tokio::test]
async fn a_ranker_that_fails_is_replaced_by_words_and_that_is_said() {
    let dispatcher = ranked(Fixed(Err("no embeddings at 10.0.0.1")));
    for query in ["issue", "panic"] {
        let log = EventLog::new();
        let ctx = RunContext::new().with_events(log.clone());
        let (text, is_error) = one(&dispatcher, &ctx, search(query)).await;
        assert!(!is_error, "{text}");
        if query == "issue" {
            assert_eq!(found(&text), ["create_issue"]);
            assert!(
                text.contains("ranking failed") && !text.contains("10.0.0.1"),
                "{text}"
            );
        }
        assert!(log.events().iter().any(|event| matches!(
            event,
            AgentEvent::ToolSearched {
                ranker_error: Some(_),
                ..
            }
        )));
    }
}
