//! Calls that should work, and what may happen to them.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt as _;
use serde_json::{Value, json};
use tinytools::ToolResult;
use tokio::time::timeout;

use super::{ToolCheck, ToolFaults};
use crate::context::RunContext;
use crate::dispatch::{Batch, Dispatcher};
use crate::error::TinyAgentsError;
use crate::events::{AgentEvent, EventLog};
use crate::harness::{RunLimits, RunPolicy};
use crate::model::{ToolCall, ToolMessage};
use crate::registry::{RegisteredTool, ToolRegistry};

const WORKS: &str = "a valid call works";
const NEEDS: &str = "the check is given the hidden values that the tool needs";
const REPEATS: &str = "a call that may be repeated works again";
const BESIDE: &str = "a call that is safe beside others works there";
const FORGED: &str = "a forged hidden value changes nothing";
const INJECTION: &str = "a call without its hidden values fails, and nothing else happens";
const ANSWERED: &str = "every call gets one answer";
const CANCELLED: &str = "a cancelled call ends";
const DROPPED: &str = "a call that is dropped half-way leaves the tool whole";

/// How long a call may take before it is said to hang.
const PATIENCE: Duration = Duration::from_mins(1);

/// Calls at once.
const NEIGHBOURS: usize = 32;

/// At how many of its first waits a call is dropped.
const DROPS: usize = 4;

/// What became of a call past the runtime.
pub(super) enum Direct {
    Ended(anyhow::Result<ToolResult>),
    Panicked,
    Hangs,
}

