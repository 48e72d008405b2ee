//! Three hundred tools of thirty services: what goes over the wire with and without discovery, a search, and a call of what
//! it found. `toolbox_of_hundreds [TIMELINE.html]` writes the run as a page, by default into `timeline.html`.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use tinyagents::model::{Message, ModelRequest, ScriptedModel};
use tinyagents::toolset::{CombinedToolSet, ToolSet, ToolSetExt};
use tinyagents::{
    AgentEvent, AgentHarness, AgentRun, EventLog, RunContext, RunPolicy, ToolGroup, ToolRegistry,
};
use tinytools::serde_json::{Value, json};
use tinytools::{Tool, ToolExposure, ToolPolicy, ToolResult, async_trait};

const SERVICES: [&str; 30] = [
    "mail", "calendar", "drive", "chat", "crm", "billing", "payroll", "wiki", "forum", "photos",
    "maps", "music", "video", "books", "news", "weather", "fitness", "travel", "hotels", "flights",
    "cars", "food", "shop", "stock", "bank", "tax", "law", "school", "jobs", "home",
];
/// The ten operations of a service, each with what it does.
const VERBS: [(&str, &str); 10] = [
    ("list", "List the entries"),
    ("search", "Search the entries"),
    ("read", "Read an entry"),
    ("create", "Create an entry"),
    ("update", "Update an entry"),
    ("delete", "Delete an entry"),
    ("share", "Share an entry"),
    ("archive", "Archive an entry"),
    ("export", "Export an entry"),
    ("watch", "Watch an entry"),
];
/// What the tools of every service have in common.
const IN_COMMON: &str = "The tools of a service choose an entry by its id or by a text that is in it; the answer \
    has the entry as it is afterwards.";

/// One operation of one service.
struct Operation {
    service: &'static str,
    verb: &'static str,
    description: String,
    exposure: ToolExposure,
}

impl Operation {
    fn new(
        service: &'static str,
        (verb, does): (&'static str, &str),
        exposure: ToolExposure,
    ) -> Self {
        Self {
            service,
            verb,
            description: format!("{does} of the {service} service."),
            exposure,
        }
    }
}

#[async_trait]
impl Tool for Operation {
    fn name(&self) -> &str {
        self.verb
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters_schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "entry": { "type": "string", "description": format!("Id of the {} entry.", self.service) },
                "text": { "type": "string", "description": "A text that is in the entry." },
                "limit": { "type": "integer", "minimum": 1, "maximum": 100 }
            },
            "additionalProperties": false
        })
    }

    fn policy(&self) -> ToolPolicy {
        match self.verb {
            "list" | "search" | "read" | "watch" => ToolPolicy::read_only(),
            _ => ToolPolicy::classified(),
        }
    }

    fn exposure(&self) -> ToolExposure {
        self.exposure
    }

    async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
        let Self { service, verb, .. } = self;
        Ok(ToolResult::success(format!(
            "{service}: {verb} {args} is done"
        )))
    }
}

/// Every service is a set of its own, whose operations have the same ten names; a prefix tells them apart. What holds for
/// all operations is said by the set, and so once in a run.
pub(crate) fn toolbox(exposure: ToolExposure) -> anyhow::Result<Arc<dyn ToolSet>> {
    let mut services = Vec::with_capacity(SERVICES.len());
    for service in SERVICES {
        let operations: Vec<Arc<dyn Tool>> = VERBS
            .into_iter()
            .map(|verb| -> Arc<dyn Tool> { Arc::new(Operation::new(service, verb, exposure)) })
            .collect();
        let group = ToolGroup::new(service, operations).with_instructions(IN_COMMON);
        let mut registry = ToolRegistry::new();
        registry.register_group(group)?;
        services.push(registry.prefixed(service));
    }
    // Whatever deletes waits for a person, in every service.
    let all = CombinedToolSet::new(services);
    Ok(all.requiring_approval(|tool| tool.name().ends_with("_delete")))
}

/// A model that looks for a tool and calls it, first through the bridge and then by its name.
fn model() -> ScriptedModel {
    let entry = json!({ "entry": "invoice-7" });
    ScriptedModel::new()
        .call(
            "tool_search",
            json!({ "query": "export a billing entry", "limit": 2 }),
        )
        .call(
            "tool_call",
            json!({ "name": "billing_export", "arguments": entry }),
        )
        .call("billing_export", json!({ "entry": "invoice-8" }))
        .text("Both invoices are exported.")
}

/// A run, and the bytes of the schemas in each of its requests.
async fn go(
    exposure: ToolExposure,
    model: ScriptedModel,
) -> anyhow::Result<(AgentRun, Vec<usize>)> {
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(model).with_toolset(toolbox(exposure)?);
    harness.with_policy(RunPolicy::default());
    let log = EventLog::new();
    let ctx = RunContext::new()
        .with_run_id("toolbox")
        .with_events(log.clone());
    let messages = vec![Message::user("Export invoices 7 and 8.")];
    let run = harness.invoke_in_context(&(), ctx, messages).await?;
    let sent = log.events().into_iter().filter_map(|event| match event {
        AgentEvent::ToolsAdvertised { schema_bytes, .. } => Some(schema_bytes),
        _ => None,
    });
    Ok((run, sent.collect()))
}

/// Whether the system prompt says what all tools have in common, and says it once.
fn is_told_once(request: &ModelRequest) -> bool {
    let prompt = request.messages.first();
    prompt.is_some_and(|prompt| {
        matches!(prompt, Message::System(_)) && prompt.text().matches(IN_COMMON).count() == 1
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let page = std::env::args().nth(1);
    let page = page.as_deref().unwrap_or("timeline.html");
    run(Path::new(page), &mut io::stdout().lock()).await
}

pub(crate) async fn run(page: &Path, out: &mut impl Write) -> anyhow::Result<()> {
    let (_, whole) = go(ToolExposure::Direct, ScriptedModel::new().text("Hello.")).await?;
    let searching = model();
    let (run, sent) = go(ToolExposure::Deferred, searching.clone()).await?;
    let whole = whole.first().copied().unwrap_or_default();
    writeln!(out, "300 tools in every request: {whole} bytes of schemas")?;
    for (number, bytes) in sent.iter().enumerate() {
        let percent = 100 * bytes / whole.max(1);
        writeln!(
            out,
            "request {} with discovery: {bytes} bytes, {percent}%",
            number + 1
        )?;
    }
    let requests = searching.requests();
    let told = requests.iter().filter(|request| is_told_once(request));
    writeln!(
        out,
        "said once in {} of {} requests: {IN_COMMON}",
        told.count(),
        requests.len()
    )?;
    for row in run.messages.iter().filter_map(Message::as_tool) {
        let content: String = row.content.chars().take(100).collect();
        writeln!(out, "{}: {content}", row.tool_name)?;
    }
    writeln!(out, "found and kept: {}", run.promoted_tools.join(", "))?;
    writeln!(out, "really run: {}", run.executed_tools.join(", "))?;
    fs::write(page, run.timeline().to_html())?;
    writeln!(out, "{}", page.display())?;
    Ok(())
}
