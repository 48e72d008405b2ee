//! What each adaptor shows, calls and refuses.

#![allow(missing_docs, clippy::unwrap_used)]

mod toolset_support;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use tinyagents::tinytools::__private::{Call, Called};
use tinyagents::tinytools::{ToolCallOptions, ToolError, ToolRunContext, tool};
use tinyagents::toolset::{
    ApprovalRequiredToolSet, CombinedToolSet, ExternalToolSet, FilteredToolSet, PrefixedToolSet,
    PreparedToolSet, RenamedToolSet, ToolExposureExplanation, ToolSet, ToolSetExt,
};
use tinyagents::{
    RunContext, TinyAgentsError, Tool, ToolGroup, ToolRegistry, ToolResult, ToolSchema, async_trait,
};
use toolset_support::{Echo, error, names, registry, set};

async fn call(set: &dyn ToolSet, name: &str) -> Result<String, TinyAgentsError> {
    call_with(set, name, json!({})).await
}

async fn call_with(set: &dyn ToolSet, name: &str, args: Value) -> Result<String, TinyAgentsError> {
    let called = set.call(name, args, &RunContext::new()).await;
    called.map(|result: ToolResult| result.text())
}

#[track_caller]
fn assert_unknown(called: &Result<String, TinyAgentsError>, name: &str) {
    assert!(
        matches!(called, Err(TinyAgentsError::ToolNotFound(missing)) if missing == name),
        "{called:?}"
    );
}

#[tokio::test]
async fn a_registry_is_a_set() {
    let set = set(&["read", "list"]);
    assert_eq!(names(&set).await, ["list", "read"]);
    assert_eq!(call(&set, "read").await.unwrap(), "read {}");
    assert_unknown(&call(&set, "write").await, "write");
}

#[tokio::test]
async fn a_combination_has_the_tools_of_all_and_calls_their_owner() {
    let both = CombinedToolSet::new(vec![Arc::new(set(&["a", "b"])), set(&["c"]).prefixed("x")]);
    assert_eq!(names(&both).await, ["a", "b", "x_c"]);
    assert_eq!(call(&both, "x_c").await.unwrap(), "c {}");
    assert_unknown(&call(&both, "c").await, "c");
    assert_eq!(names(&set(&["a"]).combined(set(&["b"]))).await, ["a", "b"]);
}

#[test]
fn a_combination_says_once_what_its_members_say_in_the_same_words() {
    let guided = |name: &str, instructions: &str| -> Arc<dyn ToolSet> {
        let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(Echo::new(name))];
        let mut registry = ToolRegistry::new();
        let group = ToolGroup::new(name, tools).with_instructions(instructions);
        registry.register_group(group).unwrap();
        Arc::new(registry)
    };
    let members = vec![
        guided("a", "Ask first."),
        guided("b", "Ask first. Then wait."),
        guided("c", "Ask first."),
        Arc::new(set(&["d"])),
    ];
    let said = CombinedToolSet::new(members).instructions();
    assert_eq!(said.as_deref(), Some("Ask first.\n\nAsk first. Then wait."));
    assert_eq!(CombinedToolSet::new(vec![]).instructions(), None);
}