impl<S: Clone + Send + Sync + 'static> ToolCheck<S> {
    /// Everything that may happen to a call that should work.
    pub(super) async fn runs(
        &self,
        registered: &RegisteredTool,
        arguments: &Value,
        faults: &mut ToolFaults,
    ) {
        self.needs_its_hidden_values(registered, arguments, faults)
            .await;
        self.is_refused_when_cancelled(arguments, faults).await;
        if !registered.may_repeat() {
            // One call alone; it is forged where there is something to forge, which must change nothing.
            self.works(WORKS, forged(registered, arguments), faults)
                .await;
            return;
        }
        // What doesn't work at all would fail in the same way whatever happens to it.
        if !self.works(WORKS, arguments.clone(), faults).await {
            return;
        }
        self.works(REPEATS, arguments.clone(), faults).await;
        self.works(FORGED, forged(registered, arguments), faults)
            .await;
        self.works_beside_others(arguments, faults).await;
        self.ends_when_cancelled(arguments, faults).await;
        self.survives_being_dropped(arguments, faults).await;
    }

    /// Makes a call that should work. Whether it does.
    async fn works(&self, rule: &'static str, arguments: Value, faults: &mut ToolFaults) -> bool {
        let (log, call) = (EventLog::new(), self.call(0, arguments));
        let ctx = self.ctx.clone().with_events(log.clone());
        let Some(batch) = self.dispatch(ctx, vec![call], faults).await else {
            return false;
        };
        for row in &batch.messages {
            self.tells_nothing_hidden(row, faults);
        }
        let has_failed = batch.messages.iter().any(|row| row.is_error);
        if has_failed {
            faults.add(rule, failure(&log, &batch));
        }
        !has_failed
    }

    async fn works_beside_others(&self, arguments: &Value, faults: &mut ToolFaults) {
        if !self.tool.is_concurrency_safe(arguments) {
            return;
        }
        let calls = (0..NEIGHBOURS).map(|n| self.call(n, arguments.clone()));
        let log = EventLog::new();
        let ctx = self.ctx.clone().with_events(log.clone());
        if let Some(batch) = self.dispatch(ctx, calls.collect(), faults).await
            && batch.messages.iter().any(|row| row.is_error)
        {
            faults.add(BESIDE, failure(&log, &batch));
        }
    }

    /// Whether the check has what the tool needs; without it, no call says anything of the tool.
    pub(super) async fn has_what_it_needs(&self, faults: &mut ToolFaults) -> bool {
        let Some(dispatcher) = self.dispatcher(faults) else {
            return false;
        };
        let ready = dispatcher
            .dispatch(&self.state, &self.ctx, Vec::new())
            .await;
        let Err(TinyAgentsError::MissingInjection {
            parameter,
            type_name,
            ..
        }) = ready
        else {
            return true;
        };
        faults.add(
            NEEDS,
            format!(
                "its hidden parameter `{parameter}` takes a `{type_name}`; give the check one by \
                 `with_context(RunContext::new().provide(value))`"
            ),
        );
        false
    }

    /// Values that the host must provide can't be done without: neither through the runtime nor directly.
    async fn needs_its_hidden_values(
        &self,
        registered: &RegisteredTool,
        arguments: &Value,
        faults: &mut ToolFaults,
    ) {
        let bare = RunContext::new();
        let is_needed =
            |injected: &tinytools::Injected| !injected.optional && !bare.offers(injected.type_id);
        if !registered.injected().iter().any(is_needed) {
            return;
        }
        let Some(dispatcher) = self.dispatcher(faults) else {
            return;
        };
        let call = self.call(0, arguments.clone());
        match dispatcher.dispatch(&(), &bare, vec![call]).await {
            // The state may be among them.
            Err(TinyAgentsError::MissingInjection { .. }) => {}
            Err(error) => faults.add(INJECTION, error.to_string()),
            Ok(_) => faults.add(INJECTION, "the runtime accepts the call"),
        }
        match self.execute_directly(arguments).await {
            Direct::Ended(Err(_)) => {}
            Direct::Ended(Ok(_)) => faults.add(INJECTION, "`execute` answers without any context"),
            Direct::Panicked => faults.add(INJECTION, "`execute` panics without any context"),
            Direct::Hangs => faults.add(INJECTION, "`execute` hangs without any context"),
        }
    }

    /// Nothing runs in a run that is over.
    async fn is_refused_when_cancelled(&self, arguments: &Value, faults: &mut ToolFaults) {
        let ctx = self.ctx.child();
        ctx.cancel();
        let call = self.call(0, arguments.clone());
        if let Some(batch) = self.dispatch(ctx, vec![call], faults).await
            && batch.messages.iter().any(|row| !row.is_error)
        {
            faults.add(CANCELLED, "it ran although it had been cancelled before");
        }
    }

    async fn ends_when_cancelled(&self, arguments: &Value, faults: &mut ToolFaults) {
        let ctx = self.ctx.child();
        let call = self.call(0, arguments.clone());
        let mut running = pin!(self.dispatch(ctx.clone(), vec![call], faults));
        if futures::poll!(running.as_mut()).is_pending() {
            ctx.cancel();
            running.await;
        }
    }

    /// Drops a call at its first waits, and then sees whether the tool still works.
    async fn survives_being_dropped(&self, arguments: &Value, faults: &mut ToolFaults) {
        for waits in 1..=DROPS {
            let call = self.call(0, arguments.clone());
            let is_over = {
                let mut running = pin!(self.dispatch(self.ctx.child(), vec![call], faults));
                is_over_within(waits, running.as_mut()).await
            };
            let works = self.works(DROPPED, arguments.clone(), faults).await;
            if is_over || !works {
                return;
            }
        }
    }

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
    async fn dispatch(
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

    fn dispatcher(&self, faults: &mut ToolFaults) -> Option<Dispatcher> {
        let mut registry = ToolRegistry::new();
        if let Err(error) = registry.register(std::sync::Arc::clone(&self.tool)) {
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

    fn call(&self, number: usize, arguments: Value) -> ToolCall {
        ToolCall::new(format!("call-{number}"), self.tool.name(), arguments)
    }
}

/// The arguments with a value for every hidden name, as a model might try.
fn forged(registered: &RegisteredTool, arguments: &Value) -> Value {
    let mut forged = arguments.clone();
    if let Some(fields) = forged.as_object_mut() {
        for name in registered.hidden_names() {
            fields.insert(name.to_owned(), json!({ "forged": true }));
        }
    }
    forged
}

/// What the host was told of the first failure, or what the model reads of it.
fn failure(log: &EventLog, batch: &Batch) -> String {
    let told = log.events().into_iter().find_map(|event| match event {
        AgentEvent::ToolFailed { error, .. } => Some(error),
        _ => None,
    });
    let row = batch.messages.iter().find(|row| row.is_error);
    told.or_else(|| row.map(|row| row.content.clone()))
        .unwrap_or_default()
}

/// Polls a future up to that many times, each time after it was woken. Whether it is over then.
async fn is_over_within<F: Future>(polls: usize, mut future: std::pin::Pin<&mut F>) -> bool {
    let mut left = polls;
    std::future::poll_fn(|cx| {
        if future.as_mut().poll(cx).is_ready() {
            return Poll::Ready(true);
        }
        left -= 1;
        if left == 0 {
            return Poll::Ready(false);
        }
        Poll::Pending
    })
    .await
}
