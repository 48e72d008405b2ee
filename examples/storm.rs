//! A thousand calls at once, with failures, panics, timeouts and a cancellation among them. Whatever becomes of a call, its
//! id is answered once, in call order, and told of once: the proof is counted from the rows and the events.

use std::collections::HashMap;
use std::io::{self, Write};
use std::time::Duration;

use tinyagents::{
    AgentEvent, Batch, Dispatcher, EventChannel, EventLog, RunContext, RunLimits, RunPolicy,
    ToolCall, ToolRegistry,
};
use tinytools::serde_json::json;
use tinytools::{ToolError, tool, tools};

const CALLS: usize = 1000;
/// The second storm is cancelled when so many calls have succeeded.
const ENOUGH: usize = 20;

/// Measure the wind.
#[tool(read_only)]
pub(crate) async fn measure(station: usize) -> usize {
    tokio::time::sleep(Duration::from_millis(station as u64 % 7)).await;
    station * 3 % 130
}

/// Measure with an instrument that fails at times.
#[tool(read_only, max_retries = 1)]
pub(crate) fn unsteady(station: usize) -> Result<usize, ToolError> {
    match station % 4 {
        0 => Err(ToolError::retry("there is no such station")),
        1 => Err(ToolError::failed("the mast is broken")),
        2 => Err(ToolError::transient(io::Error::other("no signal"))),
        _ => Ok(station),
    }
}

/// Measure with an instrument that breaks.
#[tool(read_only)]
pub(crate) fn broken(station: usize) -> usize {
    // No panic of a tool's is more than the failure of one call.
    let readings: [usize; 0] = [];
    readings[station]
}

/// Measure with an instrument that never answers.
#[tool(read_only, timeout_ms = 20)]
pub(crate) async fn silent(station: usize) -> usize {
    std::future::pending::<()>().await;
    station
}

/// Measure once, slowly, in a thread.
#[tool(read_only, blocking)]
pub(crate) fn slow(station: usize) -> usize {
    std::thread::sleep(Duration::from_millis(1));
    station
}

/// Lower the flag: an effect, so that no other call runs beside it.
#[tool(idempotent)]
pub(crate) async fn lower(station: usize) -> usize {
    tokio::time::sleep(Duration::from_micros(100)).await;
    station
}

/// The calls of one turn: the tools in turn, a tool that isn't there and arguments that can't be among them.
fn storm() -> Vec<ToolCall> {
    let names = [
        "measure", "unsteady", "measure", "broken", "silent", "slow", "unsteady", "nowhere",
    ];
    let call = |number: usize| {
        let id = format!("call-{number}");
        match number {
            number if number % 100 == 99 => {
                ToolCall::new(id, "lower", json!({ "station": number }))
            }
            number if number % 50 == 10 => ToolCall::from_text(id, "measure", "{\"station\": "),
            number => {
                let name = names[number % names.len()];
                ToolCall::new(id, name, json!({ "station": number }))
            }
        }
    };
    (0..CALLS).map(call).collect()
}

/// What the rows and the events of a batch say.
struct Proof {
    answered_once: usize,
    in_call_order: bool,
    started_then_ended_once: usize,
    failed: usize,
}

impl Proof {
    fn of(batch: &Batch, events: &[AgentEvent]) -> Self {
        let mut rows: HashMap<&str, usize> = HashMap::new();
        for row in &batch.messages {
            *rows.entry(&row.call_id).or_default() += 1;
        }
        let mut told: HashMap<&str, Vec<bool>> = HashMap::new();
        for event in events {
            let (call_id, is_end) = match event {
                AgentEvent::ToolStarted { call_id, .. } => (call_id, false),
                AgentEvent::ToolCompleted { call_id, .. }
                | AgentEvent::ToolFailed { call_id, .. }
                | AgentEvent::ToolDeferred { call_id, .. } => (call_id, true),
                _ => continue,
            };
            told.entry(call_id).or_default().push(is_end);
        }
        let ids = || batch.calls.iter().map(|call| call.id.as_str());
        let rows_in_order = batch.messages.iter().map(|row| row.call_id.as_str());
        Self {
            answered_once: ids().filter(|id| rows.get(id) == Some(&1)).count(),
            in_call_order: ids().eq(rows_in_order),
            started_then_ended_once: ids()
                .filter(|id| told.get(id).is_some_and(|told| told[..] == [false, true]))
                .count(),
            failed: batch.messages.iter().filter(|row| row.is_error).count(),
        }
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    // Panics are part of the storm; their messages would only cover the figures.
    std::panic::set_hook(Box::new(|_| {}));
    run(&mut io::stdout().lock()).await
}

pub(crate) async fn run(out: &mut impl Write) -> anyhow::Result<()> {
    let mut registry = ToolRegistry::new();
    registry.register_all(tools![
        MeasureTool,
        UnsteadyTool,
        BrokenTool,
        SilentTool,
        SlowTool,
        LowerTool
    ])?;
    let dispatcher = Dispatcher::new(registry).with_policy(RunPolicy {
        max_concurrent_tools: 64,
        retry_base_delay: Duration::from_millis(1),
        limits: RunLimits {
            max_tool_calls: 2000,
            identical_failures: u32::MAX,
            ..RunLimits::default()
        },
        ..RunPolicy::default()
    });
    for (name, is_cancelled) in [("a storm", false), ("a storm cut short", true)] {
        let log = EventLog::new();
        let (told, mut events) = EventChannel::new();
        let ctx = RunContext::new().with_events(log.clone()).with_events(told);
        let running = dispatcher.dispatch(&(), &ctx, storm());
        let ending = async {
            let mut succeeded = 0;
            while is_cancelled && succeeded < ENOUGH {
                let Some(told) = events.recv().await else {
                    return;
                };
                succeeded += usize::from(matches!(told.event, AgentEvent::ToolCompleted { .. }));
                if succeeded == ENOUGH {
                    ctx.cancel();
                }
            }
        };
        let (batch, ()) = tokio::join!(running, ending);
        let batch = batch?;
        let Proof {
            answered_once,
            in_call_order,
            started_then_ended_once,
            failed,
        } = Proof::of(&batch, &log.events());
        writeln!(out, "{name}")?;
        writeln!(
            out,
            "  calls: {CALLS}, failed: {failed}, stop: {:?}",
            batch.stop
        )?;
        writeln!(
            out,
            "  answered once: {answered_once}, in call order: {in_call_order}"
        )?;
        writeln!(out, "  started, then ended once: {started_then_ended_once}")?;
        let mut endings: HashMap<&str, (usize, &str)> = HashMap::new();
        for row in batch.messages.iter().filter(|row| row.is_error) {
            let first = row.content.split([':', ';']).next().unwrap_or_default();
            endings.entry(&row.tool_name).or_insert((0, first)).0 += 1;
        }
        let mut endings: Vec<_> = endings.into_iter().collect();
        endings.sort_unstable();
        for (tool, (count, text)) in endings {
            writeln!(out, "  {count:4} of {tool}, such as: {text}")?;
        }
    }
    Ok(())
}
