/// Order eggs.
#[tool(external_service, payment)]
async fn order_eggs(
    #[arg(minimum = 6, maximum = 60, multiple_of = 6, examples(6, 12))] eggs: u32,
    #[arg(exclusive_minimum = 0.0, exclusive_maximum = 1)] discount: f64,
    #[arg(min_length = 2, max_length = 40, pattern = "^[A-Z]", default = "Ada")] name: String,
    #[arg(min_items = 1, max_items = 2)] phones: Vec<String>,
    #[arg(choices("van", "bike"), rename = "by", description = BY)] vehicle: String,
) -> Result<Receipt, ToolError> {
    shop().order(eggs, discount, name, phones, vehicle).await
}
