use std::any::TypeId;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use serde_json::json;
use tinytools::{SandboxMode, ToolProgress, ToolRunContext, WorkspaceDescriptor};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{
    Budget, CallId, EventEmitter, IdempotencyKey, RunContext, RunId, StreamWriter, ThreadId,
};
use crate::admission::{CurrentCall, Requested};
use crate::events::{AgentEvent, EventLog};
use crate::harness::{AgentRun, RunLimits};
use crate::model::ToolCall;

#[derive(Debug, PartialEq)]
struct Secret(&'static str);

trait Speak: Send + Sync {
    fn speak(&self) -> &'static str;
}

impl Speak for Secret {
    fn speak(&self) -> &'static str {
        self.0
    }
}

fn portable(ctx: &RunContext) -> &dyn ToolRunContext {
    ctx
}

#[test]
fn both_ways_of_providing_offer_the_value_and_its_arc() {
    for ctx in [
        RunContext::new().provide(Secret("a")),
        RunContext::new().provide_arc(Arc::new(Secret("a"))),
    ] {
        assert_eq!(ctx.value::<Secret>(), Some(&Secret("a")));
        assert_eq!(**ctx.value::<Arc<Secret>>().unwrap(), Secret("a"));
        assert!(ctx.offers(TypeId::of::<Secret>()));
    }
    assert!(!RunContext::new().offers(TypeId::of::<Secret>()));
}

#[test]
fn a_trait_object_is_found_as_its_arc() {
    let ctx = RunContext::new().provide(Arc::new(Secret("hi")) as Arc<dyn Speak>);
    let found = portable(&ctx).get_ref::<Arc<dyn Speak>>();
    assert_eq!(found.map(|speaker| speaker.speak()), Some("hi"));
}

#[test]
fn the_later_value_wins_and_earlier_clones_keep_theirs() {
    let first = RunContext::new().provide(Secret("a"));
    let second = first.clone().provide(Secret("b"));
    assert_eq!(first.value::<Secret>(), Some(&Secret("a")));
    assert_eq!(second.value::<Secret>(), Some(&Secret("b")));
}

#[test]
fn debug_shows_no_provided_value() {
    let ctx = RunContext::new()
        .provide(Secret("hunter2"))
        .with_state(Secret("hunter3"));
    let shown = format!("{ctx:?}");
    assert!(
        !shown.contains("hunter") && shown.contains("provided: 1"),
        "{shown}"
    );
}

#[test]
fn intrinsic_values_are_offered_by_type() {
    let ctx = RunContext::new();
    for type_id in [
        TypeId::of::<RunContext>(),
        TypeId::of::<dyn ToolRunContext>(),
        TypeId::of::<RunId>(),
        TypeId::of::<CallId>(),
        TypeId::of::<CancellationToken>(),
        TypeId::of::<EventEmitter>(),
        TypeId::of::<StreamWriter>(),
        TypeId::of::<Budget>(),
    ] {
        assert!(ctx.offers(type_id));
    }
    assert!(!ctx.offers(TypeId::of::<ThreadId>()));
    assert!(!ctx.offers(TypeId::of::<WorkspaceDescriptor>()));

    let ctx = ctx.with_run_id("r1").with_thread_id("t1").for_call("c1");
    let seen = portable(&ctx);
    assert_eq!(
        seen.get_ref::<RunContext>().unwrap().call_id().unwrap(),
        &"c1"
    );
    assert_eq!(seen.get_ref::<RunId>().unwrap(), &"r1");
    assert_eq!(seen.get_ref::<CallId>().unwrap(), &"c1");
    assert_eq!(seen.get_ref::<ThreadId>().unwrap(), &"t1");
    let ids = (seen.run_id(), seen.thread_id(), seen.call_id());
    assert_eq!(ids, (Some("r1"), Some("t1"), Some("c1")));
}

