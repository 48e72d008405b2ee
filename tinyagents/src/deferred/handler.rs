//! Answers from inside the run.

use async_trait::async_trait;

use super::{DeferredToolRequests, DeferredToolResults};
use crate::context::RunContext;
use crate::error::TinyAgentsError;

/// Answers deferred calls while the run waits, so that it need not pause.
///
/// What it leaves unanswered pauses the run as without it; so does what defers anew after its answer with nothing
/// changed. The run doesn't wait for it beyond its cancellation or deadline.
///
/// ```
/// use tinyagents::{DeferredToolHandler, DeferredToolRequests, DeferredToolResults};
/// use tinyagents::{RunContext, TinyAgentsError, async_trait};
///
/// struct Trusting;
///
/// #[async_trait]
/// impl DeferredToolHandler for Trusting {
///     async fn handle(
///         &self,
///         _: &RunContext,
///         requests: &DeferredToolRequests,
///     ) -> Result<DeferredToolResults, TinyAgentsError> {
///         Ok(requests.approve_all())
///     }
/// }
/// ```
#[async_trait]
pub trait DeferredToolHandler: Send + Sync {
    /// Answers as many of the calls as it can.
    ///
    /// # Errors
    /// Whatever should make the run fail. Its transcript can be resumed.
    async fn handle(
        &self,
        ctx: &RunContext,
        requests: &DeferredToolRequests,
    ) -> Result<DeferredToolResults, TinyAgentsError>;
}
