use serde_json::json;
use std::collections::BTreeMap;
use tinytools::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Filter {
    field: String,
    #[serde(default)]
    any_of: Vec<Value>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
enum Value {
    Text(String),
    Number(f64),
}

impl Value {
    fn show(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        }
    }
}

/// Find documents.
#[tool(read_only)]
async fn search(
    filters: Vec<Filter>,
    weights: BTreeMap<String, f64>,
    extra: serde_json::Value,
) -> String {
    let filters: Vec<String> = filters
        .iter()
        .map(|filter| {
            format!(
                "{}={}",
                filter.field,
                filter.any_of.iter().map(Value::show).collect::<String>()
            )
        })
        .collect();
    format!("{filters:?} {weights:?} {extra}")
}

fn main() {
    let args = json!({
        "filters": [{"field": "year", "any_of": [1999]}, {"field": "title", "any_of": ["a"]}],
        "weights": {"title": 2},
        "extra": null,
    });
    assert_eq!(
        ui_tests::call(&SearchTool, args).unwrap().text(),
        r#"["year=1999", "title=a"] {"title": 2.0} null"#
    );
    assert_eq!(ui_tests::property(&SearchTool, "extra"), json!({}));
}
