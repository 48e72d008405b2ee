//! The context of a call on its way.

use std::any::{Any, TypeId};
use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use tinytools::{ToolProgress, ToolRunContext, WorkspaceDescriptor};

use super::{IdempotencyKey, RunContext};
use crate::admission::Requested;
use crate::registry::RegisteredTool;

/// The context of a call on its way; it is made when somebody asks for it, since many tools don't. What all calls of a run
/// have in common, such as the values that a host provides, can be asked for without that.
pub(crate) struct CallContext<'a> {
    run: &'a RunContext,
    call: Requested<'a>,
    /// What the call has been entered with before its context was made.
    entered: Option<(&'a Arc<str>, IdempotencyKey)>,
    made: OnceLock<RunContext>,
    /// The context in place of that, once somebody may change it.
    changed: Option<Box<RunContext>>,
}

impl<'a> CallContext<'a> {
    /// The context of this call, in this run.
    #[inline]
    pub(crate) fn new(run: &'a RunContext, call: Requested<'a>) -> Self {
        Self {
            run,
            call,
            entered: None,
            made: OnceLock::new(),
            changed: None,
        }
    }

    /// What somebody has made of the context of a call.
    pub(crate) fn given(ctx: RunContext, known: &CallContext<'a>) -> Self {
        Self {
            changed: Some(Box::new(ctx)),
            ..Self::new(known.run, known.call)
        }
    }

    /// Any context of the run, which says as much of it as any other; of calls it says nothing.
    #[inline]
    pub(crate) fn run(&self) -> &RunContext {
        self.own().unwrap_or(self.run)
    }

    /// Whether a person has approved the call. The run's own context may be one of another call, which says nothing of it.
    #[inline]
    pub(crate) fn is_approved(&self, call_id: &str) -> bool {
        self.own().is_some_and(|own| own.is_call_approved(call_id))
    }

    #[inline]
    fn own(&self) -> Option<&RunContext> {
        self.changed.as_deref().or_else(|| self.made.get())
    }

    /// The call's own context where somebody listens, who is told of each call no more than belongs to it. Elsewhere any.
    #[inline]
    pub(crate) fn told(&self) -> &RunContext {
        let run = self.run();
        if run.has_events() { self } else { run }
    }

    /// The context, to be changed.
    pub(crate) fn to_mut(&mut self) -> &mut RunContext {
        let changed = self.changed.take().unwrap_or_else(|| {
            let made = self.made.take();
            Box::new(made.unwrap_or_else(|| self.make()))
        });
        self.changed.insert(changed)
    }

    /// Takes back what somebody has put in place of the context who was given up meanwhile, where that is none of this call.
    /// The call has still to be ended, for all who listen to its run.
    pub(crate) fn reclaim(&mut self) {
        let is_own = |own: &mut Box<RunContext>| own.call.id() == Some(&self.call.id);
        self.changed = self.changed.take_if(is_own);
    }

    /// Sets what is known of the call once it is admitted.
    #[inline]
    pub(crate) fn enter(&mut self, tool_name: &'a Arc<str>, key: IdempotencyKey) {
        let own = self.changed.as_deref_mut().or_else(|| self.made.get_mut());
        match own {
            Some(own) => own.enter(tool_name, key),
            None => self.entered = Some((tool_name, key)),
        }
    }

    /// Notes which tool the call is of, where a middleware may ask.
    #[inline]
    pub(crate) fn set_called(&mut self, tool: &RegisteredTool) {
        if self.run().knows_tools() {
            self.to_mut().set_called(tool);
        }
    }

    #[cold]
    fn make(&self) -> RunContext {
        let mut made = self.run.for_made(self.call);
        if let Some((tool_name, key)) = &self.entered {
            made.enter(tool_name, key.clone());
        }
        made
    }
}

impl Deref for CallContext<'_> {
    type Target = RunContext;

    fn deref(&self) -> &RunContext {
        match &self.changed {
            Some(changed) => changed,
            None => self.made.get_or_init(|| self.make()),
        }
    }
}

