//! Hooks around a call.

#![allow(missing_docs, clippy::unwrap_used)]

mod around;
mod lifecycle_support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use around::around;
use lifecycle_support::{Made, add, call, dispatch, dispatcher};
use serde_json::json;
use tinyagents::middleware::ToolPolicyMiddleware;
use tinyagents::runtime::StopReason;
use tinyagents::tinytools::{Injected, PermissionLevel, ToolPolicy, ToolResult};
use tinyagents::{RunContext, TinyAgentsError, ToolCall, ToolError};

#[tokio::test]
async fn a_hook_that_does_not_call_on_answers_without_the_tool() {
    let tool = Made::echo("echo");
    let dispatcher = dispatcher([tool.clone()]).with_middleware(around(|_, _, _| {
        Box::pin(async { Ok(ToolResult::success("cached")) })
    }));
    let batch = dispatch(&dispatcher, &RunContext::new(), vec![call("c1", "echo")]).await;
    assert_eq!(
        (batch.messages[0].content.as_str(), tool.runs()),
        ("cached", 0)
    );
    assert!(batch.executed_tools.is_empty());
}

#[tokio::test]
async fn a_hook_may_call_on_again_and_the_last_result_counts() {
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tries);
    let tool = Made::new("flaky", move |_| {
        let tries = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            if tries < 2 {
                return Err(ToolError::failed("not yet").into());
            }
            Ok(ToolResult::success("there"))
        }
    });
    let dispatcher = dispatcher([tool]).with_middleware(around(|ctx, call, next| {
        Box::pin(async move {
            let mut result = next.run(ctx, call).await?;
            while result.is_error {
                result = next.run(ctx, call).await?;
            }
            Ok(result)
        })
    }));
    let batch = dispatch(&dispatcher, &RunContext::new(), vec![call("c1", "flaky")]).await;
    assert_eq!(batch.messages[0].content, "there");
    assert_eq!(tries.load(Ordering::SeqCst), 3);
    assert_eq!(batch.executed_tools.len(), 1, "once per call");
}

/// Runs `add` with 1 and 2, with a hook that hands on these arguments instead.
async fn handed_on(arguments: serde_json::Value) -> (tinyagents::Batch, usize) {
    let mut tool = add();
    tool.injected = vec![Injected::of::<Secret>("secret")];
    let hook = around(move |ctx, call, next| {
        let mut changed = call.clone();
        changed.arguments = arguments.clone();
        Box::pin(async move { next.run(ctx, &changed).await })
    });
    let dispatcher = dispatcher([tool.clone()]).with_middleware(hook);
    let ctx = RunContext::new().provide(Secret);
    let calls = vec![ToolCall::new("c1", "add", json!({ "a": 1, "b": 2 }))];
    (dispatch(&dispatcher, &ctx, calls).await, tool.runs())
}

struct Secret;

#[tokio::test]
async fn changed_arguments_are_checked_again() {
    let (batch, runs) = handed_on(json!({ "a": 20, "b": 3 })).await;
    assert_eq!((batch.messages[0].content.as_str(), runs), ("23", 1));

    let (batch, runs) = handed_on(json!({ "a": "x" })).await;
    assert_eq!((batch.messages[0].is_error, runs), (true, 0));
    assert!(batch.executed_tools.is_empty());

    // A hidden name that comes back is stripped: the schema would refuse it.
    let (batch, runs) = handed_on(json!({ "a": 1, "b": 1, "secret": "forged" })).await;
    assert_eq!((batch.messages[0].content.as_str(), runs), ("2", 1));
}

#[tokio::test]
async fn changed_arguments_are_asked_about_again() {
    let mut tool = Made::echo("run");
    tool.permission = |args| match args["root"].as_bool() {
        Some(true) => PermissionLevel::Dangerous,
        _ => PermissionLevel::ReadOnly,
    };
    let dispatcher = dispatcher([tool.clone()])
        .with_middleware(ToolPolicyMiddleware::new([]).max_permission(PermissionLevel::Write))
        .with_middleware(around(|ctx, call, next| {
            let mut changed = call.clone();
            changed.arguments = json!({ "root": true });
            Box::pin(async move { next.run(ctx, &changed).await })
        }));
    let batch = dispatch(&dispatcher, &RunContext::new(), vec![call("c1", "run")]).await;
    assert!(batch.messages[0].content.contains("not allowed"));
    assert_eq!(tool.runs(), 0);
}

