//! What a rename must not get past: lists, policies, approvals, limits, and what is unsaid.

#![allow(missing_docs, clippy::unwrap_used)]

mod toolset_support;

use std::sync::{Arc, Mutex};

use serde_json::json;
use tinyagents::middleware::{Middleware, ToolDecision};
use tinyagents::runtime::Batch;
use tinyagents::toolset::{CombinedToolSet, ExternalToolSet, ToolSetExt};
use tinyagents::{
    DeferredToolRequests, Dispatcher, EventLog, RunContext, RunLimits, RunPolicy, TinyAgentsError,
    ToolCall, ToolPolicy, ToolRegistry, ToolSchema, UnknownToolPolicy, async_trait,
};
use toolset_support::{Echo, call, dispatcher, one, registry, set};

/// Writes down the names it is asked about, and may send calls elsewhere.
#[derive(Clone, Default)]
struct Watch {
    seen: Arc<Mutex<Vec<String>>>,
    sends_to: Option<&'static str>,
}

#[async_trait]
impl Middleware for Watch {
    async fn before_tool(
        &self,
        _: &mut RunContext,
        call: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        self.seen.lock().unwrap().push(call.name.clone());
        if let Some(name) = self.sends_to {
            name.clone_into(&mut call.name);
        }
        Ok(ToolDecision::Proceed)
    }
}

#[tokio::test]
async fn policies_see_the_real_name_and_a_rename_passes_nobodys_list() {
    let watch = Watch::default();
    let both = CombinedToolSet::new(vec![
        set(&["delete_all"]).renamed([("delete_all", "search")]),
        set(&["search"]).prefixed("gh"),
    ]);
    let dispatcher = dispatcher(both).with_middleware(watch.clone());
    let ctx = RunContext::new();
    assert_eq!(
        one(&dispatcher, &ctx, call("search")).await.0,
        "delete_all {}"
    );
    assert_eq!(
        one(&dispatcher, &ctx, call("gh_search")).await.0,
        "search {}"
    );
    assert_eq!(*watch.seen.lock().unwrap(), ["delete_all", "search"]);
    // The real name of a renamed tool is no name for a model.
    let (text, is_error) = one(&dispatcher, &ctx, call("delete_all")).await;
    assert!(
        is_error && text.contains("unknown tool `delete_all`"),
        "{text}"
    );
}

#[tokio::test]
async fn a_middleware_sends_calls_to_identities_and_not_to_names_given_away() {
    let sends = |sends_to| Watch {
        sends_to: Some(sends_to),
        ..Watch::default()
    };
    let renamed = || set(&["delete_all", "read"]).renamed([("delete_all", "search")]);
    let ctx = RunContext::new();
    // `search` is what `delete_all` is shown as; as an identity it is nobody's.
    let by_alias = dispatcher(renamed()).with_middleware(sends("search"));
    let (text, is_error) = one(&by_alias, &ctx, call("read")).await;
    assert!(is_error && text.contains("unknown tool"), "{text}");
    let by_identity = dispatcher(renamed()).with_middleware(sends("delete_all"));
    assert_eq!(
        one(&by_identity, &ctx, call("read")).await.0,
        "delete_all {}"
    );
    // Of two tools with one identity neither is meant.
    let twins = CombinedToolSet::new(vec![
        set(&["go"]).prefixed("a"),
        set(&["go"]).prefixed("b"),
        Arc::new(set(&["read"])),
    ]);
    let ambiguous = dispatcher(twins).with_middleware(sends("go"));
    assert!(one(&ambiguous, &ctx, call("read")).await.1);
    // A call that is left as it is stays the call of its own tool.
    assert_eq!(one(&ambiguous, &ctx, call("b_go")).await.0, "go {}");
}

#[tokio::test]
async fn limits_of_a_tool_count_its_real_name() {
    let policy = RunPolicy {
        limits: RunLimits {
            max_calls_per_tool: Some(1),
            ..RunLimits::default()
        },
        unknown_tool: UnknownToolPolicy::Rewrite {
            tool_name: "search".into(),
        },
        ..RunPolicy::default()
    };
    let dispatcher = dispatcher(set(&["search"]).prefixed("gh")).with_policy(policy);
    let ctx = RunContext::new();
    // A rewrite names an identity, too.
    assert_eq!(one(&dispatcher, &ctx, call("what")).await.0, "search {}");
    let (text, is_error) = one(&dispatcher, &ctx, call("gh_search")).await;
    assert!(is_error && text.starts_with("not run"), "{text}");
}

#[tokio::test]
async fn a_prepared_schema_and_the_tools_own_are_both_enforced() {
    let own = json!({
        "type": "object",
        "properties": { "n": { "type": "integer", "maximum": 9 } },
        "required": ["n"],
    });
    // It tries to ask for less than the tool does, and for more as well.
    let set = registry([Echo::new("go").schema(own)]).prepared(|mut tools, _| {
        tools[0].parameters = json!({ "type": "object", "properties": { "n": { "minimum": 3 } } });
        tools
    });
    let dispatcher = dispatcher(set);
    let ctx = RunContext::new();
    let turn = dispatcher.turn(&ctx).await.unwrap();
    assert_eq!(
        turn.schemas()[0].parameters["properties"]["n"],
        json!({ "minimum": 3 })
    );
    for (args, is_valid) in [
        (json!({ "n": 5 }), true),
        (json!({ "n": 2 }), false),
        (json!({ "n": 12 }), false),
        (json!({ "n": "5" }), false),
        (json!({}), false),
    ] {
        let call = ToolCall::new("c1", "go", args.clone());
        let (text, is_error) = one(&dispatcher, &ctx, call).await;
        assert_eq!(is_error, !is_valid, "{args}: {text}");
    }
}

