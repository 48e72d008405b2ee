//! `tools/call` over a transport in this process, through the whole of admission, beside a server on the protocol's crate
//! alone that has the same tool.

#![allow(missing_docs, clippy::unwrap_used)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use futures::future::join_all;
use serde::Deserialize;
use serde_json::{Value, json};
use tinyagents::mcp::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use tinyagents::mcp::rmcp::service::{RequestContext, RunningService, serve_client};
use tinyagents::mcp::rmcp::{self, ErrorData, RoleClient, RoleServer, ServerHandler};
use tinyagents::mcp::{McpServer, ServerTransport};
use tinyagents::{ToolRegistry, tool};
use tokio::io::{ReadHalf, SimplexStream, WriteHalf};
use tokio::runtime::{Builder, Runtime};

/// Calls between two looks at the clock.
const BLOCK: usize = 250;
/// Pairs of blocks, one of each server.
const PAIRS: usize = 80;
/// Calls that wait at once, where they don't come one after the other.
const AT_ONCE: usize = 25;

/// Add two numbers.
#[tool(read_only)]
fn add(a: i64, b: i64) -> String {
    (a + b).to_string()
}

#[derive(Deserialize)]
struct Args {
    a: i64,
    b: i64,
}

/// What one would write with the protocol's crate alone.
struct Bare {
    tool: Tool,
}

impl Bare {
    fn new() -> Self {
        let schema = json!({
            "type": "object",
            "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } },
            "required": ["a", "b"],
            "additionalProperties": false
        });
        let schema = Arc::new(schema.as_object().unwrap().clone());
        Self {
            tool: Tool::new("add", "Add two numbers.", schema),
        }
    }
}

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![self.tool.clone()]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name != "add" {
            return Err(ErrorData::invalid_params("Unknown tool", None));
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let Args { a, b } = serde_json::from_value(arguments)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let text = ContentBlock::text((a + b).to_string());
        Ok(CallToolResult::success(vec![text]).into())
    }
}

type Client = RunningService<RoleClient, ()>;
type Half = (ReadHalf<SimplexStream>, WriteHalf<SimplexStream>);

fn pipes() -> (Half, Half) {
    let (their_reader, writer) = tokio::io::simplex(64 * 1024);
    let (reader, their_writer) = tokio::io::simplex(64 * 1024);
    ((reader, writer), (their_reader, their_writer))
}

async fn bare() -> Client {
    let (here, there) = pipes();
    tokio::spawn(async move {
        let running = rmcp::serve_server(Bare::new(), there).await.unwrap();
        running.waiting().await.unwrap();
    });
    serve_client((), here).await.unwrap()
}

async fn ours() -> Client {
    let mut registry = ToolRegistry::new();
    registry.register(AddTool).unwrap();
    let (here, (reader, writer)) = pipes();
    let server = McpServer::new(registry);
    tokio::spawn(server.serve(ServerTransport::streams(reader, writer)));
    serve_client((), here).await.unwrap()
}

async fn call(client: &Client) {
    let arguments = json!({ "a": 20, "b": 22 }).as_object().unwrap().clone();
    let asked = CallToolRequestParams::new("add").with_arguments(arguments);
    black_box(client.call_tool(asked).await.unwrap());
}

async fn block(client: &Client, at_once: usize) -> Duration {
    let started = Instant::now();
    for _ in 0..BLOCK / at_once {
        if at_once == 1 {
            call(client).await;
        } else {
            join_all((0..at_once).map(|_| call(client))).await;
        }
    }
    started.elapsed()
}

/// Blocks of both, in turn, so that whatever else the machine does meets both; the median of the ratios.
fn pair(runtime: &Runtime, bare: &Client, ours: &Client, at_once: usize) {
    let mut ratios = Vec::new();
    let mut total = [Duration::ZERO; 2];
    runtime.block_on(async {
        for number in 0..PAIRS {
            let (first, second) = if number % 2 == 0 {
                (bare, ours)
            } else {
                (ours, bare)
            };
            let (first, second) = (block(first, at_once).await, block(second, at_once).await);
            let [bare, ours] = if number % 2 == 0 {
                [first, second]
            } else {
                [second, first]
            };
            ratios.push(bare.as_secs_f64() / ours.as_secs_f64());
            total[0] += bare;
            total[1] += ours;
        }
    });
    ratios.sort_by(f64::total_cmp);
    let calls = u32::try_from(BLOCK * PAIRS).unwrap();
    println!(
        "{at_once} at once: {:.3} of the throughput of the bare server (median of {PAIRS} pairs); a call takes {:?} and {:?}",
        ratios[PAIRS / 2],
        total[1] / calls,
        total[0] / calls,
    );
}

fn tools_call(criterion: &mut Criterion) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let (bare, ours) = runtime.block_on(async { (bare().await, ours().await) });
    for at_once in [1, AT_ONCE] {
        pair(&runtime, &bare, &ours, at_once);
    }
    let mut group = criterion.benchmark_group("mcp_tools_call");
    for (name, client) in [("bare", &bare), ("ours", &ours)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| runtime.block_on(call(client)));
        });
    }
    group.finish();
}

criterion_group!(benches, tools_call);
criterion_main!(benches);
