//! The arguments of the attributes, as written: every value keeps its span, nothing is resolved yet.

mod arg;
mod keys;
mod number;
mod policy;
mod similar;
mod slot;
mod value;

use proc_macro2::TokenStream;
use syn::parse::ParseStream;
use syn::{Expr, Ident, LitStr, Path};

pub(crate) use arg::ArgArgs;
use keys::{ReadKey, read_keys};
pub(crate) use number::{Number, NumberValue};
pub(crate) use policy::{AccessArgs, EffectArgs, HostArgs, PolicyArgs, RunningArgs};
pub(crate) use similar::similar;
use slot::Key;
pub(crate) use slot::{Slot, Written};

use crate::errors::Errors;

/// The keys of `#[tool(..)]`.
#[derive(Default)]
pub(crate) struct ToolArgs {
    pub(crate) name: Slot<LitStr>,
    pub(crate) description: Slot<Expr>,
    pub(crate) struct_name: Slot<Ident>,
    pub(crate) label: Slot<LitStr>,
    pub(crate) detail: Slot<LitStr>,
    pub(crate) krate: Slot<Path>,
    pub(crate) redact: Slot<Vec<LitStr>>,
    pub(crate) policy: PolicyArgs,
}

/// The keys of `#[toolbox(..)]`. The policy keys are defaults for the methods.
#[derive(Default)]
pub(crate) struct ToolboxArgs {
    pub(crate) prefix: Slot<LitStr>,
    pub(crate) krate: Slot<Path>,
    pub(crate) policy: PolicyArgs,
}

impl ToolArgs {
    const KEYS: &[&str] = &[
        "name",
        "description",
        "struct_name",
        "label",
        "detail",
        "crate",
        "redact",
    ];

    /// Reads what is between the parentheses.
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        read_keys(tokens, errors)
    }
}

impl ToolboxArgs {
    /// Reads what is between the parentheses.
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        read_keys(tokens, errors)
    }
}

impl ArgArgs {
    /// Reads what is between the parentheses.
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        read_keys(tokens, errors)
    }
}

impl ReadKey for ToolArgs {
    const ATTR: &'static str = "tool";

    fn known() -> Vec<&'static str> {
        [Self::KEYS, &PolicyArgs::KEYS.concat()].concat()
    }

    fn read(&mut self, key: &Key, input: ParseStream) -> Option<syn::Result<()>> {
        use value::{crate_path, expr, ident, string, strings};
        Some(match key.name.as_str() {
            "name" => self.name.read(key, input, string),
            "description" => self.description.read(key, input, expr),
            "struct_name" => self.struct_name.read(key, input, ident),
            "label" => self.label.read(key, input, string),
            "detail" => self.detail.read(key, input, string),
            "crate" => self.krate.read(key, input, crate_path),
            "redact" => self.redact.read(key, input, strings),
            _ => return self.policy.read(key, input),
        })
    }

    fn misplaced(name: &str) -> Option<String> {
        (name == "prefix").then(|| "it is an argument of `toolbox`".to_owned())
    }
}

impl ReadKey for ToolboxArgs {
    const ATTR: &'static str = "toolbox";

    fn known() -> Vec<&'static str> {
        [&["prefix", "crate"], &*PolicyArgs::KEYS.concat()].concat()
    }

    fn read(&mut self, key: &Key, input: ParseStream) -> Option<syn::Result<()>> {
        use value::{crate_path, string};
        Some(match key.name.as_str() {
            "prefix" => self.prefix.read(key, input, string),
            "crate" => self.krate.read(key, input, crate_path),
            _ => return self.policy.read(key, input),
        })
    }

    fn misplaced(name: &str) -> Option<String> {
        ToolArgs::KEYS
            .contains(&name)
            .then(|| "write it in the `tool` of a method".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documentation of the macros, without that of `toolbox`, which refers to that of `tool`.
    fn documentation() -> &'static str {
        let source = include_str!("lib.rs");
        source
            .split_once("pub fn tool(")
            .map_or(source, |(before, _)| before)
    }

    #[test]
    fn every_key_is_documented() {
        let keys = [ToolArgs::known(), ArgArgs::known()].concat();
        let documented = |key: &&str| {
            let rows = documentation()
                .lines()
                .filter_map(|line| line.strip_prefix("/// | "));
            let mut cells = rows.filter_map(|row| row.split(" | ").next());
            cells.any(|cell| {
                let mut written = cell.split('`').skip(1).step_by(2);
                written.any(|written| {
                    let rest = written.strip_prefix(*key);
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '(']))
                })
            })
        };
        let missing: Vec<_> = keys.iter().filter(|key| !documented(key)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(!documented(&"no_such_key") && !documented(&"nam"));
    }
}