#[tokio::test]
async fn a_hook_cannot_make_a_call_another_one() {
    for rename in [true, false] {
        let tools = [Made::echo("echo"), Made::echo("other")];
        let dispatcher =
            dispatcher(tools.clone()).with_middleware(around(move |ctx, call, next| {
                let mut changed = call.clone();
                if rename {
                    "other".clone_into(&mut changed.name);
                } else {
                    "c9".clone_into(&mut changed.id);
                }
                Box::pin(async move { next.run(ctx, &changed).await })
            }));
        let batch = dispatch(&dispatcher, &RunContext::new(), vec![call("c1", "echo")]).await;
        assert!(batch.messages[0].is_error);
        assert_eq!(tools[0].runs() + tools[1].runs(), 0);
        assert!(
            matches!(&batch.stop, Some(StopReason::Middleware(text)) if text.contains("`around`"))
        );
    }
}

#[tokio::test]
async fn a_hook_that_fails_after_the_call_says_that_it_may_have_happened() {
    let tool = Made::echo("send").policy(ToolPolicy::classified());
    let dispatcher = dispatcher([tool.clone()]).with_middleware(around(|ctx, call, next| {
        Box::pin(async move {
            next.run(ctx, call).await?;
            Err(TinyAgentsError::Validation("secret of the host".into()))
        })
    }));
    let batch = dispatch(&dispatcher, &RunContext::new(), vec![call("c1", "send")]).await;
    assert_eq!(tool.runs(), 1);
    let content = &batch.messages[0].content;
    assert!(
        content.contains("may have happened") && !content.contains("secret"),
        "{content}"
    );
    assert_eq!(batch.executed_tools.len(), 1);
    assert!(matches!(batch.stop, Some(StopReason::Middleware(_))));
}

#[tokio::test]
async fn a_call_leaves_the_loop_through_the_hooks_with_its_changed_arguments() {
    let tool = Made::new("ask", |_| async {
        Err(ToolError::ApprovalRequired {
            metadata: json!("why"),
        }
        .into())
    });
    let dispatcher = dispatcher([tool]).with_middleware(around(|ctx, call, next| {
        let mut changed = call.clone();
        changed.arguments = json!({ "n": 2 });
        Box::pin(async move { next.run(ctx, &changed).await })
    }));
    let batch = dispatch(&dispatcher, &RunContext::new(), vec![call("c1", "ask")]).await;
    let deferred = batch.deferred.unwrap();
    assert_eq!(deferred.approvals[0].arguments, json!({ "n": 2 }));
    assert_eq!(deferred.metadata["c1"], json!("why"));
    assert!(batch.messages.is_empty());
}

#[tokio::test]
async fn a_fatal_failure_ends_the_run_though_a_hook_tries_again() {
    let tool = Made::new("doom", |_| async {
        Err(ToolError::fatal(anyhow::anyhow!("no disk")).into())
    });
    let dispatcher = dispatcher([tool]).with_middleware(around(|ctx, call, next| {
        Box::pin(async move {
            next.run(ctx, call).await?;
            Ok(ToolResult::success("fine"))
        })
    }));
    let batch = dispatch(&dispatcher, &RunContext::new(), vec![call("c1", "doom")]).await;
    assert!(matches!(batch.stop, Some(StopReason::Fatal(_))));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_run_does_not_wait_for_a_hook() {
    let tool = Made::echo("echo");
    let dispatcher = dispatcher([tool.clone()])
        .with_middleware(around(|_, _, _| Box::pin(std::future::pending())));
    let ctx = RunContext::new().with_timeout(Duration::from_secs(3));
    let batch = dispatch(&dispatcher, &ctx, vec![call("c1", "echo")]).await;
    assert!(batch.messages[0].content.contains("not run"));
    assert_eq!((batch.stop, tool.runs()), (Some(StopReason::Deadline), 0));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_a_hook_gives_up_has_run_and_holds_up_nothing() {
    let tool = Made::new("slow", |_| std::future::pending()).policy(ToolPolicy::classified());
    for waits in [false, true] {
        let dispatcher =
            dispatcher([tool.clone()]).with_middleware(around(move |ctx, call, next| {
                Box::pin(async move {
                    let given_up =
                        tokio::time::timeout(Duration::from_secs(1), next.run(ctx, call));
                    assert!(given_up.await.is_err());
                    if waits {
                        std::future::pending::<()>().await;
                    }
                    Ok(ToolResult::error("gave up"))
                })
            }));
        let ctx = RunContext::new().with_timeout(Duration::from_secs(3));
        let batch = dispatch(&dispatcher, &ctx, vec![call("c1", "slow")]).await;
        assert_eq!(batch.executed_tools.len(), 1);
        let content = &batch.messages[0].content;
        if waits {
            assert!(content.contains("may have happened"), "{content}");
            assert_eq!(batch.stop, Some(StopReason::Deadline));
        } else {
            assert_eq!((content.as_str(), batch.stop), ("gave up", None));
        }
    }
}
