//! What a hand-written tool gets from the trait's defaults, and what a result reads like.

use std::any::{Any, TypeId};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tinytools::{
    Injected, InjectionError, IntoTools, PermissionLevel, Tool, ToolAccess, ToolCallOptions,
    ToolCategory, ToolContent, ToolError, ToolErrorClass, ToolExposure, ToolPolicy, ToolResult,
    ToolRunContext, ToolScope, ToolTimeout, async_trait,
};

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
        json!({ "type": "object", "properties": { "text": { "type": "string" } } })
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        Ok(ToolResult::json(args))
    }
}

#[test]
fn four_methods_make_a_tool_with_the_documented_defaults() {
    let tool: &dyn Tool = &Echo;
    let args = json!({});
    assert!(!tool.policy().classified);
    assert!(tool.injected().is_empty());
    assert!(!tool.is_blocking());
    assert_eq!(tool.idempotency_key(&args), None);
    assert_eq!(tool.output_schema(), None);
    assert!(!tool.supports_markdown());
    assert_eq!(tool.permission_level(), PermissionLevel::ReadOnly);
    assert_eq!(
        tool.permission_level_with_args(&args),
        PermissionLevel::ReadOnly
    );
    assert_eq!(tool.scope(), ToolScope::All);
    assert_eq!(tool.category(), ToolCategory::System);
    assert_eq!(tool.exposure(), ToolExposure::Direct);
    assert_eq!(tool.family(), None);
    assert!(tool.tags().is_empty());
    assert!(!tool.is_concurrency_safe(&args));
    assert!(!tool.external_effect() && !tool.external_effect_with_args(&args));
    assert_eq!(tool.max_result_size_chars(), None);
    assert_eq!(tool.timeout_policy(&args), ToolTimeout::Inherit);
    assert!(tool.host_extension().is_none());
    assert!(tool.host_call_extension(&()).is_none());
    assert!(!tool.return_direct());
    assert_eq!(tool.display_label(&args), "Echo");
    assert_eq!(tool.spec().parameters, tool.parameters_schema());
}

#[test]
fn each_way_to_execute_leads_to_the_one_that_is_written() {
    let args = json!({ "text": "x" });
    let options = ToolCallOptions::default();
    let with_context = pollster(Echo.execute_with_context(args.clone(), options, None));
    let with_options = pollster(Echo.execute_with_options(args.clone(), options));
    assert_eq!(with_context.unwrap(), ToolResult::json(args.clone()));
    assert_eq!(with_options.unwrap(), ToolResult::json(args));
}

#[test]
fn a_json_answer_reads_as_its_json_text() {
    let values = [
        json!(0),
        json!(-3),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1.5),
        json!(3.0),
        json!(-0.0),
        json!(1e300),
        json!(true),
        json!(false),
        json!(null),
        json!("a \"text\""),
        json!({ "list": [1, 2.5] }),
    ];
    for value in values {
        assert_eq!(ToolResult::json(value.clone()).output(), value.to_string());
    }
}

/// Drives a future that never waits.
fn pollster<F: Future + Unpin>(mut future: F) -> F::Output {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::Pin::new(&mut future).poll(&mut context) {
        std::task::Poll::Ready(output) => output,
        std::task::Poll::Pending => unreachable!("the future waits"),
    }
}

struct Secretive;

#[async_trait]
impl Tool for Secretive {
    fn name(&self) -> &'static str {
        "log_in"
    }

    fn description(&self) -> &'static str {
        "Log in."
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::classified().with_access(ToolAccess {
            redact: vec!["id".to_owned()],
            ..ToolAccess::default()
        })
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        Ok(ToolResult::default())
    }
}

#[test]
fn a_redacted_argument_is_no_detail() {
    assert_eq!(Secretive.display_detail(&json!({ "id": "4711" })), None);
    assert_eq!(
        Secretive
            .display_detail(&json!({ "id": "4711", "text": "hello" }))
            .as_deref(),
        Some("hello")
    );
}