#[tokio::test]
async fn a_name_of_two_members_is_an_error_that_names_both_and_the_fix() {
    let clash = CombinedToolSet::new(vec![
        Arc::new(set(&["gh_search"])),
        set(&["search"]).prefixed("gh"),
    ]);
    let text = error(&clash).await;
    for part in [
        "member 1 (ToolRegistry)",
        "member 2 (PrefixedToolSet `gh`)",
        "`gh_search`",
        ".prefixed(..)",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(call(&clash, "gh_search").await.is_err());
}

#[tokio::test]
async fn a_filter_hides_and_refuses_by_tool_and_context() {
    let filtered = FilteredToolSet::new(set(&["pay", "read"]), |tool, ctx| {
        tool.name() != "pay" || ctx.tags().iter().any(|tag| tag == "cashier")
    });
    assert_eq!(names(&filtered).await, ["read"]);
    assert_unknown(&call(&filtered, "pay").await, "pay");
    let cashier = RunContext::new().with_tag("cashier");
    assert_eq!(filtered.tools(&cashier).await.unwrap().len(), 2);
    assert!(filtered.call("pay", json!({}), &cashier).await.is_ok());
    let exposed = filtered.exposed(&RunContext::new()).await.unwrap();
    let out = ToolExposureExplanation::FilteredOut { tool: "pay".into() };
    assert_eq!(exposed.explanations, [out]);
}

#[tokio::test]
async fn a_prefix_is_put_on_and_taken_off() {
    let prefixed = PrefixedToolSet::new(set(&["search"]), "gh");
    assert_eq!(names(&prefixed).await, ["gh_search"]);
    assert_eq!(call(&prefixed, "gh_search").await.unwrap(), "search {}");
    for name in ["search", "ghsearch", "gh_", "gh_other", "gl_search"] {
        assert_unknown(&call(&prefixed, name).await, name);
    }
    let twice = prefixed.prefixed("my");
    assert_eq!(call(&twice, "my_gh_search").await.unwrap(), "search {}");
    let exposed = twice.exposed(&RunContext::new()).await.unwrap();
    let changes = exposed.explanations.iter();
    assert!(changes.clone().all(|change| change.tool() == "search"));
    let texts: Vec<String> = changes.map(ToString::to_string).collect();
    assert_eq!(
        texts,
        ["prefixed to `gh_search`", "prefixed to `my_gh_search`"]
    );
}

#[tokio::test]
async fn a_prefix_that_makes_no_name_is_an_error() {
    let long = error(&set(&["search"]).prefixed("x".repeat(60))).await;
    assert!(
        long.contains("can't become") && long.contains("shorter prefix"),
        "{long}"
    );
    // Neither a space nor a name of the runtime's own.
    assert!(
        error(&set(&["search"]).prefixed("g h"))
            .await
            .contains("g h_search")
    );
    let reserved = error(&set(&["search", "call"]).prefixed("tool")).await;
    assert!(reserved.contains("`tool_call`"), "{reserved}");
}

#[tokio::test]
async fn names_are_changed_one_by_one_and_may_be_swapped() {
    let renamed = RenamedToolSet::new(set(&["a", "b", "c"]), [("a", "b"), ("b", "a"), ("z", "y")]);
    assert_eq!(names(&renamed).await, ["b", "a", "c"]);
    assert_eq!(call(&renamed, "a").await.unwrap(), "b {}");
    assert_eq!(call(&renamed, "c").await.unwrap(), "c {}");
    assert_unknown(&call(&renamed, "y").await, "y");
    // A pair for a tool that isn't there takes no name from one that is.
    let absent = set(&["a"]).renamed([("z", "a")]);
    assert_eq!(call(&absent, "a").await.unwrap(), "a {}");
    let moved = set(&["a"]).renamed([("a", "find")]);
    assert_unknown(&call(&moved, "a").await, "a");
}

#[tokio::test]
async fn a_new_name_that_is_taken_is_an_error() {
    for pairs in [
        vec![("a", "b")],
        vec![("a", "x"), ("b", "x")],
        vec![("a", "x"), ("a", "y")],
    ] {
        let text = error(&set(&["a", "b"]).renamed(pairs)).await;
        assert!(
            text.contains("can't be renamed") && text.contains("another name"),
            "{text}"
        );
    }
    assert!(
        error(&set(&["a"]).renamed([("a", "No Name")]))
            .await
            .contains("No Name")
    );
    assert!(
        error(&set(&["a"]).renamed([("a", "tool_search")]))
            .await
            .contains("tool_search")
    );
}

fn object(property: &str, ty: &str) -> Value {
    json!({ "type": "object", "properties": { property: { "type": ty } }, "required": [property] })
}

#[tokio::test]
async fn a_prepared_declaration_can_ask_for_more_and_never_for_less() {
    let inner = || {
        registry([
            Echo::new("go").schema(object("n", "integer")),
            Echo::new("no"),
        ])
    };
    let asks_more = PreparedToolSet::new(inner(), |mut tools, _| {
        tools.retain(|tool| tool.name == "go");
        tools[0].description = "Go on.".to_owned();
        tools[0].parameters["properties"]["n"]["minimum"] = json!(3);
        tools
    });
    assert_eq!(names(&asks_more).await, ["go"]);
    assert_unknown(&call(&asks_more, "no").await, "no");
    let tools = asks_more.tools(&RunContext::new()).await.unwrap();
    assert_eq!(tools[0].description(), "Go on.");
    assert!(call_with(&asks_more, "go", json!({ "n": 4 })).await.is_ok());
    assert!(
        call_with(&asks_more, "go", json!({ "n": 2 }))
            .await
            .is_err()
    );
}

/// Looks at nothing itself.
struct Trusting(Echo);
#[async_trait]
impl ToolSet for Trusting {
    async fn tools(&self, _: &RunContext) -> Result<Vec<Arc<dyn Tool>>, TinyAgentsError> {
        Ok(vec![Arc::new(self.0.clone())])
    }

    async fn call(
        &self,
        _: &str,
        args: Value,
        _: &RunContext,
    ) -> Result<ToolResult, TinyAgentsError> {
        Ok(self.0.execute(args).await?)
    }
}

#[tokio::test]
async fn a_called_tool_takes_what_its_own_schema_takes_whatever_was_put_in_its_place() {
    let echo = Echo::new("go").schema(object("n", "integer"));
    let asks_less = registry([echo.clone()]).prepared(|mut tools, _| {
        tools[0].parameters = json!({ "type": "object" });
        tools
    });
    let trusting = Trusting(echo.clone()).prepared(|mut tools, _| {
        tools[0].parameters = json!({ "type": "object" });
        tools
    });
    let plain: Arc<dyn ToolSet> = Arc::new(registry([echo.clone()]));
    for set in [asks_less, trusting, plain] {
        for args in [json!({}), json!({ "n": "1" })] {
            let called = call_with(&set, "go", args).await;
            assert!(
                matches!(&called, Err(TinyAgentsError::InvalidArguments { tool, .. }) if tool == "go"),
                "{called:?}"
            );
        }
        assert_eq!(echo.runs(), 0);
        assert!(call_with(&set, "go", json!({ "n": 1 })).await.is_ok());
        echo.runs.store(0, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_prepared_set_may_neither_add_nor_rename() {
    let adds = set(&["a"]).prepared(|mut tools, _| {
        tools.push(ToolSchema::new("b", "", json!({})));
        tools
    });
    let renames = set(&["a"]).prepared(|mut tools, _| {
        tools[0].name = "b".to_owned();
        tools
    });
    let doubles = set(&["a"]).prepared(|mut tools, _| {
        tools.push(tools[0].clone());
        tools
    });
    for (set, name) in [(adds, "`b`"), (renames, "`b`"), (doubles, "`a`")] {
        let text = error(&set).await;
        assert!(
            text.contains(name) && text.contains(".renamed(..)"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn calls_wait_for_approval_and_for_the_outside() {
    let guarded = ApprovalRequiredToolSet::new(set(&["pay", "read"]), |tool| tool.name() == "pay");
    let refused = call(&guarded, "pay").await;
    assert!(
        matches!(refused, Err(TinyAgentsError::ApprovalRequired { .. })),
        "{refused:?}"
    );
    assert!(call(&guarded, "read").await.is_ok());
    assert_unknown(&call(&guarded, "other").await, "other");

    let outside = ExternalToolSet::new([ToolSchema::new("ask", "Ask.", json!({}))]);
    for set in [
        Arc::new(outside.clone()) as Arc<dyn ToolSet>,
        outside.prefixed("x"),
    ] {
        let name = names(&set).await.remove(0);
        let deferred = call(&set, &name).await;
        assert!(
            matches!(deferred, Err(TinyAgentsError::CallDeferred { .. })),
            "{deferred:?}"
        );
        assert_unknown(&call(&set, "tell").await, "tell");
    }
}

/// Double a number.
#[tool(read_only, crate = ::tinyagents::tinytools)]
fn double(number: u32) -> u32 {
    number * 2
}

struct Approved;

impl ToolRunContext for Approved {
    fn is_approved(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_tool_that_is_shown_otherwise_reads_the_arguments_where_they_are() {
    let mut registry = ToolRegistry::new();
    registry.register(DoubleTool).unwrap();
    let set = registry.prefixed("x").requiring_approval(|_| true);
    let tools = set.tools(&RunContext::new()).await.unwrap();
    let args = json!({ "number": 4 });
    let called = |ctx| {
        let options = ToolCallOptions::default();
        let args = &args;
        match tools[0].__call(Call { args, options, ctx }) {
            Called::Done(answer) => answer,
            Called::Running(_) => unreachable!("the function is not async"),
        }
    };
    assert_eq!(called(Some(&Approved)).unwrap(), ToolResult::json(json!(8)));
    let refused = called(None).unwrap_err();
    assert!(
        matches!(
            ToolError::find(&refused),
            Some(ToolError::ApprovalRequired { .. })
        ),
        "{refused:?}"
    );
}