#[test]
fn the_host_can_not_replace_what_the_run_offers() {
    let ctx = RunContext::new()
        .with_run_id("r1")
        .provide(RunId::from("forged"));
    assert_eq!(ctx.value::<RunId>().unwrap(), &"r1");
}

#[test]
fn state_is_found_by_its_type_and_unit_always() {
    let ctx = RunContext::new()
        .provide(Secret("host"))
        .with_state(Secret("state"));
    assert_eq!(ctx.state::<Secret>(), Some(&Secret("state")));
    assert_eq!(ctx.value::<Secret>(), Some(&Secret("state")));
    assert_eq!(ctx.state::<u8>(), None);
    assert_eq!(RunContext::new().with_state(()).state::<()>(), Some(&()));
}

#[test]
fn approval_is_for_one_call_alone() {
    let mut ctx = RunContext::new().for_call("c1");
    ctx.call.is_approved = true;
    assert!(portable(&ctx).is_approved() && ctx.is_call_approved("c1"));
    assert!(!ctx.is_call_approved("c2"));
    let next = ctx.for_call("c2");
    assert!(!portable(&next).is_approved() && !next.is_call_approved("c2"));
    assert!(!portable(&ctx.child()).is_approved());
}

#[test]
fn events_reach_every_sink_and_know_their_call() {
    let (first, second) = (EventLog::new(), EventLog::new());
    let ctx = RunContext::new()
        .with_events(first.clone())
        .with_events(second.clone());
    let mut call = ctx.for_call("c1");
    call.enter(&Arc::from("t"), IdempotencyKey::own("k".to_owned()));
    call.custom(json!(1));
    portable(&call).report_progress(ToolProgress::of(1.0, 2.0));
    portable(&call)
        .get_ref::<StreamWriter>()
        .unwrap()
        .write("part");
    portable(&call)
        .get_ref::<EventEmitter>()
        .unwrap()
        .custom(json!(2));
    assert_eq!(first.events(), second.events());
    assert_eq!(first.events().len(), 4);
    assert!(first.events().iter().all(|event| {
        let wire = serde_json::to_value(event).unwrap();
        wire["call_id"] == "c1" && wire["tool_name"] == "t"
    }));
    assert!(matches!(
        &first.events()[2],
        AgentEvent::ToolProgress { partial_output: Some(part), .. } if part == "part"
    ));
}

#[test]
fn handles_of_one_call_are_not_those_of_the_next() {
    let log = EventLog::new();
    let first = RunContext::new().with_events(log.clone()).for_call("c1");
    first.value::<EventEmitter>().unwrap().custom(json!(1));
    first
        .for_call("c2")
        .value::<EventEmitter>()
        .unwrap()
        .custom(json!(2));
    let ids = log.events().into_iter().map(|event| match event {
        AgentEvent::Custom { call_id, .. } => call_id,
        _ => None,
    });
    assert_eq!(
        ids.collect::<Vec<_>>(),
        [Some("c1".to_owned()), Some("c2".to_owned())]
    );
}

#[test]
fn an_event_nobody_listens_to_is_not_made() {
    RunContext::new().emit_with(|| unreachable!());
}

#[test]
fn limits_only_narrow() {
    let limits = |calls| RunLimits {
        max_tool_calls: calls,
        ..RunLimits::default()
    };
    let ctx = RunContext::new()
        .with_limits(limits(5))
        .with_limits(limits(9));
    assert_eq!(ctx.narrowed_limits(&limits(100)).max_tool_calls, 5);
    assert_eq!(ctx.narrowed_limits(&limits(2)).max_tool_calls, 2);
    assert_eq!(
        ctx.child()
            .with_limits(limits(50))
            .budget()
            .remaining_tool_calls(),
        Some(5)
    );
    assert_eq!(
        RunContext::new()
            .narrowed_limits(&limits(100))
            .max_tool_calls,
        100
    );
}

