//! The state of a toolbox, shared by thousands of calls at the same time.

#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use tinyagents::tinytools::{IntoTools, toolbox};
use tinyagents::{Dispatcher, RunContext, RunPolicy, ToolCall, ToolRegistry};
use tokio::sync::Barrier;

const CALLS: usize = 4000;

struct Library {
    visits: AtomicU64,
    seen: Mutex<BTreeSet<u64>>,
    running: AtomicUsize,
    everyone: Barrier,
}

#[toolbox(prefix = "library", crate = ::tinyagents::tinytools)]
impl Library {
    /// Visit, and wait for everyone else.
    #[tool(read_only, timeout = Unbounded)]
    async fn visit(&self, visitor: u64) -> u64 {
        self.running.fetch_add(1, Ordering::SeqCst);
        // Nobody leaves before all have come: all calls hold the state at the same time.
        self.everyone.wait().await;
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(visitor);
        self.visits.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Leave.
    #[tool(read_only)]
    fn leave(self: Arc<Self>) -> usize {
        self.running.fetch_sub(1, Ordering::SeqCst) - 1
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn thousands_of_calls_at_once_share_the_state_of_a_toolbox() {
    let library = Arc::new(Library {
        visits: AtomicU64::new(0),
        seen: Mutex::default(),
        running: AtomicUsize::new(0),
        everyone: Barrier::new(CALLS),
    });
    let mut registry = ToolRegistry::new();
    registry
        .register_all(Arc::clone(&library).into_tools())
        .unwrap();
    let dispatcher = Arc::new(Dispatcher::new(registry).with_policy(RunPolicy {
        max_concurrent_tools: CALLS,
        ..RunPolicy::default()
    }));
    let each: Vec<_> = (0..CALLS as u64)
        .map(|visitor| {
            let dispatcher = Arc::clone(&dispatcher);
            tokio::spawn(async move {
                let calls = vec![
                    ToolCall::new("visit", "library_visit", json!({ "visitor": visitor })),
                    ToolCall::new("leave", "library_leave", json!({})),
                ];
                let ctx = RunContext::new();
                dispatcher.dispatch(&(), &ctx, calls).await.unwrap()
            })
        })
        .collect();
    let mut orders = BTreeSet::new();
    for dispatched in each {
        let batch = dispatched.await.unwrap();
        assert!(batch.messages.iter().all(|message| !message.is_error));
        orders.insert(batch.messages[0].content.parse::<u64>().unwrap());
    }
    // Each call had an answer of its own, and none was lost.
    assert_eq!(orders, (1..=CALLS as u64).collect());
    assert_eq!(library.visits.load(Ordering::SeqCst), CALLS as u64);
    assert_eq!(library.seen.lock().unwrap().len(), CALLS);
    assert_eq!(library.running.load(Ordering::SeqCst), 0);
}
