//! What a call over arguments that the host keeps asks of the allocator.
#![expect(clippy::unwrap_used, reason = "tests")]

use allocation_counter::{AllocationInfo, measure};
use serde_json::{Value, json};
use tinytools::__private::{Call, Called};
use tinytools::{Tool, ToolCallOptions, ToolResult, ToolTimeout, tool};

/// Add two numbers.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Greet someone.
#[tool]
fn greet(name: String) -> String {
    name
}

/// Do nothing.
#[tool]
fn rest(#[arg(minimum = 0)] hours: f64, loudly: Option<bool>) {
    let _ = (hours, loudly);
}

/// Add two numbers at some time.
#[tool]
async fn add_later(a: i64, b: i64) -> i64 {
    a + b
}

fn called<'call>(tool: &'call dyn Tool, args: &'call Value) -> Called<'call> {
    tool.__call(Call {
        args,
        options: ToolCallOptions::default(),
        ctx: None,
    })
}

/// The answer of a plain function, and what was allocated for it. What is made once for a tool is made before.
fn allocations(tool: &dyn Tool, args: &Value) -> (ToolResult, AllocationInfo) {
    let _ = tool.parameters_schema();
    let mut answer = None;
    let info = measure(|| {
        if let Called::Done(done) = called(tool, args) {
            answer = Some(done);
        }
    });
    (answer.unwrap().unwrap(), info)
}

#[test]
fn adding_two_numbers_allocates_only_the_list_of_the_answer() {
    let (answer, info) = allocations(&AddTool, &json!({ "a": 1, "b": 2 }));
    assert_eq!(answer, ToolResult::json(json!(3)));
    assert_eq!(info.count_total, 1);
    assert_eq!(
        info.bytes_total,
        size_of_val(answer.content.as_slice()) as u64
    );
}

#[test]
fn a_text_is_allocated_once_and_moved_into_the_answer() {
    let (answer, info) = allocations(&GreetTool, &json!({ "name": "Ada" }));
    assert_eq!(answer.text(), "Ada");
    assert_eq!(info.count_total, 2);
}

#[test]
fn an_answer_without_content_allocates_nothing() {
    let (answer, info) = allocations(&RestTool, &json!({ "loudly": true, "hours": 7.5 }));
    assert_eq!(answer, ToolResult::default());
    assert_eq!(info.count_total, 0);
}

#[test]
fn an_async_function_takes_one_allocation_more_for_its_future() {
    let args = json!({ "a": 1, "b": 2 });
    let _ = AddLaterTool.parameters_schema();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let mut answer = None;
    let info = measure(|| {
        if let Called::Running(execution) = called(&AddLaterTool, &args) {
            answer = Some(runtime.block_on(execution));
        }
    });
    assert_eq!(answer.unwrap().unwrap(), ToolResult::json(json!(3)));
    assert_eq!(info.count_total, 2);
}

#[test]
fn the_text_of_a_number_is_allocated_once() {
    let (answer, _) = allocations(&AddTool, &json!({ "a": 1, "b": 2 }));
    let mut output = String::new();
    let info = measure(|| output = answer.output());
    assert_eq!(output, "3");
    assert_eq!(info.count_total, 1);
}

/// Publish a text.
#[tool(
    credentials("press"),
    redact("text"),
    label = "Publish",
    timeout_ms = 5
)]
fn publish(text: String) {
    drop(text);
}

/// Publish a text sometime.
#[tool(workspace = Scoped, trusted_roots("/srv/press"), detail = "a text", timeout = Unbounded)]
fn print(text: String) {
    drop(text);
}

/// Publish a text at once.
#[tool(redact("text"))]
fn shout(text: String) {
    drop(text);
}

#[test]
fn asking_for_the_time_of_a_call_copies_no_text_of_the_policy() {
    let args = json!({ "text": "long" });
    let tools: [&dyn Tool; 3] = [&PublishTool, &PrintTool, &ShoutTool];
    for (tool, expected) in tools.into_iter().zip([
        ToolTimeout::Millis(5),
        ToolTimeout::Unbounded,
        ToolTimeout::Inherit,
    ]) {
        let mut timeout = None;
        let info = measure(|| timeout = Some(tool.timeout_policy(&args)));
        assert_eq!(timeout, Some(expected));
        assert_eq!(tool.policy().runtime.timeout_policy(), expected);
        assert_eq!(info.count_total, 0, "{}", tool.name());
    }
}
