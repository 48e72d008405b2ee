//! What a policy shows and what it runs can't diverge.

#![allow(missing_docs, clippy::unwrap_used)]

mod lifecycle_support;

use std::collections::BTreeSet;
use std::future::Future;

use lifecycle_support::{Made, harness};
use proptest::prelude::*;
use serde_json::{Value, json};
use tinyagents::middleware::{Middleware, ToolDecision, ToolPolicyMiddleware};
use tinyagents::model::{Message, ScriptedModel};
use tinyagents::tinytools::{
    PermissionLevel, SandboxMode, ToolPolicy, ToolSideEffects, WorkspaceDescriptor, async_trait,
};
use tinyagents::{
    AgentEvent, Dispatcher, EventLog, RunContext, TinyAgentsError, ToolCall, ToolRegistry,
};

const NAMES: [&str; 5] = ["t0", "t1", "t2", "t3", "t4"];

fn effects() -> impl Strategy<Value = ToolSideEffects> {
    any::<[bool; 8]>().prop_map(|bits| ToolSideEffects {
        read_only: bits[0],
        writes_files: bits[1],
        network: bits[2],
        installs_dependencies: bits[3],
        runs_processes: bits[4],
        destructive: bits[5],
        external_service: bits[6],
        payment: bits[7],
    })
}

fn few_effects() -> impl Strategy<Value = ToolSideEffects> {
    (effects(), effects(), effects()).prop_map(|(a, b, c)| ToolSideEffects {
        read_only: a.read_only && b.read_only && c.read_only,
        writes_files: a.writes_files && b.writes_files && c.writes_files,
        network: a.network && b.network && c.network,
        installs_dependencies: a.installs_dependencies
            && b.installs_dependencies
            && c.installs_dependencies,
        runs_processes: a.runs_processes && b.runs_processes && c.runs_processes,
        destructive: a.destructive && b.destructive && c.destructive,
        external_service: a.external_service && b.external_service && c.external_service,
        payment: a.payment && b.payment && c.payment,
    })
}

fn policy() -> impl Strategy<Value = ToolPolicy> {
    (few_effects(), any::<[bool; 5]>()).prop_map(|(side_effects, bits)| {
        let mut policy = ToolPolicy {
            classified: bits[0] || bits[1],
            side_effects,
            ..ToolPolicy::default()
        };
        policy.access.background_safe = bits[2];
        policy.access.approval_required = bits[3];
        if bits[4] {
            policy.runtime.sandbox = SandboxMode::Required;
        }
        policy
    })
}

fn level(number: u64) -> PermissionLevel {
    match number {
        0 => PermissionLevel::None,
        1 => PermissionLevel::ReadOnly,
        2 => PermissionLevel::Write,
        3 => PermissionLevel::Execute,
        _ => PermissionLevel::Dangerous,
    }
}

/// The rules of one middleware, as they are asked for.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent rules")]
struct Rules {
    strict: bool,
    classification: bool,
    denied: ToolSideEffects,
    sandbox: bool,
    approved: Option<BTreeSet<&'static str>>,
    background: bool,
    permission: Option<PermissionLevel>,
    no_effect_outside: bool,
    /// Tools whose policies the middleware is given.
    known: BTreeSet<&'static str>,
}

fn names() -> impl Strategy<Value = BTreeSet<&'static str>> {
    prop::collection::btree_set(prop::sample::select(&NAMES[..]), 0..=NAMES.len())
}

fn rules() -> impl Strategy<Value = Rules> {
    (
        any::<[bool; 5]>(),
        few_effects(),
        prop::option::of(names()),
        prop::option::of((0_u64..5).prop_map(level)),
        prop_oneof![3 => Just(NAMES.into()), 1 => names()],
    )
        .prop_map(|(bits, denied, approved, permission, known)| Rules {
            strict: bits[0],
            classification: bits[1],
            denied,
            sandbox: bits[2],
            approved,
            background: bits[3],
            permission,
            no_effect_outside: bits[4],
            known,
        })
}

