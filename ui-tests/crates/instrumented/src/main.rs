//! `#[tracing::instrument]` over and under `#[tool]`: each call opens the span, and the tool stays as it is.

use std::future::Future;
use std::pin::pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

use tinytools::serde_json::json;
use tinytools::{IntoTools, Tool, ToolRunContext, tool, toolbox, tools};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Find documents.
#[tracing::instrument(skip_all)]
#[tool(read_only)]
async fn over(
    #[hidden] ctx: Option<&dyn ToolRunContext>,
    /// What to look for.
    query: String,
    #[arg(default = 3)] limit: u8,
) -> Result<String, String> {
    let _ = ctx;
    Ok(format!("{query} {limit}"))
}

/// Find documents.
#[tool(read_only)]
#[tracing::instrument(skip_all, fields(limit = %limit))]
async fn under(
    #[hidden] ctx: Option<&dyn ToolRunContext>,
    /// What to look for.
    query: String,
    #[arg(default = 3)] limit: u8,
) -> Result<String, String> {
    let _ = ctx;
    Ok(format!("{query} {limit}"))
}

/// Count.
#[tool(read_only)]
#[tracing::instrument]
fn sync_one(from: u8) -> u8 {
    from
}

struct Library;

#[toolbox]
impl Library {
    /// Find a shelf.
    #[tool(read_only)]
    #[tracing::instrument(skip(self))]
    async fn method_under(&self, query: &str) -> String {
        query.to_owned()
    }

    /// Find a shelf.
    #[tracing::instrument(skip(self))]
    #[tool(read_only)]
    async fn method_over(&self, query: &str) -> String {
        query.to_owned()
    }
}

static OPENED: Mutex<Vec<&str>> = Mutex::new(Vec::new());

/// Keeps the names of the spans.
struct Names;

impl Subscriber for Names {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        OPENED.lock().unwrap().push(span.metadata().name());
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn main() {
    tracing::subscriber::set_global_default(Names).unwrap();
    let mut all = tools![OverTool, UnderTool, SyncOneTool];
    all.extend(Library.into_tools());
    for tool in &all {
        let arguments = if tool.name() == "sync_one" {
            json!({ "from": 5 })
        } else {
            json!({ "query": "sand" })
        };
        let mut call = pin!(tool.execute(arguments));
        let mut context = Context::from_waker(Waker::noop());
        let Poll::Ready(answer) = call.as_mut().poll(&mut context) else {
            panic!("{} waits", tool.name());
        };
        assert!(!answer.unwrap().is_error, "{}", tool.name());
    }
    let names: Vec<_> = all.iter().map(|tool| tool.name()).collect();
    assert_eq!(*OPENED.lock().unwrap(), names);
    assert_eq!(OverTool.parameters_schema(), UnderTool.parameters_schema());
    let query = &OverTool.parameters_schema()["properties"]["query"];
    assert_eq!(query["description"], "What to look for.");
}
