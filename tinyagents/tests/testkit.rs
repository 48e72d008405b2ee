//! What the check of the testkit passes, and what it finds.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::needless_pass_by_value
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tinyagents::testkit::{FakeClock, ToolCheck};
use tinyagents::tinytools::{
    Injected, Tool, ToolCallOptions, ToolError, ToolPolicy, ToolResult, ToolRunContext,
    ToolRuntime, anyhow, async_trait, tool,
};
use tinyagents::{CallId, RunContext};
use tokio::time::Instant;

struct Climate(AtomicUsize);

/// Look up the weather for a city.
#[tool(read_only, concurrency_safe, crate = ::tinyagents::tinytools)]
async fn weather(
    #[hidden] climate: &Climate,
    #[hidden] call: &CallId,
    #[arg(min_length = 2, examples("Oslo"))] city: String,
    #[arg(default = 3, minimum = 1, maximum = 14)] days: u8,
) -> Result<String, String> {
    climate.0.fetch_add(1, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let _ = call;
    Ok(format!("{days} days of rain in {city}"))
}

/// Charge a card.
#[tool(payment, approval_required, crate = ::tinyagents::tinytools)]
fn charge(#[hidden] climate: &Climate, cents: u32) -> String {
    climate.0.fetch_add(1, Ordering::SeqCst);
    format!("{cents} charged")
}

/// Ask a person.
#[tool(crate = ::tinyagents::tinytools)]
fn ask(question: String) -> Result<String, ToolError> {
    Err(ToolError::deferred(json!({ "question": question })))
}

/// Add to the state.
#[tool(idempotent, crate = ::tinyagents::tinytools)]
fn count(#[hidden] total: &Arc<AtomicUsize>, by: usize) -> String {
    total.fetch_max(by, Ordering::SeqCst).to_string()
}

#[tokio::test]
async fn annotated_tools_pass_whatever_they_are() {
    let _clock = FakeClock::stop();
    let climate = Arc::new(Climate(AtomicUsize::new(0)));
    let ctx = RunContext::new().provide_arc(Arc::clone(&climate));
    ToolCheck::new(WeatherTool)
        .with_context(ctx)
        .with_arguments(json!({ "city": "Oslo" }))
        .with_arguments(json!({ "city": "Rome", "days": 14 }))
        .run()
        .await
        .unwrap();
    assert!(climate.0.load(Ordering::SeqCst) > 64);
    ToolCheck::new(AskTool)
        .with_arguments(json!({ "question": "Where to?" }))
        .run()
        .await
        .unwrap();
    let total = Arc::new(AtomicUsize::new(0));
    ToolCheck::new(CountTool)
        .with_state(Arc::clone(&total))
        .with_arguments(json!({ "by": 7 }))
        .run()
        .await
        .unwrap();
    assert_eq!(total.load(Ordering::SeqCst), 7);
}

#[tokio::test]
async fn an_effect_happens_once_in_a_check_of_its_call() {
    let climate = Arc::new(Climate(AtomicUsize::new(0)));
    ToolCheck::new(ChargeTool)
        .with_context(RunContext::new().provide_arc(Arc::clone(&climate)))
        .with_arguments(json!({ "cents": 500 }))
        .run()
        .await
        .unwrap();
    assert_eq!(climate.0.load(Ordering::SeqCst), 1);
}

struct Vault;

/// A tool with one thing wrong.
#[derive(Default)]
struct Wrong {
    name: Option<&'static str>,
    description: Option<&'static str>,
    schema: Option<Value>,
    policy: Option<ToolPolicy>,
    injected: Vec<Injected>,
    is_concurrent: bool,
    calls: AtomicUsize,
    is_busy: AtomicBool,
    what: &'static str,
}

#[async_trait]
impl Tool for Wrong {
    fn name(&self) -> &str {
        self.name.unwrap_or("wrong")
    }

    fn description(&self) -> &str {
        self.description.unwrap_or("Do something.")
    }

    fn parameters_schema(&self) -> Value {
        if self.what == "restless" {
            let n = self.calls.fetch_add(1, Ordering::SeqCst);
            return json!({ "type": "object", "properties": { format!("p{n}"): {} } });
        }
        self.schema.clone().unwrap_or_else(
            || json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] }),
        )
    }

    fn policy(&self) -> ToolPolicy {
        self.policy.clone().unwrap_or_else(ToolPolicy::read_only)
    }

    fn injected(&self) -> Vec<Injected> {
        self.injected.clone()
    }

    fn is_concurrency_safe(&self, args: &Value) -> bool {
        if self.what == "picky" {
            return args["n"].as_u64().unwrap() > 0;
        }
        self.is_concurrent
    }

    fn idempotency_key(&self, _: &Value) -> Option<String> {
        (self.what == "random key").then(|| self.calls.fetch_add(1, Ordering::SeqCst).to_string())
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        match self.what {
            "fails" => anyhow::bail!("no line"),
            "panics" => panic!("out of reach"),
            "panics on odd arguments" => {
                args["n"].as_i64().unwrap();
            }
            "works once"
                if args == json!({ "n": 1 }) && self.calls.fetch_add(1, Ordering::SeqCst) > 0 =>
            {
                anyhow::bail!("used up");
            }
            "one at a time" => {
                if self.is_busy.swap(true, Ordering::SeqCst) {
                    anyhow::bail!("busy");
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
                self.is_busy.store(false, Ordering::SeqCst);
            }
            "tells" => return Ok(ToolResult::success("read from `vault`")),
            "hangs" => std::future::pending().await,
            _ => {}
        }
        Ok(ToolResult::success("done"))
    }

    async fn execute_with_context(
        &self,
        args: Value,
        _: ToolCallOptions,
        _: Option<&dyn ToolRunContext>,
    ) -> anyhow::Result<ToolResult> {
        self.execute(args).await
    }
}