impl Rules {
    fn middleware(&self, policies: &[ToolPolicy]) -> ToolPolicyMiddleware {
        let all = NAMES.iter().zip(policies);
        let known: Vec<(String, ToolPolicy)> = all
            .filter(|(name, _)| self.known.contains(*name))
            .map(|(name, policy)| ((*name).to_owned(), policy.clone()))
            .collect();
        let mut middleware = if self.strict {
            ToolPolicyMiddleware::strict(known)
        } else {
            ToolPolicyMiddleware::new(known).require_classification(self.classification)
        };
        middleware = middleware
            .deny_side_effects(self.denied)
            .require_sandbox(self.sandbox)
            .require_background_safe(self.background)
            .deny_external_effects(self.no_effect_outside);
        if let Some(approved) = &self.approved {
            middleware = middleware.require_approval(approved.iter().copied());
        }
        if let Some(level) = self.permission {
            middleware = middleware.max_permission(level);
        }
        middleware
    }

    /// What the rules say, said once more: whether a tool is allowed with the given privilege, and with an effect
    /// outside or without.
    fn allow(
        &self,
        name: &str,
        policy: &ToolPolicy,
        sandboxed: bool,
        needed: PermissionLevel,
        sends: bool,
    ) -> bool {
        let effects = serde_json::to_value(policy.side_effects).unwrap();
        let denied = serde_json::to_value(self.denied).unwrap();
        let is_denied = |effect: &str| {
            denied[effect] == json!(true)
                || self.strict && (effect == "destructive" || effect == "payment")
        };
        let has_denied = effects
            .as_object()
            .unwrap()
            .iter()
            .any(|(effect, has)| *has == json!(true) && is_denied(effect));
        let needs_sandbox = policy.runtime.sandbox == SandboxMode::Required;
        !has_denied
            && (policy.classified || !(self.strict || self.classification))
            && (!self.strict || self.known.contains(name))
            && (sandboxed || !(self.sandbox && needs_sandbox))
            && (policy.access.background_safe || !self.background)
            && self.permission.is_none_or(|most| needed <= most)
            && !(self.no_effect_outside && (sends || always_sends(policy)))
            && (!policy.access.approval_required
                || self
                    .approved
                    .as_ref()
                    .is_none_or(|approved| approved.contains(name)))
    }
}

/// One run in which every tool is called once with its number.
#[derive(Debug)]
struct Outcome {
    shown: BTreeSet<String>,
    filtered: BTreeSet<String>,
    /// Those that ran or wait for an approval.
    let_through: BTreeSet<String>,
    refused: BTreeSet<String>,
}

fn least(args: &Value) -> PermissionLevel {
    // A call's arguments say what it needs; `null` asks for the least of any.
    level(args["needs"].as_u64().unwrap_or(1))
}

/// Whether every call of such a tool has an effect outside.
fn always_sends(policy: &ToolPolicy) -> bool {
    policy.access.approval_required && policy.access.background_safe
}

fn tools(policies: &[ToolPolicy]) -> Vec<Made> {
    NAMES
        .iter()
        .zip(policies)
        .map(|(name, policy)| {
            let mut tool = Made::echo(name).policy(policy.clone());
            tool.permission = least;
            tool.external = if always_sends(policy) {
                |_| true
            } else {
                |args| args["sends"] == true
            };
            tool
        })
        .collect()
}

fn context(sandboxed: bool, log: &EventLog) -> RunContext {
    let sandbox = if sandboxed {
        SandboxMode::Required
    } else {
        SandboxMode::Disabled
    };
    let workspace = WorkspaceDescriptor::new("/work").with_sandbox(sandbox);
    RunContext::new()
        .with_workspace(workspace)
        .with_events(log.clone())
}

/// Leads calls astray after the policy has looked at them.
struct Redirect(usize);

