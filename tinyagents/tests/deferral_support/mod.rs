//! A tool that needs approval and tells whether it has it, and what the tests look at.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::must_use_candidate
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tinyagents::middleware::Middleware;
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::runtime::{AgentHarness, AgentRun};
use tinyagents::tinytools::{
    Tool, ToolCallOptions, ToolError, ToolPolicy, ToolResult, ToolRunContext, async_trait,
};
use tinyagents::{
    DeferredToolResults, EventLog, PausedRun, PendingCall, RunContext, TinyAgentsError, ToolCall,
    ToolSchema,
};

use crate::lifecycle_support::harness;

/// Pays: with approval by its policy, or by its own word.
#[derive(Clone)]
pub struct Pay {
    pub description: &'static str,
    pub policy: ToolPolicy,
    /// It asks for approval itself while it has none.
    pub asks: bool,
    /// It asks even where it has one.
    pub insists: bool,
    pub schema: Value,
    pub runs: Arc<AtomicUsize>,
}

impl Pay {
    pub fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }
}

pub fn pay() -> Pay {
    Pay {
        description: "Pays.",
        policy: ToolPolicy::classified().requiring_approval(),
        asks: false,
        insists: false,
        schema: json!({ "type": "object", "properties": { "to": { "type": "string" } } }),
        runs: Arc::default(),
    }
}

#[async_trait]
impl Tool for Pay {
    fn name(&self) -> &'static str {
        "pay"
    }

    fn description(&self) -> &str {
        self.description
    }

    fn parameters_schema(&self) -> Value {
        self.schema.clone()
    }

    fn policy(&self) -> ToolPolicy {
        self.policy.clone()
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        anyhow::bail!("needs a context")
    }

    async fn execute_with_context(
        &self,
        args: Value,
        _: ToolCallOptions,
        ctx: Option<&dyn ToolRunContext>,
    ) -> anyhow::Result<ToolResult> {
        let is_approved = ctx.is_some_and(ToolRunContext::is_approved);
        if self.insists || (self.asks && !is_approved) {
            return Err(ToolError::approval_required(json!({ "why": "own" })).into());
        }
        self.runs.fetch_add(1, Ordering::SeqCst);
        Ok(ToolResult::success(format!("paid {args} {is_approved}")))
    }
}

/// Remembers what its hooks see.
#[derive(Clone, Default)]
pub struct Seen(Arc<Mutex<(Vec<bool>, Vec<String>)>>);

impl Seen {
    /// Whether the call was approved, each time before it.
    pub fn approved(&self) -> Vec<bool> {
        self.0.lock().unwrap().0.clone()
    }

    /// Tool and answer, each time after it.
    pub fn after(&self) -> Vec<String> {
        self.0.lock().unwrap().1.clone()
    }
}

#[async_trait]
impl Middleware for Seen {
    async fn before_tool(
        &self,
        ctx: &mut RunContext,
        call: &mut ToolCall,
    ) -> Result<tinyagents::ToolDecision, TinyAgentsError> {
        let is_approved = ctx.is_call_approved(&call.id);
        self.0.lock().unwrap().0.push(is_approved);
        Ok(tinyagents::ToolDecision::Proceed)
    }

    async fn after_tool(
        &self,
        _: &mut RunContext,
        call: &ToolCall,
        result: &mut ToolResult,
    ) -> Result<(), TinyAgentsError> {
        let text = format!("{}: {}", call.name, result.output());
        self.0.lock().unwrap().1.push(text);
        Ok(())
    }
}

pub async fn resume(
    harness: &AgentHarness<()>,
    ctx: RunContext,
    messages: Vec<Message>,
    results: DeferredToolResults,
) -> Result<AgentRun, TinyAgentsError> {
    harness.resume_deferred(&(), ctx, messages, results).await
}

pub fn ids(calls: &[PendingCall]) -> Vec<&str> {
    calls.iter().map(|call| call.id.as_str()).collect()
}

/// Id, text and whether it is an error, of every row.
pub fn rows(run: &AgentRun) -> Vec<(&str, &str, bool)> {
    let rows = run.messages.iter().filter_map(Message::as_tool);
    rows.map(|row| (row.call_id.as_str(), row.content.as_str(), row.is_error))
        .collect()
}

/// The kinds of the events of one call.
pub fn kinds(log: &EventLog, id: &str) -> Vec<&'static str> {
    let events = log.events();
    let of_call = events
        .iter()
        .filter(|event| serde_json::to_value(event).is_ok_and(|event| event["call_id"] == id));
    of_call.map(tinyagents::AgentEvent::kind).collect()
}

/// A harness whose model pays once.
pub fn paying(pay: Pay) -> AgentHarness<()> {
    let model = ScriptedModel::new()
        .call("pay", json!({ "to": "ada" }))
        .text("done");
    let mut harness = harness(model, []);
    harness.register_tool(pay).unwrap();
    harness
}

/// A run `r1` of the thread `t1` that waits for the approval of a payment to Ada.
pub async fn paused() -> PausedRun {
    let ctx = RunContext::new().with_run_id("r1").with_thread_id("t1");
    let messages = vec![Message::user("go")];
    let run = paying(pay()).invoke_in_context(&(), ctx, messages).await;
    PausedRun::of(&run.unwrap()).unwrap()
}

/// Goes on with a paused run, its first call approved.
pub async fn approve(harness: &AgentHarness<()>, paused: AgentRun) -> AgentRun {
    let results = DeferredToolResults::new().approve("call-1");
    resume(harness, RunContext::new(), paused.messages, results)
        .await
        .unwrap()
}

pub fn ask_user() -> ToolSchema {
    ToolSchema::new("ask_user", "Ask.", json!({ "type": "object" }))
}
