use serde_json::json;
use std::sync::Arc;
use tinytools::{Tool, ToolRunContext, tool};
use ui_tests::Host;

#[derive(Clone)]
struct Index(&'static str);

trait Clock: Send + Sync {
    fn year(&self) -> u16;
}

struct Fixed(u16);

impl Clock for Fixed {
    fn year(&self) -> u16 {
        self.0
    }
}

/// Find documents.
#[tool(read_only)]
async fn search(
    #[hidden] borrowed: &Index,
    #[hidden] ctx: &dyn ToolRunContext,
    query: String,
    #[hidden] shared: Arc<Index>,
    #[hidden] owned: Index,
    #[hidden] clock: &dyn Clock,
    #[hidden] shared_clock: Arc<dyn Clock>,
    #[hidden] missing: Option<&u64>,
    #[hidden] missing_too: Option<u32>,
    #[hidden] missing_clock: Option<Arc<u8>>,
    #[hidden] present: Option<&Index>,
    #[hidden] _: &Index,
) -> String {
    assert_eq!(
        [
            missing.is_none(),
            missing_too.is_none(),
            missing_clock.is_none()
        ],
        [true; 3]
    );
    assert_eq!(present.map(|index| index.0), Some(borrowed.0));
    assert_eq!((shared.0, owned.0), (borrowed.0, borrowed.0));
    assert_eq!(clock.year(), shared_clock.year());
    format!(
        "{query} in {} of {} by {:?}",
        borrowed.0,
        clock.year(),
        ctx.run_id()
    )
}

fn main() {
    let clock: Arc<dyn Clock> = Arc::new(Fixed(1999));
    let host = Host::new().provide(Index("library")).provide(clock);
    let answer = ui_tests::call_in(&host, &SearchTool, json!({"query": "a"})).unwrap();
    assert_eq!(answer.text(), r#"a in library of 1999 by Some("run-1")"#);

    assert_eq!(SearchTool.parameters_schema()["required"], json!(["query"]));
    assert_eq!(
        SearchTool
            .injected()
            .iter()
            .filter(|injected| injected.optional)
            .count(),
        4
    );
    let forged = json!({"query": "a", "borrowed": "archive"});
    assert!(ui_tests::call_in(&host, &SearchTool, forged).is_err());
    assert!(ui_tests::call(&SearchTool, json!({"query": "a"})).is_err());
}
