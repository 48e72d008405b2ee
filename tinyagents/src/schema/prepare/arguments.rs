//! Names of arguments that a provider refuses.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::unique_names::{Naming, unique_names};

/// Longest name of an argument, in bytes.
const MAX_BYTES: usize = 64;

/// Which arguments are called otherwise than they are declared: the new name, the declared one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ArgumentNames(Arc<[(String, String)]>);

impl ArgumentNames {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an argument is there under its new name alone.
    pub(crate) fn are_used_in(&self, arguments: &Value) -> bool {
        self.0.iter().any(|(new, declared)| {
            arguments.get(new).is_some() && arguments.get(declared).is_none()
        })
    }

    /// Gives arguments their declared names back. One that is there under its declared name is left alone.
    pub(crate) fn restore(&self, arguments: &mut Value) {
        let Value::Object(arguments) = arguments else {
            return;
        };
        for (new, declared) in self.0.iter() {
            if arguments.contains_key(declared) {
                continue;
            }
            if let Some(value) = arguments.shift_remove(new) {
                arguments.insert(declared.clone(), value);
            }
        }
    }
}

/// Whether a provider that checks the names of arguments takes this one.
pub(in crate::schema) fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_BYTES
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

/// Renames the properties of the root that have other names.
pub(super) fn rename(root: &mut Map<String, Value>) -> ArgumentNames {
    let Some(Value::Object(properties)) = root.get_mut("properties") else {
        return ArgumentNames::default();
    };
    if properties.keys().all(|name| is_plain(name)) {
        return ArgumentNames::default();
    }
    let naming = Naming {
        is_kept: &is_plain,
        plain: &plain,
        max_bytes: MAX_BYTES,
    };
    let names = unique_names(properties.keys().map(String::as_str), &[], &naming);
    let renamed = std::mem::take(properties);
    for (name, property) in renamed {
        let new = names.get(&name).cloned().unwrap_or(name);
        properties.insert(new, property);
    }
    if let Some(Value::Array(required)) = root.get_mut("required") {
        for name in required {
            if let Some(new) = name.as_str().and_then(|name| names.get(name)) {
                *name = Value::String(new.clone());
            }
        }
    }
    let mut changed: Vec<(String, String)> = names
        .into_iter()
        .filter(|(declared, new)| declared != new)
        .map(|(declared, new)| (new, declared))
        .collect();
    changed.sort_unstable();
    ArgumentNames(changed.into())
}

fn plain(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|letter| {
            let is_plain = letter.is_ascii_alphanumeric() || "_.-".contains(letter);
            if is_plain { letter } else { '_' }
        })
        .collect();
    if plain.trim_matches('_').is_empty() {
        return String::new();
    }
    plain
}
