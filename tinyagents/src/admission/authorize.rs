//! What middlewares decide on a call, and on the one that would run.

use std::ops::ControlFlow;

use super::admit::Checked;
use super::{Admission, Admitted, Pending, approve};
use crate::deferred::Deferral;
use crate::middleware::{HookFailure, ToolDecision};
use crate::registry::RegisteredTool;

impl<'a> Admission<'a> {
    /// Takes a call that was admitted, and whose arguments were changed since, through all steps after `before_tool`.
    ///
    /// What was approved before was another call; this one then waits for an approval of its own.
    pub(crate) async fn readmit(
        &self,
        pending: &mut Pending<'a>,
        was_approved: bool,
    ) -> Admitted<'a> {
        pending.reserved = Some(pending.call.name.clone());
        pending.is_rewritten = true;
        self.take_up_again(pending);
        match self.check(pending) {
            Checked::Tool(tool) => {
                let deferral = was_approved.then_some(Deferral {
                    needs_approval: true,
                    metadata: None,
                });
                self.authorize(pending, tool, deferral).await
            }
            Checked::Elsewhere(admitted) => admitted,
            Checked::Rewritten => self.unknown(pending),
        }
    }

    /// Asks the middlewares about the call that would run: what one of them allowed, another may have changed since.
    pub(super) async fn authorize(
        &self,
        pending: &mut Pending<'a>,
        tool: &'a RegisteredTool,
        deferral: Option<Deferral>,
    ) -> Admitted<'a> {
        let Pending { ctx, call, .. } = &mut *pending;
        let decision = self.middleware.authorize_tool(ctx.to_mut(), call).await;
        let authorized = match self.decided(pending, decision) {
            ControlFlow::Continue(authorized) => authorized,
            ControlFlow::Break(admitted) => return admitted,
        };
        // An approval that is there asks for nothing more, but doesn't hide what else is to be waited for.
        let is_approved = pending.ctx.is_approved(&pending.call.id);
        let open = deferral.filter(|known| !(known.needs_approval && is_approved));
        approve(tool, pending, open.or(authorized))
    }

    /// A decision that lets the call go on, perhaps to leave the loop; or where it ends.
    pub(super) fn decided(
        &self,
        pending: &Pending<'a>,
        decision: Result<ToolDecision, HookFailure>,
    ) -> ControlFlow<Admitted<'a>, Option<Deferral>> {
        match decision {
            Ok(ToolDecision::Proceed) => ControlFlow::Continue(None),
            Ok(ToolDecision::RequireApproval { metadata }) => {
                ControlFlow::Continue(Some(Deferral::approval(metadata)))
            }
            Ok(ToolDecision::Defer { metadata }) => {
                ControlFlow::Continue(Some(Deferral::elsewhere(metadata)))
            }
            Ok(ToolDecision::Answer(result)) => ControlFlow::Break(Admitted::answered(result)),
            Ok(ToolDecision::Reject(reason)) => ControlFlow::Break(self.rejected(pending, &reason)),
            Err(failure) => ControlFlow::Break(Admitted::HookFailed(Box::new(failure))),
        }
    }
}