/// What a tool is given.
impl ToolRunContext for CallContext<'_> {
    fn run_id(&self) -> Option<&str> {
        ToolRunContext::run_id(self.run())
    }

    fn thread_id(&self) -> Option<&str> {
        ToolRunContext::thread_id(self.run())
    }

    fn call_id(&self) -> Option<&str> {
        ToolRunContext::call_id(&**self)
    }

    fn idempotency_key(&self) -> Option<&str> {
        ToolRunContext::idempotency_key(&**self)
    }

    fn workspace(&self) -> Option<&WorkspaceDescriptor> {
        ToolRunContext::workspace(self.run())
    }

    fn max_turn_output_tokens(&self) -> Option<u64> {
        ToolRunContext::max_turn_output_tokens(self.run())
    }

    fn remaining_tool_calls(&self) -> Option<u64> {
        ToolRunContext::remaining_tool_calls(self.run())
    }

    fn is_cancelled(&self) -> bool {
        ToolRunContext::is_cancelled(self.run())
    }

    fn cancelled(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        ToolRunContext::cancelled(self.run())
    }

    fn is_approved(&self) -> bool {
        self.own().is_some_and(ToolRunContext::is_approved)
    }

    fn report_progress(&self, progress: ToolProgress) {
        ToolRunContext::report_progress(&**self, progress);
    }

    fn host_extension(&self) -> Option<&(dyn Any + Send + Sync)> {
        ToolRunContext::host_extension(self.run())
    }

    fn get(&self, type_id: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        if RunContext::is_of_call(type_id) {
            ToolRunContext::get(&**self, type_id)
        } else {
            ToolRunContext::get(self.run(), type_id)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tinytools::ToolContent;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::artifacts::{ArtifactStore, MemoryArtifactStore};
    use crate::context::{Budget, CallId, EventEmitter, RunId, StreamWriter, ThreadId};
    use crate::model::ToolCall;
    use crate::store::Store;

    struct Provided;

    fn batch() -> Arc<Vec<ToolCall>> {
        Arc::new(vec![ToolCall::new("inner", "t", json!({}))])
    }

    fn run() -> RunContext {
        RunContext::new()
            .with_thread_id("thread")
            .with_artifact_store(Arc::new(MemoryArtifactStore::new()))
            .provide(Provided)
            .with_state(7_u8)
            // A run within a call, which says nothing of its own calls.
            .for_call("outer")
    }

    #[test]
    fn what_is_of_the_run_is_found_without_a_context_of_the_call() {
        let (run, batch) = (run(), batch());
        let ctx = CallContext::new(&run, Requested::first(&batch).unwrap());
        let asked: &dyn ToolRunContext = &ctx;
        for type_id in [
            TypeId::of::<Provided>(),
            TypeId::of::<u8>(),
            TypeId::of::<RunId>(),
            TypeId::of::<ThreadId>(),
            TypeId::of::<Budget>(),
            TypeId::of::<Arc<dyn ArtifactStore>>(),
        ] {
            assert!(asked.get(type_id).is_some());
        }
        assert!(asked.get(TypeId::of::<ToolContent>()).is_none());
        assert!(ctx.own().is_none());
    }

    #[test]
    fn what_is_of_the_call_is_its_own() {
        let (run, batch) = (run(), batch());
        let ctx = CallContext::new(&run, Requested::first(&batch).unwrap());
        let asked: &dyn ToolRunContext = &ctx;
        let id: &CallId = asked.get_ref().unwrap();
        assert_eq!(id.as_str(), "inner");
        let own: &RunContext = asked.get_ref().unwrap();
        assert!(std::ptr::eq(own, &raw const *ctx));
        assert_eq!(own.call_id(), Some(id));
        let stores: [&Arc<dyn Store>; 2] = [asked.get_ref().unwrap(), own.store()];
        assert!(Arc::ptr_eq(stores[0], stores[1]));
        assert!(asked.get_ref::<CancellationToken>().is_some());
        assert!(asked.get_ref::<EventEmitter>().is_some());
        assert!(asked.get_ref::<StreamWriter>().is_some());
        assert_eq!(asked.call_id(), Some("inner"));
    }

    #[test]
    fn an_approval_of_the_call_around_it_is_none_of_its_own() {
        let batch = Arc::new(vec![ToolCall::new("same", "t", json!({}))]);
        let mut outer = RunContext::new().for_call("same");
        outer.set_approved(true);
        let mut ctx = CallContext::new(&outer, Requested::first(&batch).unwrap());
        assert!(!ctx.is_approved("same") && !ToolRunContext::is_approved(&ctx));
        assert!(!ctx.is_call_approved("same"));
        ctx.to_mut().set_approved(true);
        assert!(ctx.is_approved("same") && ToolRunContext::is_approved(&ctx));
        assert!(!ctx.is_approved("another"));
    }

    fn enter<'a>(mut ctx: CallContext<'a>, name: &'a Arc<str>, is_made: bool) {
        assert_eq!(ctx.own().is_some(), is_made);
        ctx.enter(name, IdempotencyKey::own("key".to_owned()));
        assert_eq!(ctx.tool_name(), Some("canonical"));
        assert_eq!(ToolRunContext::idempotency_key(&ctx), Some("key"));
    }

    #[test]
    fn a_context_is_entered_whenever_it_is_made() {
        let name = Arc::from("canonical");
        let (run, batch) = (run(), batch());
        let call = Requested::first(&batch).unwrap();
        enter(CallContext::new(&run, call), &name, false);
        let asked = CallContext::new(&run, call);
        assert!(asked.tool_name().is_none());
        enter(asked, &name, true);
        let mut changed = CallContext::new(&run, call);
        changed.to_mut();
        enter(changed, &name, true);
    }
}
