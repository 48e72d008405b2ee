//! How a check makes calls, and what becomes of them.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use serde_json::Value;
use tinytools::ToolResult;
use tokio::time::timeout;

use super::{ToolCheck, ToolFaults};
use crate::context::RunContext;
use crate::dispatch::{Batch, Dispatcher};
use crate::error::TinyAgentsError;
use crate::events::{AgentEvent, EventLog};
use crate::harness::{RunLimits, RunPolicy};
use crate::model::{ToolCall, ToolMessage};
use crate::registry::ToolRegistry;

pub(super) const WORKS: &str = "a valid call works";
const ANSWERED: &str = "every call gets one answer";

/// How long a call may take before it is said to hang.
const PATIENCE: Duration = Duration::from_mins(1);

/// Calls at once.
pub(super) const NEIGHBOURS: usize = 32;

/// What became of a call past the runtime.
pub(super) enum Direct {
    Ended(anyhow::Result<ToolResult>),
    Panicked,
    Hangs,
}

impl<S: Clone + Send + Sync + 'static> ToolCheck<S> {
    /// Runs the tool past the runtime, without any context.
    pub(super) async fn execute_directly(&self, arguments: &Value) -> Direct {
        let call = AssertUnwindSafe(async { self.tool.execute(arguments.clone()).await });
        match timeout(PATIENCE, call.catch_unwind()).await {
            Ok(Ok(ended)) => Direct::Ended(ended),
            Ok(Err(_)) => Direct::Panicked,
            Err(_) => Direct::Hangs,
        }
    }

    /// The one row of a call.
    pub(super) async fn answer(
        &self,
        call: ToolCall,
        faults: &mut ToolFaults,
    ) -> Option<ToolMessage> {
        let batch = self.dispatch(self.ctx.clone(), vec![call], faults).await?;
        batch.messages.into_iter().next()
    }

    /// Brings calls to their answers; a call that a person has to approve is approved.
    pub(super) async fn dispatch(
        &self,
        ctx: RunContext,
        calls: Vec<ToolCall>,
        faults: &mut ToolFaults,
    ) -> Option<Batch> {
        let dispatcher = self.dispatcher(faults)?;
        let mut expected: Vec<String> = calls.iter().map(|call| call.id.clone()).collect();
        let answered = async {
            let mut batch = dispatcher.dispatch(&self.state, &ctx, calls).await?;
            if let Some(requests) = batch.deferred.take() {
                let mut answers = requests.approve_all();
                for call in &requests.calls {
                    answers = answers.respond(&call.id, ToolResult::success("from elsewhere"));
                }
                let resumed = dispatcher.resume(&self.state, &ctx, requests, answers);
                batch.messages.extend(resumed.await?.messages);
            }
            Ok::<Batch, TinyAgentsError>(batch)
        };
        let batch = match timeout(PATIENCE, answered).await {
            Ok(Ok(batch)) => batch,
            Ok(Err(error)) => {
                faults.add(WORKS, error.to_string());
                return None;
            }
            Err(_) => {
                let found = format!("a call has not ended after {} s", PATIENCE.as_secs());
                faults.add(ANSWERED, found);
                return None;
            }
        };
        let mut answered: Vec<&str> = batch
            .messages
            .iter()
            .map(|row| row.call_id.as_str())
            .collect();
        answered.sort_unstable();
        expected.sort_unstable();
        if answered != expected {
            faults.add(
                ANSWERED,
                format!("answered were {answered:?} of {expected:?}"),
            );
        }
        Some(batch)
    }

    pub(super) fn dispatcher(&self, faults: &mut ToolFaults) -> Option<Dispatcher> {
        let mut registry = ToolRegistry::new();
        if let Err(error) = registry.register(Arc::clone(&self.tool)) {
            faults.add(WORKS, error.to_string());
            return None;
        }
        // A check makes more calls than a run may.
        let limits = RunLimits {
            max_tool_calls: u32::MAX,
            ..RunLimits::default()
        };
        Some(Dispatcher::new(registry).with_policy(RunPolicy {
            limits,
            max_concurrent_tools: NEIGHBOURS,
            ..RunPolicy::default()
        }))
    }

    pub(super) fn call(&self, number: usize, arguments: Value) -> ToolCall {
        ToolCall::new(format!("call-{number}"), self.tool.name(), arguments)
    }
}

/// What the host was told of the first failure, or what the model reads of it.
pub(super) fn failure(log: &EventLog, batch: &Batch) -> String {
    let told = log.events().into_iter().find_map(|event| match event {
        AgentEvent::ToolFailed { error, .. } => Some(error),
        _ => None,
    });
    let row = batch.messages.iter().find(|row| row.is_error);
    told.or_else(|| row.map(|row| row.content.clone()))
        .unwrap_or_default()
}
