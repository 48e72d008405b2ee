//! What the tools of the examples cost a model that is spoken to in signatures, and what their schemas would.
#![allow(clippy::duplicate_mod, reason = "two of the examples share a file")]

use std::sync::Arc;

use tinyagents::dialect::{Dialect, render_catalogue, render_pformat_catalogue};
use tinyagents::{RunContext, ToolSchema};
use tinytools::{IntoTools, Tool, ToolExposure, tools};

#[path = "../approvals.rs"]
#[allow(dead_code, reason = "only its tools are of interest here")]
mod approvals;
#[cfg(feature = "sqlite")]
#[path = "../crash_safe.rs"]
#[allow(dead_code, reason = "only its tools are of interest here")]
mod crash_safe;
#[path = "../dialects.rs"]
#[allow(dead_code, reason = "only its tools are of interest here")]
mod dialects;
#[path = "../github_toolbox.rs"]
#[allow(dead_code, reason = "only its tools are of interest here")]
mod github_toolbox;
#[path = "../handwritten.rs"]
#[allow(dead_code, reason = "only its tools are of interest here")]
mod handwritten;
#[path = "../host.rs"]
#[allow(dead_code, reason = "only its tools are of interest here")]
mod host;
#[cfg(feature = "mcp")]
#[path = "../mcp_server.rs"]
#[allow(dead_code, reason = "only its tools are of interest here")]
mod mcp_server;
#[cfg(feature = "openai")]
#[path = "../ollama_chat.rs"]
#[allow(dead_code, reason = "only its tools are of interest here")]
mod ollama_chat;
#[path = "../policy.rs"]
#[allow(dead_code, reason = "only its tools are of interest here")]
mod policy;
#[path = "../storm.rs"]
#[allow(dead_code, reason = "only its tools are of interest here")]
mod storm;
#[path = "../toolbox_of_hundreds.rs"]
#[allow(dead_code, reason = "only its tools are of interest here")]
mod toolbox_of_hundreds;
#[path = "../weather.rs"]
#[allow(dead_code, reason = "only its tools are of interest here")]
mod weather;

/// The example that has most of the tools.
const HUNDREDS: &str = "toolbox_of_hundreds";

/// What a model is told of some tools.
fn declared(tools: &[Arc<dyn Tool>]) -> Vec<ToolSchema> {
    let declare = |tool: &Arc<dyn Tool>| {
        ToolSchema::new(tool.name(), tool.description(), tool.parameters_schema())
    };
    tools.iter().map(declare).collect()
}

/// The tools of every example that has some of its own.
async fn examples() -> anyhow::Result<Vec<(&'static str, Vec<ToolSchema>)>> {
    let client = reqwest::Client::new();
    let github = github_toolbox::GitHub::new(client, "http://localhost");
    let by_hand: Arc<dyn Tool> = Arc::new(handwritten::WindChillByHand);
    let toolbox = toolbox_of_hundreds::toolbox(ToolExposure::Direct)?;
    let toolbox = toolbox.tools(&RunContext::new()).await?;
    #[allow(unused_mut, reason = "some of the features add to it")]
    let mut all = vec![
        ("approvals", declared(&tools![approvals::PayTool])),
        ("dialects", declared(&tools![dialects::SearchTool])),
        ("github_toolbox", declared(&github.into_tools())),
        (
            "handwritten",
            declared(&[tools![handwritten::WindChillTool], vec![by_hand]].concat()),
        ),
        ("host", declared(&host::catalogue::all_tools())),
        (
            "policy",
            declared(&tools![
                policy::ReadNoteTool,
                policy::WriteNoteTool,
                policy::RunScriptTool,
                policy::DeleteNotesTool,
                policy::TellTeamTool,
                policy::MysteryTool,
            ]),
        ),
        (
            "storm",
            declared(&tools![
                storm::MeasureTool,
                storm::UnsteadyTool,
                storm::BrokenTool,
                storm::SilentTool,
                storm::SlowTool,
                storm::LowerTool,
            ]),
        ),
        (HUNDREDS, declared(&toolbox)),
        ("weather", weather::registry()?.schemas().to_vec()),
    ];
    #[cfg(feature = "sqlite")]
    all.push(("crash_safe", declared(&tools![crash_safe::ChargeCardTool])));
    #[cfg(feature = "openai")]
    all.push(("ollama_chat", declared(&tools![ollama_chat::WeatherTool])));
    #[cfg(feature = "mcp")]
    {
        all.push(("mcp_server", declared(&mcp_server::tools())));
        all.push(("conformance", declared(&mcp_server::conformance::tools())));
    }
    Ok(all)
}

/// Bytes of a catalogue as signatures and as JSON.
fn sizes(tools: &[ToolSchema]) -> (usize, usize) {
    let signatures = render_pformat_catalogue(tools).len();
    (signatures, render_catalogue(Dialect::Json, tools).len())
}

fn report(name: &str, (signatures, schemas): (usize, usize)) {
    let share = signatures * 100 / schemas;
    println!("{name}: {signatures} bytes as signatures, {schemas} as JSON schemas, {share} %");
}

#[track_caller]
fn assert_small(name: &str, tools: &[ToolSchema]) {
    let (signatures, schemas) = sizes(tools);
    report(name, (signatures, schemas));
    assert!(signatures * 100 <= schemas * 35, "{name}");
}

#[tokio::test]
async fn signatures_have_at_most_35_percent_of_the_bytes_of_the_schemas() -> anyhow::Result<()> {
    let mut all = Vec::new();
    let mut others = Vec::new();
    for (example, tools) in examples().await? {
        assert!(!tools.is_empty(), "{example} has no tools");
        report(example, sizes(&tools));
        // Three hundred of one wording would decide alone.
        if example != HUNDREDS {
            others.extend_from_slice(&tools);
        }
        all.extend(tools);
    }
    assert_small("all of them", &all);
    assert_small("all but the hundreds", &others);
    Ok(())
}
