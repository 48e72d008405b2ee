//! What a tool declares to the host, derived where it isn't written.

use proc_macro2::{Ident, Span};
use syn::{LitInt, LitStr};

use crate::args::{AccessArgs, EffectArgs, HostArgs, PolicyArgs, RunningArgs, Slot, Written};

/// What a policy is made of.
pub(crate) struct PolicyKeys<'a> {
    pub(crate) policy: &'a PolicyArgs,
    pub(crate) label: Option<&'a LitStr>,
    pub(crate) detail: Option<&'a LitStr>,
    pub(crate) is_async: bool,
    /// The properties listed in `redact(..)`.
    pub(crate) redact: Vec<LitStr>,
}

/// What a tool declares. Nothing here has a default left to apply but those of `ToolPolicy` and of the `Tool` trait.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each with a key"
)]
pub(crate) struct Policy {
    pub(crate) base: Base,
    /// The side effects beyond the base that are switched on, by their key.
    pub(crate) side_effects: Vec<Ident>,
    pub(crate) sandbox: Option<Ident>,
    pub(crate) max_result_bytes: Option<LitInt>,
    pub(crate) timeout_ms: Option<LitInt>,
    pub(crate) timeout: Option<Ident>,
    pub(crate) max_retries: Option<LitInt>,
    pub(crate) idempotent: bool,
    pub(crate) cancelable: bool,
    pub(crate) streaming: bool,
    pub(crate) replay: Option<Ident>,
    pub(crate) workspace: Option<Ident>,
    pub(crate) trusted_roots: Vec<LitStr>,
    pub(crate) credentials: Vec<LitStr>,
    pub(crate) approval_required: bool,
    pub(crate) background_safe: bool,
    pub(crate) redact: Vec<LitStr>,
    pub(crate) label: Option<LitStr>,
    pub(crate) detail: Option<LitStr>,
    pub(crate) host: Host,
}

/// The policy that all others are written as a change of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// Nothing is known.
    Unclassified,
    /// No effect.
    Classified,
    /// No effect, and therefore idempotent, safe in the background and safe to replay.
    ReadOnly,
}

/// What is declared by methods of the `Tool` trait instead of the policy.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each with a key"
)]
pub(crate) struct Host {
    pub(crate) concurrency_safe: bool,
    pub(crate) blocking: bool,
    pub(crate) max_result_chars: Option<LitInt>,
    /// Missing where it is the trait's default, `ReadOnly`.
    pub(crate) permission: Option<Ident>,
    pub(crate) scope: Option<Ident>,
    pub(crate) category: Option<Ident>,
    pub(crate) exposure: Option<Ident>,
    pub(crate) return_direct: bool,
    pub(crate) supports_markdown: bool,
    pub(crate) external_effect: bool,
    pub(crate) family: Option<LitStr>,
    pub(crate) tags: Vec<LitStr>,
}

impl Policy {
    pub(super) fn resolve(keys: &PolicyKeys<'_>) -> Self {
        let PolicyArgs {
            effects,
            running,
            access,
            host: _,
        } = keys.policy;
        let RunningArgs {
            timeout_ms,
            timeout,
            max_retries,
            idempotent,
            cancelable,
            concurrency_safe: _,
            blocking: _,
            sandbox,
            max_result_bytes,
            max_result_chars: _,
            streaming,
            replay,
        } = running;
        let AccessArgs {
            workspace,
            trusted_roots,
            credentials,
            approval_required,
            background_safe,
        } = access;
        let side_effects = side_effects(effects);
        let read_only = effects.read_only.unwrap_or(false);
        let approval_required = approval_required.unwrap_or(false);
        let classified = effects.classified.unwrap_or(false) || !side_effects.is_empty();
        Self {
            base: match (read_only, classified) {
                (true, _) => Base::ReadOnly,
                (false, true) => Base::Classified,
                (false, false) => Base::Unclassified,
            },
            side_effects,
            sandbox: sandbox.value().cloned(),
            max_result_bytes: max_result_bytes.value().cloned(),
            timeout_ms: timeout_ms.value().cloned(),
            timeout: timeout.value().cloned(),
            max_retries: max_retries.value().cloned(),
            idempotent: idempotent.unwrap_or(read_only),
            cancelable: cancelable.unwrap_or(true),
            streaming: streaming.unwrap_or(false),
            replay: replay.value().cloned(),
            workspace: workspace.value().cloned(),
            trusted_roots: trusted_roots.value().cloned().unwrap_or_default(),
            credentials: credentials.value().cloned().unwrap_or_default(),
            approval_required,
            background_safe: background_safe.unwrap_or(read_only && !approval_required),
            redact: keys.redact.clone(),
            label: keys.label.cloned(),
            detail: keys.detail.cloned(),
            host: Host::resolve(keys),
        }
    }
}

impl Host {
    fn resolve(keys: &PolicyKeys<'_>) -> Self {
        let PolicyArgs {
            effects,
            running,
            access: _,
            host,
        } = keys.policy;
        let HostArgs {
            permission,
            scope,
            category,
            exposure,
            return_direct,
            supports_markdown,
            external_effect,
            family,
            tags,
        } = host;
        let permission = match permission.value() {
            Some(written) => Some(written.clone()),
            None => permission_of(effects),
        };
        Self {
            concurrency_safe: running
                .concurrency_safe
                .unwrap_or(effects.read_only.unwrap_or(false)),
            // A default of the toolbox says nothing of its async methods.
            blocking: running.blocking.unwrap_or(false) && !keys.is_async,
            max_result_chars: running.max_result_chars.value().cloned(),
            permission,
            scope: scope.value().cloned(),
            category: category.value().cloned(),
            exposure: exposure.value().cloned(),
            return_direct: return_direct.unwrap_or(false),
            supports_markdown: supports_markdown.unwrap_or(false),
            external_effect: external_effect.unwrap_or_else(|| has_external_effect(effects)),
            family: family.value().cloned(),
            tags: tags.value().cloned().unwrap_or_default(),
        }
    }
}

/// The side effects of the policy that are switched on; `read_only` is none.
fn side_effects(effects: &EffectArgs) -> Vec<Ident> {
    let EffectArgs {
        read_only: _,
        writes_files,
        network,
        installs_dependencies,
        runs_processes,
        destructive,
        external_service,
        payment,
        classified: _,
    } = effects;
    [
        writes_files,
        network,
        installs_dependencies,
        runs_processes,
        destructive,
        external_service,
        payment,
    ]
    .into_iter()
    .filter_map(Slot::on)
    .map(|Written { key, .. }| key.clone())
    .collect()
}

/// The least permission that covers the effects, highest first.
fn permission_of(effects: &EffectArgs) -> Option<Ident> {
    let on = |slot: &Slot<bool>| slot.unwrap_or(false);
    let level = if on(&effects.destructive) || on(&effects.payment) {
        "Dangerous"
    } else if on(&effects.installs_dependencies) || on(&effects.runs_processes) {
        "Execute"
    } else if on(&effects.writes_files) {
        "Write"
    } else {
        return None;
    };
    Some(Ident::new(level, Span::call_site()))
}

/// Whether a call changes something outside that can't be taken back.
fn has_external_effect(effects: &EffectArgs) -> bool {
    let on = |slot: &Slot<bool>| slot.unwrap_or(false);
    !on(&effects.read_only)
        && (on(&effects.external_service)
            || on(&effects.payment)
            || (on(&effects.destructive) && on(&effects.network)))
}