#[async_trait]
impl Middleware for Redirect {
    async fn before_tool(
        &self,
        _: &mut RunContext,
        call: &mut ToolCall,
    ) -> Result<ToolDecision, TinyAgentsError> {
        NAMES[self.0].clone_into(&mut call.name);
        Ok(ToolDecision::Proceed)
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.unwrap().block_on(future)
}

fn run_agent(policies: &[ToolPolicy], rules: &Rules, sandboxed: bool, args: &Value) -> Outcome {
    let calls = NAMES.map(|name| (name, args.clone()));
    let model = ScriptedModel::new().calls(calls).text("end");
    let mut harness = harness(model.clone(), tools(policies));
    harness.with_middleware(rules.middleware(policies));
    let log = EventLog::new();
    let ctx = context(sandboxed, &log);
    let run = block_on(harness.invoke_in_context(&(), ctx, vec![Message::user("go")])).unwrap();
    let shown = model.requests()[0]
        .tools
        .iter()
        .map(|tool| tool.name.clone())
        .collect();
    let filtered = log.events().iter().find_map(|event| match event {
        AgentEvent::ToolsFiltered { tools, .. } => Some(tools.keys().cloned().collect()),
        _ => None,
    });
    let mut let_through: BTreeSet<String> = run.executed_tools.iter().cloned().collect();
    if let Some(deferred) = &run.deferred {
        let_through.extend(deferred.approvals.iter().map(|call| call.name.clone()));
    }
    let rows = run.messages.iter().filter_map(Message::as_tool);
    let refused = rows
        .filter(|row| row.is_error)
        .map(|row| row.tool_name.clone())
        .collect();
    Outcome {
        shown,
        filtered: filtered.unwrap_or_default(),
        let_through,
        refused,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_shown_runs_and_what_is_hidden_does_not(
        policies in prop::collection::vec(policy(), NAMES.len()),
        rules in rules(),
        sandboxed in any::<bool>(),
        needs in 0_u64..5,
        sends in any::<bool>(),
    ) {
        let args = json!({ "needs": needs, "sends": sends });
        let outcome = run_agent(&policies, &rules, sandboxed, &args);
        for (name, policy) in NAMES.iter().zip(&policies) {
            let shown = outcome.shown.contains(*name);
            // Arguments can only ask for more than the least.
            let needed = level(needs).max(level(1));
            prop_assert_eq!(shown, rules.allow(name, policy, sandboxed, level(1), false), "{} shown", name);
            prop_assert_eq!(outcome.filtered.contains(*name), !shown, "{} told of", name);
            let let_through = outcome.let_through.contains(*name);
            prop_assert_eq!(let_through, rules.allow(name, policy, sandboxed, needed, sends), "{} runs", name);
            prop_assert!(shown || !let_through, "{} runs hidden", name);
            prop_assert_eq!(outcome.refused.contains(*name), !let_through, "{} answered", name);
        }
    }

    #[test]
    fn a_hosts_own_loop_is_shown_and_refused_the_same(
        policies in prop::collection::vec(policy(), NAMES.len()),
        rules in rules(),
        sandboxed in any::<bool>(),
        needs in 0_u64..5,
        sends in any::<bool>(),
    ) {
        let args = json!({ "needs": needs, "sends": sends });
        let agent = run_agent(&policies, &rules, sandboxed, &args);
        let mut registry = ToolRegistry::new();
        for tool in tools(&policies) {
            registry.register(tool).unwrap();
        }
        let dispatcher = Dispatcher::new(registry).with_middleware(rules.middleware(&policies));
        let ctx = context(sandboxed, &EventLog::new());
        let calls = || NAMES.map(|name| ToolCall::new(name, name, args.clone())).to_vec();
        let turn = block_on(dispatcher.turn(&ctx)).unwrap();
        let shown: BTreeSet<String> = turn.schemas().iter().map(|tool| tool.name.clone()).collect();
        prop_assert_eq!(&shown, &agent.shown);
        // Whether the turn that was shown is used, or a fresh one.
        for batch in [
            block_on(turn.dispatch(&(), &ctx, calls())).unwrap(),
            block_on(dispatcher.dispatch(&(), &ctx, calls())).unwrap(),
        ] {
            let rows = batch.messages.iter().filter(|row| row.is_error);
            let refused: BTreeSet<String> = rows.map(|row| row.tool_name.clone()).collect();
            prop_assert_eq!(&refused, &agent.refused);
        }
    }

    #[test]
    fn a_call_that_is_renamed_after_the_policy_is_held_to_its_new_name(
        policies in prop::collection::vec(policy(), NAMES.len()),
        rules in rules(),
        target in 0..NAMES.len(),
    ) {
        let agent = run_agent(&policies, &rules, false, &json!({ "needs": 1 }));
        let made = tools(&policies);
        let mut registry = ToolRegistry::new();
        for tool in &made {
            registry.register(tool.clone()).unwrap();
        }
        let dispatcher = Dispatcher::new(registry)
            .with_middleware(rules.middleware(&policies))
            .with_middleware(Redirect(target));
        let ctx = context(false, &EventLog::new());
        let calls = NAMES.map(|name| ToolCall::new(name, name, json!({ "needs": 1 }))).to_vec();
        block_on(dispatcher.dispatch(&(), &ctx, calls)).unwrap();
        for (name, tool) in NAMES.iter().zip(&made) {
            prop_assert!(tool.runs() == 0 || agent.let_through.contains(*name), "{} ran", name);
        }
    }
}
