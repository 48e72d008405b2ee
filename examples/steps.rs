//! What admission makes of one arguments text, step by step.

use std::io::Write;
use std::process::ExitCode;

use tinyagents::model::{ToolCall, ToolSchema};
use tinyagents::{Dispatcher, EventLog, OutsideNames, RunContext, ToolRegistry, Validator};
use tinytools::serde_json::{self, Value};
use tinytools::{Injected, Tool, ToolResult, async_trait};

/// A tool that answers with the arguments that reach it.
struct Echo {
    name: String,
    schema: ToolSchema,
    injected: Vec<Injected>,
}

#[async_trait]
impl Tool for Echo {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.schema.description
    }

    fn parameters_schema(&self) -> Value {
        self.schema.parameters.clone()
    }

    fn injected(&self) -> Vec<Injected> {
        self.injected.clone()
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        Ok(ToolResult::success(args.to_string()))
    }
}

/// Takes the text through each step by itself, then the call as a whole.
pub(crate) async fn show(
    tool: &ToolSchema,
    injected: Vec<Injected>,
    text: &str,
    context: RunContext,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    writeln!(out, "tool: {}", tool.name)?;
    let call = ToolCall::from_text("call_1", &tool.name, text);
    match &call.invalid {
        None => writeln!(out, "read: {}", call.arguments)?,
        Some(reason) => writeln!(out, "read: not JSON: {reason}")?,
    }
    match Validator::compile(&tool.parameters) {
        Ok(validator) if call.invalid.is_none() => match validator.validate(&call.arguments) {
            Ok(()) => writeln!(out, "validated: nothing is wrong")?,
            Err(faults) => {
                for fault in faults {
                    writeln!(out, "fault: {fault}")?;
                }
            }
        },
        Ok(_) => {}
        Err(error) => writeln!(out, "the schema can't be compiled: {error}")?,
    }

    let mut registry = ToolRegistry::new();
    let names = OutsideNames::sanitize([tool.name.as_str()], &[]);
    let name = names
        .canonical(&tool.name)
        .map(ToString::to_string)
        .unwrap_or_default();
    let echo = Echo {
        name: name.clone(),
        schema: tool.clone(),
        injected,
    };
    if let Err(error) = registry.register(echo) {
        writeln!(out, "not registered: {error}")?;
        return Ok(ExitCode::FAILURE);
    }
    let log = EventLog::new();
    let context = context.with_events(log.clone());
    let call = ToolCall::from_text("call_1", name, text);
    let batch = Dispatcher::new(registry)
        .dispatch(&(), &context, vec![call])
        .await?;
    for event in &log.events() {
        writeln!(out, "event: {}", serde_json::to_string(event)?)?;
    }
    let mut code = ExitCode::SUCCESS;
    for answer in &batch.messages {
        if answer.is_error {
            code = ExitCode::FAILURE;
            writeln!(out, "the model is told: {}", answer.content)?;
        } else {
            writeln!(out, "the tool gets: {}", answer.content)?;
        }
    }
    Ok(code)
}
