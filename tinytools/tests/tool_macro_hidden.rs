//! Hidden parameters: every form, where they come from, and what is said where one is missing.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::json;
use tinytools::{Tool, ToolCallOptions, ToolResult, ToolRunContext, tool, tools};

#[derive(Clone)]
struct Key(u8);

struct Db(u8);

trait Store: Send + Sync {
    fn id(&self) -> u8;
}

impl Store for Db {
    fn id(&self) -> u8 {
        self.0
    }
}

/// Show everything.
#[tool]
#[expect(clippy::too_many_arguments, reason = "one of each form")]
async fn audit<'a>(
    /// Not for the model.
    #[hidden]
    ctx: &dyn ToolRunContext,
    #[hidden] db: &'a Db,
    visible: u8,
    #[hidden] store: &'a dyn Store,
    #[hidden] shared_store: Arc<dyn Store>,
    #[hidden] shared: Arc<Db>,
    #[hidden] key: Key,
    #[hidden] maybe: Option<&Db>,
    #[hidden] maybe_key: Option<Key>,
    #[hidden] no: Option<&u64>,
    #[hidden] no_store: Option<&dyn Any2>,
    #[hidden] _: Option<&dyn ToolRunContext>,
    #[hidden] mut number: u16,
) -> String {
    std::future::ready(()).await;
    number += 1;
    format!(
        "{:?} {} {visible} {} {} {} {} {} {} {no:?} {} {number}",
        ctx.run_id(),
        db.0,
        store.id(),
        shared_store.id(),
        shared.0,
        key.0,
        maybe.is_some(),
        maybe_key.is_some(),
        no_store.is_none(),
    )
}

trait Any2: Send + Sync {}

#[derive(Default)]
struct Context(HashMap<TypeId, Box<dyn Any + Send + Sync>>);

impl Context {
    fn with<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.0.insert(TypeId::of::<T>(), Box::new(value));
        self
    }
}

impl ToolRunContext for Context {
    fn run_id(&self) -> Option<&str> {
        Some("r1")
    }

    fn get(&self, id: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        self.0.get(&id).map(AsRef::as_ref)
    }
}

fn run(tool: &dyn Tool, ctx: &dyn ToolRunContext) -> anyhow::Result<ToolResult> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let options = ToolCallOptions::default();
    runtime.block_on(tool.execute_with_context(json!({ "visible": 9 }), options, Some(ctx)))
}

fn full() -> Context {
    Context::default()
        .with(Db(1))
        .with(Arc::new(Db(3)))
        .with::<Arc<dyn Store>>(Arc::new(Db(2)))
        .with(Key(4))
        .with(5_u16)
}

#[test]
fn every_form_is_taken_from_the_context_by_its_type() {
    let result = run(&AuditTool, &full()).unwrap();
    assert_eq!(
        result.output(),
        "Some(\"r1\") 1 9 2 2 3 4 true true None true 6"
    );
}

#[test]
fn hidden_parameters_are_declared_to_the_host_and_not_to_the_model() {
    let declared: Vec<_> = AuditTool
        .injected()
        .iter()
        .map(|injected| (injected.parameter, injected.optional))
        .collect();
    assert_eq!(
        declared,
        [
            ("ctx", false),
            ("db", false),
            ("store", false),
            ("shared_store", false),
            ("shared", false),
            ("key", false),
            ("maybe", true),
            ("maybe_key", true),
            ("no", true),
            ("no_store", true),
            ("_", true),
            ("number", false),
        ]
    );
    assert_eq!(AuditTool.injected()[1].type_id, TypeId::of::<Db>());
    assert_eq!(
        AuditTool.injected()[2].type_id,
        TypeId::of::<Arc<dyn Store>>()
    );
    assert_eq!(
        AuditTool.parameters_schema()["properties"],
        json!({ "visible": { "type": "integer", "minimum": 0, "maximum": 255 } })
    );
}

#[test]
fn a_missing_value_is_an_error_and_no_panic() {
    let ctx = Context::default().with(Db(1));
    let error = format!("{:#}", run(&AuditTool, &ctx).unwrap_err());
    assert!(
        error.contains("audit") && error.contains("store"),
        "{error}"
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let outside = runtime.block_on(AuditTool.execute(json!({ "visible": 1 })));
    assert!(outside.is_err());
}

struct Motto(&'static str);

/// Tell the motto.
#[tool]
#[expect(
    clippy::unnecessary_wraps,
    reason = "the lifetime is to be inside a `Result`"
)]
fn motto<'a>(
    #[hidden] motto: &'a Motto,
    #[hidden] _other: Option<&'a Db>,
) -> Result<&'a str, String> {
    Ok(motto.0)
}

#[test]
fn what_is_hidden_may_be_returned() {
    let ctx = Context::default().with(Motto("slow"));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let options = ToolCallOptions::default();
    let result = runtime.block_on(MottoTool.execute_with_context(json!({}), options, Some(&ctx)));
    assert_eq!(result.unwrap().output(), "slow");
}

mod billing {
    /// Give the money back.
    #[tinytools::tool(payment)]
    pub(crate) fn refund() {}
}

#[test]
fn tools_lists_paths_of_tools() {
    let all: Vec<Arc<dyn Tool>> = tools![AuditTool, billing::RefundTool,];
    let names: Vec<_> = all.iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["audit", "refund"]);
    assert!(tools![].is_empty());
}

#[test]
fn a_tool_can_be_declared_inside_a_function() {
    /// Say hello.
    #[tool]
    fn hello() -> &'static str {
        "hello"
    }
    assert_eq!(hello(), "hello");
    assert_eq!(HelloTool.name(), "hello");
}
