/// Look up the weather for a city.
#[tool(read_only, timeout_ms = 5000)]
pub async fn weather(
    #[hidden] units: &Units,
    #[hidden] ctx: &dyn ToolRunContext,
    /// City name, for example "Oslo".
    city: String,
    #[arg(default = 3, minimum = 1, maximum = 14)] days: u8,
) -> Result<String, String> {
    forecast(units, ctx, &city, days).await
}
