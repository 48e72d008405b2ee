//! The keys that declare what a tool does and needs. `#[tool]` and `#[toolbox]` both have them.

use syn::parse::ParseStream;
use syn::{Ident, LitInt, LitStr};

use super::slot::{Key, Slot, Written};
use super::value::{count, flag, string, strings, variant};

/// Declares a group of keys: a struct with one slot each, how they are read, and how those of a toolbox become the
/// defaults of its methods.
macro_rules! key_group {
    (
        $(#[$doc:meta])*
        $group:ident { $($key:ident: $value:ty = $read:expr,)* }
    ) => {
        $(#[$doc])*
        #[derive(Default)]
        pub(crate) struct $group {
            $(pub(crate) $key: Slot<$value>,)*
        }

        impl $group {
            const KEYS: &[&str] = &[$(stringify!($key)),*];

            fn read(&mut self, key: &Key, input: ParseStream) -> Option<syn::Result<()>> {
                match key.name.as_str() {
                    $(stringify!($key) => {
                        let read: fn(&Key, ParseStream) -> syn::Result<$value> = $read;
                        Some(self.$key.read(key, input, read))
                    })*
                    _ => None,
                }
            }

            fn or(&self, defaults: &Self) -> Self {
                Self { $($key: self.$key.or(&defaults.$key),)* }
            }
        }
    };
}

key_group! {
    /// What a call does to the world.
    EffectArgs {
        read_only: bool = flag,
        writes_files: bool = flag,
        network: bool = flag,
        installs_dependencies: bool = flag,
        runs_processes: bool = flag,
        destructive: bool = flag,
        external_service: bool = flag,
        payment: bool = flag,
        classified: bool = flag,
    }
}

key_group! {
    /// How a call is run.
    RunningArgs {
        timeout_ms: LitInt = |key, input| count(key, input, u64::MAX),
        timeout: Ident = |key, input| variant(key, input, &["Inherit", "Unbounded"]),
        max_retries: LitInt = |key, input| count(key, input, u32::MAX.into()),
        idempotent: bool = flag,
        cancelable: bool = flag,
        concurrency_safe: bool = flag,
        blocking: bool = flag,
        sandbox: Ident = |key, input| variant(key, input, &["Inherit", "Disabled", "Required"]),
        max_result_bytes: LitInt = |key, input| count(key, input, u64::MAX),
        max_result_chars: LitInt = |key, input| count(key, input, u32::MAX.into()),
        streaming: bool = flag,
        replay: Ident = |key, input| variant(key, input, &["Safe", "Never"]),
    }
}

key_group! {
    /// What a call needs access to. `redact` is a key of `#[tool]` alone, since it names parameters.
    AccessArgs {
        workspace: Ident = |key, input| variant(key, input, &["None", "Scoped", "Any"]),
        trusted_roots: Vec<LitStr> = strings,
        credentials: Vec<LitStr> = strings,
        approval_required: bool = flag,
        background_safe: bool = flag,
    }
}

key_group! {
    /// What a host shows and allows.
    HostArgs {
        permission: Ident = |key, input| {
            variant(key, input, &["None", "ReadOnly", "Write", "Execute", "Dangerous"])
        },
        scope: Ident = |key, input| variant(key, input, &["All", "AgentOnly", "CliRpcOnly"]),
        category: Ident = |key, input| variant(key, input, &["System", "Workflow"]),
        exposure: Ident = |key, input| variant(key, input, &["Direct", "Deferred", "Hidden"]),
        return_direct: bool = flag,
        supports_markdown: bool = flag,
        external_effect: bool = flag,
        family: LitStr = string,
        tags: Vec<LitStr> = strings,
    }
}

/// All of these keys.
#[derive(Default)]
pub(crate) struct PolicyArgs {
    pub(crate) effects: EffectArgs,
    pub(crate) running: RunningArgs,
    pub(crate) access: AccessArgs,
    pub(crate) host: HostArgs,
}

impl PolicyArgs {
    pub(crate) const KEYS: [&[&str]; 4] = [
        EffectArgs::KEYS,
        RunningArgs::KEYS,
        AccessArgs::KEYS,
        HostArgs::KEYS,
    ];

    pub(crate) fn read(&mut self, key: &Key, input: ParseStream) -> Option<syn::Result<()>> {
        self.effects
            .read(key, input)
            .or_else(|| self.running.read(key, input))
            .or_else(|| self.access.read(key, input))
            .or_else(|| self.host.read(key, input))
    }

    /// These keys, and those of `defaults` that are not written here and contradict nothing that is.
    ///
    /// A default gives way to what a method writes: under `#[toolbox(read_only)]` a method with `writes_files` is
    /// simply not read-only. Not so a demand for approval: that is lifted by `approval_required = false` alone.
    pub(crate) fn or(&self, defaults: &Self) -> Self {
        let mut merged = Self {
            effects: self.effects.or(&defaults.effects),
            running: self.running.or(&defaults.running),
            access: self.access.or(&defaults.access),
            host: self.host.or(&defaults.host),
        };
        let Self {
            effects,
            running,
            access,
            host,
        } = self;
        if effects.changes().next().is_some() {
            merged.effects.read_only.drop_inherited();
        }
        if effects.read_only.on().is_some() {
            merged.effects.drop_inherited_changes();
        }
        if running.timeout.get().is_some() {
            merged.running.timeout_ms.drop_inherited();
        }
        if running.timeout_ms.get().is_some() {
            merged.running.timeout.drop_inherited();
        }
        if access.approval_required.on().is_some() {
            merged.access.background_safe.drop_inherited();
        }
        if host.exposure.get().is_some() {
            merged.host.return_direct.drop_inherited();
        }
        merged
    }
}

impl EffectArgs {
    /// The effects that `read_only` rules out, as far as they are switched on.
    pub(crate) fn changes(&self) -> impl Iterator<Item = &Written<bool>> {
        [
            &self.writes_files,
            &self.installs_dependencies,
            &self.runs_processes,
            &self.destructive,
            &self.payment,
        ]
        .into_iter()
        .filter_map(Slot::on)
    }

    fn drop_inherited_changes(&mut self) {
        self.writes_files.drop_inherited();
        self.installs_dependencies.drop_inherited();
        self.runs_processes.drop_inherited();
        self.destructive.drop_inherited();
        self.payment.drop_inherited();
    }
}
