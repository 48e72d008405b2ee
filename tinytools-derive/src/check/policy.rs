//! Rules for the keys that declare effects and needs. Keys that a method only inherits from its toolbox never make an
//! error of their own: they are checked where they are written.

use syn::{Error, LitInt};

use crate::args::{PolicyArgs, Slot, ToolArgs, Written, similar};
use crate::errors::Errors;
use crate::input::FnInput;
use crate::model::{is_called, property_name};

/// The rules that need the function as well.
pub(super) fn check_tool(
    args: &ToolArgs,
    policy: &PolicyArgs,
    input: &FnInput,
    errors: &mut Errors,
) {
    check(policy, errors);
    check_blocking(policy, input, errors);
    check_redact(args, input, errors);
}

/// The rules that hold for the defaults of a toolbox as well.
pub(super) fn check(policy: &PolicyArgs, errors: &mut Errors) {
    check_read_only(policy, errors);
    check_approval(policy, errors);
    check_timeout(policy, errors);
    check_repeatable(policy, errors);
    check_trusted_roots(policy, errors);
    check_return_direct(policy, errors);
}

/// Reports two keys that can't both hold, at the one that is written here; at the later one if both are.
fn contradict<A, B>(first: &Written<A>, second: &Written<B>, errors: &mut Errors) {
    let key = match (first.inherited, second.inherited) {
        (true, true) => return,
        (false, true) => &first.key,
        (_, false) => &second.key,
    };
    let message = format!(
        "`{}` contradicts `{}`; remove one of them",
        first.key, second.key
    );
    errors.at(key, message);
}

/// What only reads changes nothing.
fn check_read_only(policy: &PolicyArgs, errors: &mut Errors) {
    if let Some(read_only) = policy.effects.read_only.on() {
        for change in policy.effects.changes() {
            contradict(read_only, change, errors);
        }
    }
}

/// What a person must approve can't run while nobody watches.
fn check_approval(policy: &PolicyArgs, errors: &mut Errors) {
    let access = &policy.access;
    if let (Some(approval), Some(background)) =
        (access.approval_required.on(), access.background_safe.on())
    {
        contradict(approval, background, errors);
    }
}

/// There is one bound on the time of a call, and it leaves time to run.
fn check_timeout(policy: &PolicyArgs, errors: &mut Errors) {
    let running = &policy.running;
    if let Some(timeout_ms) = running.timeout_ms.get()
        && is_zero(&timeout_ms.value)
        && !timeout_ms.inherited
    {
        errors.at(
            &timeout_ms.value,
            "a timeout of 0 ms lets no call finish; write `timeout = Unbounded` or a longer one",
        );
    }
    if let (Some(timeout_ms), Some(timeout)) = (running.timeout_ms.get(), running.timeout.get()) {
        contradict(timeout_ms, timeout, errors);
    }
}

/// Only what does no harm when it runs twice may be run again by the host.
fn check_repeatable(policy: &PolicyArgs, errors: &mut Errors) {
    let running = &policy.running;
    let repeatable = policy.effects.read_only.on().is_some() || running.idempotent.on().is_some();
    if repeatable {
        return;
    }
    if let Some(retries) = running.max_retries.get()
        && !is_zero(&retries.value)
        && !retries.inherited
    {
        errors.at(
            &retries.key,
            "`max_retries` needs `idempotent` or `read_only`; a second run could do harm",
        );
    }
    if let Some(replay) = running.replay.get()
        && replay.value == "Safe"
        && !replay.inherited
    {
        errors.at(
            &replay.key,
            "`replay = Safe` needs `idempotent` or `read_only`; a second run could do harm",
        );
    }
}

/// Further roots widen a scope, so there must be one.
fn check_trusted_roots(policy: &PolicyArgs, errors: &mut Errors) {
    let access = &policy.access;
    let scoped = access
        .workspace
        .value()
        .is_some_and(|workspace| workspace == "Scoped");
    if let Some(roots) = access.trusted_roots.get()
        && !scoped
        && !roots.inherited
    {
        errors.at(&roots.key, "`trusted_roots` needs `workspace = Scoped`");
    }
}

/// A run can't end by the result of a tool that no model can call.
fn check_return_direct(policy: &PolicyArgs, errors: &mut Errors) {
    let host = &policy.host;
    let hidden = |exposure: &&Written<_>| exposure.value == "Hidden";
    if let (Some(direct), Some(exposure)) =
        (host.return_direct.on(), host.exposure.get().filter(hidden))
        && !(direct.inherited && exposure.inherited)
    {
        let key = if direct.inherited {
            &exposure.key
        } else {
            &direct.key
        };
        errors.at(
            key,
            "`return_direct` contradicts `exposure = Hidden`; remove one of them",
        );
    }
}

/// An async function has no thread of its own to block.
fn check_blocking(policy: &PolicyArgs, input: &FnInput, errors: &mut Errors) {
    if let Some(blocking) = policy.running.blocking.on()
        && input.sig.asyncness.is_some()
        && !blocking.inherited
    {
        errors.at(
            &blocking.key,
            "`blocking` is for sync functions; remove it or the `async`",
        );
    }
}

/// What is to be kept from logs must be there: a misspelt name would leave the value in them.
fn check_redact(args: &ToolArgs, input: &FnInput, errors: &mut Errors) {
    let visible: Vec<_> = input
        .params
        .iter()
        .filter(|param| param.hidden.is_none())
        .collect();
    let names: Vec<String> = visible
        .iter()
        .map(|param| property_name(param).value())
        .collect();
    for written in redacted(&args.redact) {
        let name = written.value();
        if visible.iter().any(|param| is_called(param, &name)) {
            continue;
        }
        let hint = match similar(&name, names.iter().map(String::as_str)) {
            Some(similar) => format!("; there is a parameter with a similar name: `{similar}`"),
            None => String::new(),
        };
        let message = format!("no parameter that a model chooses is called `{name}`{hint}");
        errors.push(Error::new_spanned(written, message));
    }
}

fn redacted(slot: &Slot<Vec<syn::LitStr>>) -> &[syn::LitStr] {
    slot.value().map_or(&[], Vec::as_slice)
}

fn is_zero(number: &LitInt) -> bool {
    number.base10_parse::<u64>().is_ok_and(|value| value == 0)
}