#[tokio::test]
async fn approvals_and_outside_calls_leave_the_loop_under_their_real_name() {
    let outside = ExternalToolSet::new([ToolSchema::new("ask", "Ask.", json!({}))]);
    let both = CombinedToolSet::new(vec![
        set(&["pay"]).requiring_approval(|_| true),
        outside.prefixed("user"),
    ]);
    let dispatcher = dispatcher(both.prefixed("x"));
    let ctx = RunContext::new();
    let calls = vec![call("x_pay"), ToolCall::new("c2", "x_user_ask", json!({}))];
    let batch = dispatcher.dispatch(&(), &ctx, calls).await.unwrap();
    let deferred = batch.deferred.unwrap();
    assert_eq!(deferred.approvals[0].name, "pay");
    assert_eq!(deferred.calls[0].name, "ask");
    assert!(batch.messages.is_empty());
}

#[tokio::test]
async fn a_redacted_value_stays_unsaid_under_any_name() {
    let mut login = Echo::new("login").schema(json!({
        "type": "object",
        "properties": { "password": { "type": "string", "maxLength": 3 } },
    }));
    login.policy.access.redact = vec!["password".into()];
    let set = registry([login]).prepared(|mut tools, _| {
        tools[0].parameters["properties"]["password"]["minLength"] = json!(20);
        tools
    });
    let log = EventLog::new();
    let ctx = RunContext::new().with_events(log.clone());
    let dispatcher = dispatcher(set.prefixed("x"));
    for name in ["x_login", "login"] {
        for password in ["hunter2hunter2", "hun"] {
            let call = ToolCall::new("c1", name, json!({ "password": password }));
            let (text, is_error) = one(&dispatcher, &ctx, call).await;
            assert!(is_error && !text.contains("hun"), "{text}");
        }
    }
    let told = serde_json::to_string(&log.events().iter().collect::<Vec<_>>()).unwrap();
    assert!(!told.contains("hun"), "{told}");
}

#[tokio::test]
async fn an_approval_is_of_the_declaration_that_a_set_had_prepared() {
    let mut pays = Echo::new("pay");
    pays.policy = ToolPolicy::classified().requiring_approval();
    let declared = Arc::new(Mutex::new("Pays up to 10.".to_owned()));
    let set = {
        let declared = Arc::clone(&declared);
        registry([pays.clone()]).prepared(move |mut tools, _| {
            tools[0].description.clone_from(&declared.lock().unwrap());
            tools
        })
    };
    let dispatcher = dispatcher(set);
    let ctx = RunContext::new();
    let requests = |batch: Batch| batch.deferred.unwrap();
    let batch = dispatcher
        .dispatch(&(), &ctx, vec![call("pay")])
        .await
        .unwrap();
    let asked = requests(batch);
    "Pays whatever is asked.".clone_into(&mut declared.lock().unwrap());
    let results = asked.approve_all();
    let resumed = dispatcher.resume(&(), &ctx, asked, results).await.unwrap();
    assert_eq!(pays.runs(), 0, "it is not what was approved");
    let again = requests(resumed);
    let results = again.approve_all();
    let resumed = dispatcher.resume(&(), &ctx, again, results).await.unwrap();
    assert_eq!(resumed.messages[0].content, "pay {}");
}

#[tokio::test]
async fn an_approved_call_through_the_bridge_is_of_the_twin_that_was_deferred() {
    let twin = |prefix| {
        let mut tool = Echo::deferred("go", "Goes.");
        tool.policy = ToolPolicy::classified().requiring_approval();
        (tool.clone(), registry([tool]).prefixed(prefix))
    };
    let ((left, lefts), (right, rights)) = (twin("left"), twin("right"));
    let dispatcher = Dispatcher::new(ToolRegistry::new())
        .with_toolset(CombinedToolSet::new(vec![lefts, rights]));
    for (name, runs) in [("right_go", [0, 1]), ("left_go", [1, 1])] {
        let ctx = RunContext::new();
        let call = ToolCall::new("c1", "tool_call", json!({ "name": name, "arguments": {} }));
        let batch = dispatcher.dispatch(&(), &ctx, vec![call]).await.unwrap();
        let requests = batch.deferred.unwrap();
        assert_eq!(requests.approvals[0].name, "go");
        // It may wait for days, as text.
        let requests = serde_json::to_string(&requests).unwrap();
        let requests: DeferredToolRequests = serde_json::from_str(&requests).unwrap();
        let results = requests.approve_all();
        let resumed = dispatcher.resume(&(), &ctx, requests, results).await;
        let row = &resumed.unwrap().messages[0];
        assert_eq!((row.content.as_str(), row.is_error), ("go {}", false));
        assert_eq!([left.runs(), right.runs()], runs);
    }
}

#[tokio::test]
async fn an_approval_is_not_turned_to_another_tool_by_the_name_that_it_is_shown_by() {
    let mut pays = Echo::new("pay");
    pays.policy = ToolPolicy::classified().requiring_approval();
    let dispatcher = Dispatcher::new(registry([Echo::new("read"), pays.clone()]));
    let ctx = RunContext::new();
    let call = ToolCall::new("c1", "pay", json!({}));
    let batch = dispatcher.dispatch(&(), &ctx, vec![call]).await.unwrap();
    let mut requests = batch.deferred.unwrap();
    requests.approvals[0].shown_name = "read".to_owned();
    let results = requests.approve_all();
    let resumed = dispatcher.resume(&(), &ctx, requests, results).await;
    assert_eq!(resumed.unwrap().messages[0].content, "pay {}");
}
