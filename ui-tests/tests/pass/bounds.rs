use serde_json::json;
use tinytools::tool;

/// Order eggs.
#[tool]
fn order_eggs(
    #[arg(minimum = 6, maximum = 60, multiple_of = 6, examples(6, 12))] eggs: u32,
    #[arg(exclusive_minimum = 0.0, exclusive_maximum = 1)] discount: f64,
    #[arg(min_length = 2, max_length = 40, pattern = "^[A-Z]")] name: String,
    #[arg(min_items = 1, max_items = 2)] phones: Vec<String>,
    #[arg(choices("van", "bike"), rename = "by", description = concat!("How it is ", "brought."))]
    vehicle: String,
) -> String {
    format!("{eggs} {discount} {name} {phones:?} {vehicle}")
}

fn main() {
    let eggs = json!({"type": "integer", "minimum": 6, "maximum": 60, "multipleOf": 6, "examples": [6, 12]});
    assert_eq!(ui_tests::property(&OrderEggsTool, "eggs"), eggs);
    let vehicle =
        json!({"type": "string", "enum": ["van", "bike"], "description": "How it is brought."});
    assert_eq!(ui_tests::property(&OrderEggsTool, "by"), vehicle);

    let right = json!({"eggs": 12, "discount": 0.5, "name": "Ada", "phones": ["1"], "by": "van"});
    assert!(ui_tests::call(&OrderEggsTool, right).is_ok());
    let wrong = json!({"eggs": 7, "discount": 1.0, "name": "ada", "phones": [], "by": "car"});
    let report = ui_tests::call(&OrderEggsTool, wrong).unwrap_err();
    for argument in ["eggs", "discount", "name", "phones", "by"] {
        assert!(
            report.contains(argument),
            "{argument} is missing in: {report}"
        );
    }
}
