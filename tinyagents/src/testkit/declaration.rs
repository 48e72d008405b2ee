//! What a tool says of itself.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tinytools::testing::hidden_words;
use tinytools::{Tool, ToolReplay, ToolSideEffects};

use super::{ToolCheck, ToolFaults};
use crate::registry::RegisteredTool;
use crate::schema::Validator;

const DECLARATION: &str = "a tool can be registered";
const DESCRIPTION: &str = "a model can read what the tool is for";
const STABLE: &str = "a tool says the same of itself each time";
const HIDDEN: &str = "nothing hidden shows in a declaration";
const DEFAULTS: &str = "defaults and examples are what the schema allows";
const POLICY: &str = "a policy does not contradict itself";
const NO_PANIC: &str = "no method panics, whatever the arguments";

/// Looks at everything that can be seen without a call. `None` for a tool that can't be registered.
pub(super) fn check<S>(check: &ToolCheck<S>, faults: &mut ToolFaults) -> Option<RegisteredTool> {
    let tool = &check.tool;
    let declared = catch_unwind(AssertUnwindSafe(|| RegisteredTool::local(Arc::clone(tool))));
    let registered = match declared {
        Ok(Ok(registered)) => registered,
        Ok(Err(error)) => {
            faults.add(DECLARATION, error.to_string());
            return None;
        }
        Err(_) => {
            faults.add(DECLARATION, "a method that declares something panics");
            return None;
        }
    };
    if tool.description().trim().is_empty() {
        faults.add(DESCRIPTION, "the description is blank");
    }
    is_stable(tool.as_ref(), &registered, faults);
    shows_nothing_hidden(tool.as_ref(), faults);
    has_sound_defaults(&registered.schema().parameters, faults);
    has_sound_policy(&registered, faults);
    does_not_panic(check, faults);
    Some(registered)
}

/// The registry asks once, so a second answer would never be seen.
fn is_stable(tool: &dyn Tool, registered: &RegisteredTool, faults: &mut ToolFaults) {
    let same = [
        ("name", tool.name() == registered.name()),
        (
            "description",
            tool.description() == registered.schema().description,
        ),
        (
            "parameters",
            tool.parameters_schema() == registered.schema().parameters,
        ),
        (
            "output schema",
            tool.output_schema().as_ref() == registered.output_schema(),
        ),
        ("policy", tool.policy() == *registered.policy()),
        (
            "hidden parameters",
            tool.injected() == registered.injected(),
        ),
    ];
    for (what, is_same) in same {
        if !is_same {
            faults.add(STABLE, format!("the {what} changed"));
        }
    }
}

fn shows_nothing_hidden(tool: &dyn Tool, faults: &mut ToolFaults) {
    let schema = tool.parameters_schema().to_string();
    let output = tool.output_schema().unwrap_or_default().to_string();
    for (place, text) in [
        ("name", tool.name()),
        ("description", tool.description()),
        ("schema", &schema),
        ("output schema", &output),
    ] {
        for hidden in hidden_words(tool, text) {
            faults.add(HIDDEN, format!("the {place} shows `{hidden}`"));
        }
    }
}

fn has_sound_defaults(parameters: &Value, faults: &mut ToolFaults) {
    let properties = parameters.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let default = property.get("default");
        let examples = property.get("examples").and_then(Value::as_array);
        let values = default.map(|value| ("default", value)).into_iter().chain(
            examples
                .into_iter()
                .flatten()
                .map(|value| ("example", value)),
        );
        for (what, value) in values {
            if let Err(fault) = takes(parameters, name, property, value) {
                faults.add(DEFAULTS, format!("{what} of `{name}`: {fault}"));
            }
        }
    }
}

/// Holds one value to one property, with the root's definitions in reach.
fn takes(root: &Value, name: &str, property: &Value, value: &Value) -> Result<(), String> {
    let mut alone = root.as_object().cloned().unwrap_or_default();
    alone.retain(|keyword, _| matches!(keyword.as_str(), "$defs" | "definitions"));
    alone.insert("type".to_owned(), json!("object"));
    alone.insert("properties".to_owned(), json!({ name: property }));
    let validator = Validator::compile(&Value::Object(alone)).map_err(|error| error.to_string())?;
    let arguments: Map<String, Value> = [(name.to_owned(), value.clone())].into_iter().collect();
    validator
        .validate(&Value::Object(arguments))
        .map_err(|all| {
            let all: Vec<String> = all.iter().map(ToString::to_string).collect();
            all.join("; ")
        })
}

/// What the macro refuses at compile time, for tools that are written by hand.
fn has_sound_policy(registered: &RegisteredTool, faults: &mut ToolFaults) {
    let policy = registered.policy();
    let changes = ToolSideEffects {
        read_only: false,
        network: false,
        ..policy.side_effects
    };
    if policy.side_effects.read_only && changes != ToolSideEffects::default() {
        faults.add(POLICY, "it is read-only, and declares an effect");
    }
    if policy.access.approval_required && policy.access.background_safe {
        faults.add(POLICY, "it needs a person, and may run in the background");
    }
    if policy.runtime.timeout_ms == Some(0) && policy.runtime.timeout.is_none() {
        faults.add(POLICY, "a timeout of 0 ms lets no call finish");
    }
    if !registered.may_repeat() {
        if policy.runtime.max_retries > 0 {
            faults.add(
                POLICY,
                "`max_retries` needs an idempotent or read-only tool",
            );
        }
        if policy.runtime.replay == ToolReplay::Safe {
            faults.add(POLICY, "`replay` needs an idempotent or read-only tool");
        }
    }
}

/// The methods that are given arguments must bear any, since a host may ask before it has checked them.
fn does_not_panic<S>(check: &ToolCheck<S>, faults: &mut ToolFaults) {
    let tool = &check.tool;
    let odd = [json!(null), json!([]), json!("text"), json!({})];
    for args in odd.iter().chain(&check.calls) {
        let asked = catch_unwind(AssertUnwindSafe(|| {
            let _ = tool.is_concurrency_safe(args);
            let _ = tool.external_effect_with_args(args);
            let _ = tool.timeout_policy(args);
            let _ = (tool.display_label(args), tool.display_detail(args));
            let least = tool.permission_level();
            let keys = (tool.idempotency_key(args), tool.idempotency_key(args));
            (
                tool.permission_level_with_args(args) >= least,
                keys.0 == keys.1,
            )
        }));
        match asked {
            Ok((is_least, is_same_key)) => {
                if !is_least {
                    let found = "`permission_level` is more than a call needs, with";
                    faults.add_call(POLICY, found, args);
                }
                if !is_same_key {
                    faults.add(STABLE, "the idempotency key of one call changed");
                }
            }
            Err(_) => faults.add_call(NO_PANIC, "one panics with", args),
        }
    }
}