#[tokio::test(start_paused = true)]
async fn the_earliest_deadline_stays() {
    let soon = Instant::now() + Duration::from_secs(5);
    let ctx = RunContext::new()
        .with_deadline(soon)
        .with_timeout(Duration::from_mins(1));
    assert_eq!(ctx.deadline(), Some(soon));
    assert_eq!(
        ctx.child().with_timeout(Duration::MAX).deadline(),
        Some(soon)
    );
    tokio::time::advance(Duration::from_secs(3)).await;
    assert_eq!(ctx.budget().remaining_time(), Some(Duration::from_secs(2)));
    tokio::time::advance(Duration::from_secs(3)).await;
    assert_eq!(ctx.budget().remaining_time(), Some(Duration::ZERO));
}

#[test]
fn cancelling_goes_down_and_never_up() {
    let host = CancellationToken::new();
    let parent = RunContext::new().with_cancellation(host.clone());
    let child = parent.child();
    let sibling = parent.child();
    child.cancel();
    assert!(child.is_cancelled() && !parent.is_cancelled() && !sibling.is_cancelled());
    parent.cancel();
    assert!(parent.is_cancelled() && sibling.is_cancelled() && !host.is_cancelled());

    let ctx = RunContext::new().with_cancellation(host.clone());
    host.cancel();
    assert!(ctx.is_cancelled() && ctx.cancellation_token().is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn a_child_with_its_own_token_still_ends_with_its_parent() {
    let parent = RunContext::new();
    let child = parent.child().with_cancellation(CancellationToken::new());
    let waiting = child.clone();
    let waiter = tokio::spawn(async move { waiting.cancelled().await });
    tokio::task::yield_now().await;
    assert!(!waiter.is_finished());
    parent.cancel();
    waiter.await.unwrap();
    assert!(child.is_cancelled() && child.cancellation_token().is_cancelled());
}

#[test]
fn a_child_inherits_and_has_its_own_id() {
    let parent = RunContext::new()
        .with_thread_id("t1")
        .with_tag("a")
        .provide(Secret("s"));
    let child = parent.child().with_tag("b");
    assert_ne!(child.run_id(), parent.run_id());
    assert_eq!(child.parent_run_id(), Some(parent.run_id()));
    assert_eq!(child.thread_id(), parent.thread_id());
    assert_eq!(
        (child.depth(), child.tags()),
        (1, ["a".to_owned(), "b".to_owned()].as_slice())
    );
    assert_eq!(child.value::<Secret>(), Some(&Secret("s")));
}

#[test]
fn a_child_can_not_leave_its_parents_workspace() {
    let outer = WorkspaceDescriptor::new("/w/r")
        .with_sandbox(SandboxMode::Required)
        .with_trusted_root("/opt/data");
    let parent = RunContext::new().with_workspace(outer);
    let inside = WorkspaceDescriptor::new("/w/r/sub")
        .with_trusted_root("/opt/data/x")
        .with_trusted_root("/etc");
    let child = parent.child().with_workspace(inside);
    let workspace = child.workspace().unwrap();
    assert_eq!(workspace.root, Path::new("/w/r/sub"));
    assert_eq!(workspace.sandbox, SandboxMode::Required);
    assert_eq!(workspace.trusted_roots, [Path::new("/opt/data/x")]);

    for root in ["/", "/w", "/w/r/../x", "/etc", "sub", ""] {
        let child = parent
            .child()
            .with_workspace(WorkspaceDescriptor::new(root));
        let workspace = child.workspace().unwrap();
        assert!(
            !workspace.allows(Path::new("a")) && !workspace.allows(Path::new("/etc/a")),
            "{root}"
        );
        let grandchild = child
            .child()
            .with_workspace(WorkspaceDescriptor::new("/w/r"));
        assert!(
            !grandchild.workspace().unwrap().allows(Path::new("a")),
            "{root}"
        );
    }
    assert_eq!(parent.child().workspace().unwrap().root, Path::new("/w/r"));
}

#[test]
fn a_call_shares_the_runs_part() {
    let ctx = RunContext::new();
    let call = ctx.for_call("c1");
    assert!(Arc::ptr_eq(&ctx.run, &call.run));
}

#[test]
fn a_failed_run_is_found_by_every_clone_but_no_child() {
    let host = RunContext::new();
    let run = host.clone().with_tag("inner");
    assert!(host.failed_run().is_none());
    run.keep_failed_run(AgentRun::default());
    assert!(host.failed_run().is_some() && host.child().failed_run().is_none());
}

#[test]
fn a_state_or_the_token_of_a_call_does_not_copy_the_runs_part() {
    let ctx = RunContext::new();
    let call = ctx.clone().with_state(Secret("state")).for_call("c1");
    let token = call.cancellation_token().child_token();
    let call = call.with_call_cancellation(token);
    assert!(Arc::ptr_eq(&ctx.run, &call.run));
    assert_eq!(**call.value::<Arc<Secret>>().unwrap(), Secret("state"));
    assert_eq!(ctx.state::<Secret>(), None);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_takes_along_what_was_begun_in_it_and_not_the_run() {
    let run = RunContext::new();
    let token = run.cancellation_token().child_token();
    let call = run.for_call("c1").with_call_cancellation(token.clone());
    let begun = [
        call.for_call("c2"),
        call.child(),
        call.clone().with_cancellation(CancellationToken::new()),
    ];
    assert!(begun.iter().all(|ctx| !ctx.is_cancelled()));
    token.cancel();
    for ctx in begun.iter().chain([&call]) {
        ctx.cancelled().await;
        assert!(ctx.is_cancelled() && ctx.cancellation_token().is_cancelled());
        assert!(portable(ctx).is_cancelled());
    }
    assert!(!run.is_cancelled());
}

/// Calls something when it is woken.
struct OnWake<F>(F);

impl<F: Fn() + Send + Sync> Wake for OnWake<F> {
    fn wake(self: Arc<Self>) {
        (self.0)();
    }
}

#[test]
fn whoever_hears_of_a_cancellation_finds_the_run_cancelled() {
    let host = CancellationToken::new();
    let run = RunContext::new().with_cancellation(&host);
    let other = RunContext::new().with_cancellation(&host);
    let first = run.cancellation_token().child_token();
    let mut hears = std::pin::pin!(first.cancelled());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let waker = Waker::from(Arc::new(OnWake({
        let (run, other, host, seen) =
            (run.clone(), other.clone(), host.clone(), Arc::clone(&seen));
        move || {
            // It is over for whoever asks, and for whoever cancels the same once more.
            host.cancel();
            let cancelled =
                [&run, &other].map(|ctx| ctx.is_cancelled() && portable(ctx).is_cancelled());
            seen.lock().unwrap().push(cancelled);
        }
    })));
    let polled = hears.as_mut().poll(&mut Context::from_waker(&waker));
    assert!(polled.is_pending());
    host.cancel();
    assert_eq!(*seen.lock().unwrap(), [[true, true]]);
}

#[test]
fn a_key_is_made_when_it_is_read_of_the_calls_own_run_and_shows_no_argument() {
    let call = ToolCall::new("c1", "t", json!({ "password": "hunter2" }));
    let batch = Arc::new(vec![call]);
    let requested = Requested::first(&batch).unwrap();
    let mut ctx = RunContext::new().for_made(requested);
    let mut changed = CurrentCall::new(requested);
    for _ in 0..2 {
        ctx.enter(&Arc::from("t"), IdempotencyKey::of(&changed));
        let read = portable(&ctx).idempotency_key().unwrap().to_owned();
        assert_eq!(portable(&ctx.clone()).idempotency_key(), Some(&*read));
        let shown = format!("{:?}", ctx.call);
        assert!(!shown.contains("hunter"), "{shown}");
        // Whoever asks, and in whatever run: the key is of the run that the call was made in.
        let elsewhere = ctx.clone().with_run_id("another");
        assert_eq!(portable(&elsewhere).idempotency_key(), Some(&*read));
        changed.to_mut().name.push('2');
    }
}