fn wrong(what: &'static str) -> Wrong {
    Wrong {
        what,
        ..Wrong::default()
    }
}

async fn found(tool: Wrong) -> String {
    let check = ToolCheck::new(tool)
        .with_context(RunContext::new().provide(Vault))
        .with_arguments(json!({ "n": 1 }));
    let faults = check.run().await.unwrap_err();
    assert!(!faults.faults().is_empty());
    faults.to_string()
}

fn hidden() -> Vec<Injected> {
    vec![Injected::of::<Vault>("vault")]
}

async fn finds_all(cases: Vec<(Wrong, &str)>) {
    for (tool, expected) in cases {
        let what = tool.what;
        let found = found(tool).await;
        assert!(
            found.contains(expected),
            "`{what}`: no {expected:?} in {found}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn every_fault_of_a_declaration_is_found() {
    let cases: Vec<(Wrong, &str)> = vec![
        (
            Wrong {
                name: Some("Wrong Name"),
                ..wrong("")
            },
            "a tool can be registered: ",
        ),
        (
            Wrong {
                schema: Some(json!({ "type": "array" })),
                ..wrong("")
            },
            "a tool can be registered: ",
        ),
        (
            Wrong {
                description: Some(" "),
                ..wrong("")
            },
            "the description is blank",
        ),
        (wrong("restless"), "the parameters changed"),
        (
            Wrong {
                description: Some("Open the `vault`."),
                injected: hidden(),
                ..wrong("")
            },
            "the description shows `vault`",
        ),
        (
            Wrong {
                schema: Some(json!({ "type": "object", "properties": {
                    "n": { "type": "integer", "minimum": 1, "default": 0 }
                } })),
                ..wrong("")
            },
            "default of `n`: ",
        ),
        (
            Wrong {
                policy: Some(ToolPolicy {
                    runtime: ToolRuntime {
                        max_retries: 2,
                        ..ToolRuntime::default()
                    },
                    ..ToolPolicy::classified()
                }),
                ..wrong("")
            },
            "`max_retries` needs",
        ),
        (
            wrong("random key"),
            "the idempotency key of one call changed",
        ),
    ];
    finds_all(cases).await;
}

#[tokio::test(start_paused = true)]
async fn every_fault_of_a_call_is_found() {
    let cases: Vec<(Wrong, &str)> = vec![
        (
            wrong("picky"),
            "no method panics, whatever the arguments: one panics with null",
        ),
        (wrong("panics on odd arguments"), "`execute` panics with"),
        (wrong("fails"), "a valid call works: no line"),
        (
            wrong("panics"),
            "a valid call works: panicked: out of reach",
        ),
        (
            wrong("works once"),
            "a call that may be repeated works again: used up",
        ),
        (
            Wrong {
                is_concurrent: true,
                ..wrong("one at a time")
            },
            "safe beside others works there: busy",
        ),
        (
            wrong("one at a time"),
            "dropped half-way leaves the tool whole: busy",
        ),
        (
            Wrong {
                injected: hidden(),
                ..wrong("tells")
            },
            "a row shows `vault`",
        ),
        (
            Wrong {
                injected: hidden(),
                ..wrong("")
            },
            "`execute` answers without any context",
        ),
        (wrong("hangs"), "a call has not ended after 60 s"),
    ];
    finds_all(cases).await;
}

#[tokio::test(start_paused = true)]
async fn a_check_without_what_the_tool_needs_says_so_once_and_how_to_give_it() {
    let check = ToolCheck::new(WeatherTool).with_arguments(json!({ "city": "Oslo" }));
    let faults = check.run().await.unwrap_err();
    let [fault] = faults.faults() else {
        panic!("{faults}");
    };
    assert_eq!(
        fault.rule,
        "the check is given the hidden values that the tool needs"
    );
    for part in ["`climate`", "Climate`", "with_context"] {
        assert!(fault.found.contains(part), "{fault}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_cause_is_one_fault() {
    for (what, expected) in [
        ("fails", "a valid call works: no line"),
        ("panics on odd arguments", "more like it"),
        ("hangs", "a call has not ended after 60 s"),
    ] {
        let check = ToolCheck::new(wrong(what)).with_arguments(json!({ "n": 1 }));
        let faults = check.run().await.unwrap_err();
        let about = faults.faults().iter().map(|fault| &fault.found);
        let told: Vec<&String> = about
            .filter(|found| !found.contains("hangs with"))
            .collect();
        assert_eq!(told.len(), 1, "{faults}");
        assert!(faults.to_string().contains(expected), "{faults}");
    }
}

#[tokio::test]
async fn the_clock_moves_when_it_is_told_to() {
    let clock = FakeClock::stop();
    let before = Instant::now();
    let sleeper = tokio::spawn(tokio::time::sleep(Duration::from_secs(5)));
    clock.advance(Duration::from_secs(4)).await;
    assert!(!sleeper.is_finished());
    clock.advance(Duration::from_secs(1)).await;
    assert_eq!(clock.elapsed(), Duration::from_secs(5));
    assert_eq!(before.elapsed(), clock.elapsed());
    sleeper.await.unwrap();
}
