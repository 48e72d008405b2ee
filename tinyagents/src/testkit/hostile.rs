//! Calls that must be refused.

use serde_json::{Map, Value, json};
use tinytools::testing::hidden_words;

use super::calls::Direct;
use super::{ToolCheck, ToolFaults};
use crate::admission::drop_refused_nulls;
use crate::dispatch::is_injection;
use crate::model::{ToolCall, ToolMessage};
use crate::registry::RegisteredTool;

const REFUSED: &str = "wrong arguments are refused";
const NO_PANIC: &str = "wrong arguments make nothing panic or hang";
pub(super) const SECRET: &str = "an answer tells nothing hidden";

/// Values of every type, to find one that a property doesn't take.
fn of_every_type() -> [Value; 7] {
    [
        json!(null),
        json!(true),
        json!(-0.5),
        json!(1_u64 << 62),
        json!("\u{0}"),
        json!([[]]),
        json!({ "": {} }),
    ]
}

impl<S: Clone + Send + Sync + 'static> ToolCheck<S> {
    /// Wrong calls of every kind that the schema rules out. None reaches the tool through the runtime; a tool that only
    /// reads is given them directly as well, since its own checks hold there alone.
    pub(super) async fn refuses_wrong_calls(
        &self,
        registered: &RegisteredTool,
        faults: &mut ToolFaults,
    ) {
        for arguments in self.wrong_arguments(registered) {
            let call = ToolCall::new("wrong", self.tool.name(), arguments.clone());
            if let Some(row) = self.answer(call, faults).await {
                if !row.is_error {
                    faults.add_call(REFUSED, "a call works with", &arguments);
                }
                self.tells_nothing_hidden(&row, faults);
            }
            if registered.policy().side_effects.read_only {
                match self.execute_directly(&arguments).await {
                    // The host's own error, where a value is missing, may name it.
                    Direct::Ended(Err(error)) if !is_injection(&error) => {
                        for hidden in hidden_words(self.tool.as_ref(), &error.to_string()) {
                            faults.add(SECRET, format!("an error shows `{hidden}`"));
                        }
                    }
                    Direct::Ended(_) => {}
                    Direct::Panicked => {
                        faults.add_call(NO_PANIC, "`execute` panics with", &arguments);
                    }
                    Direct::Hangs => {
                        faults.add_call(NO_PANIC, "`execute` hangs with", &arguments);
                    }
                }
            }
        }
    }

    /// Arguments that the tool's own schema rules out, made of a valid call where there is one.
    fn wrong_arguments(&self, registered: &RegisteredTool) -> Vec<Value> {
        let base = self.calls.first().and_then(Value::as_object).cloned();
        let base = base.unwrap_or_default();
        let schema = &registered.schema().parameters;
        let mut wrong = vec![json!([]), json!("text"), json!(7)];
        let with = |name: &str, value: Value| {
            let mut arguments = base.clone();
            arguments.insert(name.to_owned(), value);
            Value::Object(arguments)
        };
        wrong.push(with("no_such_argument", json!(true)));
        let properties = schema.get("properties").and_then(Value::as_object);
        for name in properties.into_iter().flat_map(Map::keys) {
            let mut without = base.clone();
            without.remove(name);
            wrong.push(Value::Object(without));
            wrong.extend(of_every_type().map(|value| with(name, value)));
        }
        // A `null` stands for an argument that was left out, and a number may be written as text.
        wrong.retain(|arguments| !is_mended(registered, arguments));
        wrong
    }

    pub(super) fn tells_nothing_hidden(&self, row: &ToolMessage, faults: &mut ToolFaults) {
        for hidden in hidden_words(self.tool.as_ref(), &row.content) {
            faults.add(SECRET, format!("a row shows `{hidden}`"));
        }
    }
}

/// Whether the tool takes the arguments, as they are or once the runtime has normalised them.
fn is_mended(registered: &RegisteredTool, arguments: &Value) -> bool {
    let mut arguments = arguments.clone();
    drop_refused_nulls(&registered.schema().parameters, &mut arguments);
    registered.takes(&arguments)
}
