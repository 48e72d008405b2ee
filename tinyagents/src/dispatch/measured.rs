//! Admission alone, for the benchmarks: hosts have no use for a call that is admitted and dropped.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use super::Turn;
use super::attempt::Begun;
use super::execute::Runner;
use super::execution::Execution;
use crate::admission::{Admitted, Pending, Requested};
use crate::context::RunContext;
use crate::model::ToolCall;

impl Turn {
    /// Admits the first call of a batch and drops it; whether it could run. Middlewares aren't asked.
    #[doc(hidden)]
    #[must_use]
    pub fn __admits(&self, ctx: &RunContext, batch: &Arc<Vec<ToolCall>>) -> bool {
        let admission = self.admission(ctx.meter(), &self.policy().limits);
        let Some(call) = Requested::first(batch) else {
            return false;
        };
        let mut pending = Pending::new(ctx, call);
        let admitted = admission.admit_now(&mut pending);
        matches!(admitted, Admitted::Ready(_))
    }

    /// Admits the first call of a batch and runs it, without what a batch of answers is made of; whether it succeeded.
    /// Middlewares aren't asked, and nobody is told.
    #[doc(hidden)]
    pub async fn __runs(&self, ctx: &RunContext, batch: &Arc<Vec<ToolCall>>) -> bool {
        let admission = self.admission(ctx.meter(), &self.policy().limits);
        let Some(call) = Requested::first(batch) else {
            return false;
        };
        let mut pending = Pending::new(ctx, call);
        let Admitted::Ready(tool) = admission.admit_now(&mut pending) else {
            return false;
        };
        let mut execution = Execution::default();
        let runner = Runner {
            ready: pending.ready(tool),
            policy: self.policy(),
            places: &self.blocking,
            meter: ctx.meter(),
        };
        let result = &mut execution.result;
        let begun = poll_fn(|cx| Poll::Ready(runner.begin(result, cx))).await;
        let left = match begun {
            Begun::Ended(ended) if runner.is_over(&ended) => runner.conclude(ended, &mut execution),
            begun => Box::pin(runner.execute(Some(begun), &mut execution)).await,
        };
        left.is_none() && !execution.result.is_error
    }

    /// The steps that look at the arguments of a call whose tool is found, to be taken over and over: the check for
    /// repairs, stripping, normalising and validating. Whether the call passes; `None` without such a tool.
    #[doc(hidden)]
    pub fn __admission_steps<'a>(
        &'a self,
        ctx: &'a RunContext,
        batch: &'a Arc<Vec<ToolCall>>,
    ) -> Option<impl FnMut() -> bool + 'a> {
        let admission = self.admission(ctx.meter(), &self.policy().limits);
        let call = Requested::first(batch)?;
        let tool = admission.shown(&call.name)?;
        let mut pending = Pending::new(ctx, call);
        Some(move || admission.passes(tool, &mut pending))
    }
}