#[test]
fn lists_of_tools_are_tools() {
    let shared: Vec<Arc<dyn Tool>> = vec![Arc::new(Echo)];
    let boxed: Vec<Box<dyn Tool>> = vec![Box::new(Echo)];
    assert_eq!(shared.into_tools()[0].name(), "echo");
    assert_eq!(boxed.into_tools()[0].name(), "echo");
}

#[test]
fn output_is_every_block_and_text_is_the_text() {
    let result = ToolResult::success("one")
        .with_content(ToolContent::json(json!({ "b": 1, "a": [true] })))
        .with_content(ToolContent::text("two"))
        .with_content(ToolContent::image([0; 12], "image/png"))
        .with_artifact("mem:7", "text/csv");
    assert_eq!(result.text(), "one\ntwo");
    assert_eq!(
        result.output(),
        "one\n{\"b\":1,\"a\":[true]}\ntwo\n[image: image/png, 12 bytes]\n[artifact: mem:7, text/csv]"
    );
}

#[test]
fn a_blank_markdown_falls_back() {
    let result = ToolResult::success_with_markdown("plain", " \n");
    assert_eq!(result.output_for_llm(true), "plain");
    let result = result.with_markdown("**bold**");
    assert_eq!(result.output_for_llm(true), "**bold**");
    assert_eq!(result.output_for_llm(false), "plain");
}

#[derive(Debug, thiserror::Error)]
#[error("the outer layer")]
struct Outer(#[source] ToolError);

fn every_kind() -> [(ToolError, Option<ToolErrorClass>); 6] {
    let cause = || anyhow::anyhow!("the cause");
    [
        (ToolError::retry("r"), Some(ToolErrorClass::Repairable)),
        (
            ToolError::transient_after(cause(), Duration::from_secs(1)),
            Some(ToolErrorClass::Retryable),
        ),
        (ToolError::failed("f"), Some(ToolErrorClass::Repairable)),
        (ToolError::fatal(cause()), Some(ToolErrorClass::Hard)),
        (ToolError::approval_required(json!(1)), None),
        (ToolError::deferred(json!(2)), None),
    ]
}

#[test]
fn every_kind_of_error_is_found_through_the_chain() {
    for (index, (error, class)) in every_kind().into_iter().enumerate() {
        let kind = std::mem::discriminant(&error);
        let chained = match index % 4 {
            0 => anyhow::Error::new(error),
            1 => anyhow::Error::new(error).context("inner").context("outer"),
            2 => anyhow::anyhow!("foreign").context(error).context("outer"),
            _ => anyhow::Error::new(Outer(error)).context("outermost"),
        };
        let found = ToolError::find(&chained).unwrap();
        assert_eq!(std::mem::discriminant(found), kind);
        assert_eq!(found.class(), class);
    }
    assert!(ToolError::find(&anyhow::anyhow!("foreign")).is_none());
}

struct Host {
    number: u32,
}

impl ToolRunContext for Host {
    fn get(&self, type_id: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        (type_id == TypeId::of::<u32>()).then_some(&self.number as _)
    }
}

#[test]
fn a_context_gives_what_it_was_given_and_nothing_else() {
    let ctx: &dyn ToolRunContext = &Host { number: 7 };
    assert_eq!(ctx.get_ref::<u32>(), Some(&7));
    assert_eq!(ctx.get_ref::<i32>(), None);
    assert_eq!(ctx.run_id(), None);
    assert!(!ctx.is_cancelled() && !ctx.is_approved());
}

#[test]
fn a_missing_value_is_named_for_the_host() {
    let error = InjectionError::new("weather", &Injected::of::<u32>("units"));
    assert_eq!(
        error.to_string(),
        "tool `weather` needs a `u32` for its hidden parameter `units`; the host must provide one"
    );
    assert!(Injected::of::<u32>("units").optional().optional);
}
