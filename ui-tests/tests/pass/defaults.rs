use serde_json::json;
use std::path::PathBuf;
use tinytools::{Tool, tool};

const LIMIT: u32 = 20;

#[derive(Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
enum Order {
    Oldest,
    Newest,
}

/// Find documents.
#[tool]
fn search(
    #[arg(default = LIMIT)] limit: u32,
    #[arg(default = "en")] language: String,
    #[arg(default = "all")] shelf: &str,
    #[arg(default = ".")] root: PathBuf,
    #[arg(default = Order::Newest)] order: Order,
    #[arg(default = vec!["book".to_owned()])] kinds: Vec<String>,
    #[arg(default = -0.5)] boost: f64,
) -> String {
    format!(
        "{limit} {language} {shelf} {} {order:?} {kinds:?} {boost}",
        root.display()
    )
}

fn main() {
    assert_eq!(SearchTool.parameters_schema()["required"], json!([]));
    assert_eq!(
        ui_tests::property(&SearchTool, "order")["default"],
        "Newest"
    );
    assert_eq!(ui_tests::property(&SearchTool, "limit")["default"], 20);
    let answer = ui_tests::call(&SearchTool, json!({})).unwrap();
    assert_eq!(answer.text(), r#"20 en all . Newest ["book"] -0.5"#);
}
