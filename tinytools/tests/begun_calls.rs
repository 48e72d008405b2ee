//! When a call begins and when it is over, as a runtime makes it.

#![expect(clippy::needless_pass_by_value, clippy::panic, reason = "tests")]

mod call_support;

use std::any::{Any, TypeId};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use call_support::{call, finish, poll};
use serde_json::{Value, json};
use tinytools::__private::Called;
use tinytools::{
    InjectionError, Tool, ToolCallOptions, ToolResult, ToolRunContext, async_trait, tool,
};

/// Greet.
#[tool]
fn greet(name: &str) -> String {
    format!("Hello, {name}.")
}

#[test]
fn a_plain_function_is_over_at_once() {
    let args = json!({ "name": "Ada" });
    assert!(matches!(
        GreetTool.__call(call(&args, None)),
        Called::Done(Ok(_))
    ));
    assert!(matches!(
        GreetTool.__call(call(&json!({}), None)),
        Called::Done(Err(_))
    ));
}

static RINGS: AtomicBool = AtomicBool::new(false);

/// Ring the bell.
#[tool]
async fn ring() {
    RINGS.store(true, Ordering::Relaxed);
}

#[test]
fn an_async_function_begins_at_its_first_poll() {
    let args = json!({});
    let Called::Running(mut execution) = RingTool.__call(call(&args, None)) else {
        panic!("an async function is over before it is polled");
    };
    assert!(!RINGS.load(Ordering::Relaxed));
    assert!(poll(&mut execution).is_ready());
    assert!(RINGS.load(Ordering::Relaxed));
}

static KNOCKS: AtomicBool = AtomicBool::new(false);

/// Knock on the door.
#[tool]
fn knock() {
    KNOCKS.store(true, Ordering::Relaxed);
}

#[test]
fn an_execution_of_a_plain_function_begins_at_its_first_poll() {
    let mut execution = KnockTool.execute(json!({}));
    assert!(!KNOCKS.load(Ordering::Relaxed));
    assert!(poll(&mut execution).is_ready());
    assert!(KNOCKS.load(Ordering::Relaxed));
}

struct Echo;

#[async_trait]
impl Tool for Echo {
    fn name(&self) -> &'static str {
        "echo"
    }

    fn description(&self) -> &'static str {
        "Say it again."
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        Ok(ToolResult::json(args))
    }
}

#[test]
fn a_tool_written_by_hand_gets_a_copy_of_the_arguments() {
    let args = json!({ "text": ["x"] });
    let called = Echo.__call(call(&args, None));
    assert!(matches!(called, Called::Running(_)));
    assert_eq!(finish(called), Ok(ToolResult::json(args)));
}

/// Fail.
#[tool]
fn stumble(over: String) -> String {
    panic!("stumbled over {over}")
}

#[test]
fn a_panic_of_a_plain_function_unwinds_out_of_the_call() {
    let args = json!({ "over": "a stone" });
    let called = catch_unwind(AssertUnwindSafe(|| StumbleTool.__call(call(&args, None))));
    let payload = called.unwrap_err();
    let text = payload.downcast_ref::<String>().map(String::as_str);
    assert_eq!(text, Some("stumbled over a stone"));
    assert_eq!(args, json!({ "over": "a stone" }));
}

struct Tally(u32);

impl ToolRunContext for Tally {
    fn get(&self, id: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        (id == TypeId::of::<Self>()).then_some(self)
    }
}

/// Count on.
#[tool]
fn count_on(#[hidden] tally: &Tally, by: u32) -> u32 {
    tally.0 + by
}

#[test]
fn a_plain_function_gets_its_hidden_values_from_the_run() {
    let (args, tally) = (json!({ "by": 2 }), Tally(40));
    let called = CountOnTool.__call(call(&args, Some(&tally)));
    assert_eq!(finish(called), Ok(ToolResult::json(json!(42))));
    let options = ToolCallOptions::default();
    let execution = CountOnTool.execute_with_context(args.clone(), options, Some(&tally));
    assert_eq!(
        finish(Called::Running(execution)),
        Ok(ToolResult::json(json!(42)))
    );
    let Called::Done(Err(error)) = CountOnTool.__call(call(&args, None)) else {
        panic!("there is no run");
    };
    assert!(error.downcast_ref::<InjectionError>().is_some(), "{error}");
}
