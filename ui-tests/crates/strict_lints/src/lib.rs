//! What the macros generate passes the strictest lints.

#![deny(warnings, missing_docs, clippy::pedantic, unsafe_code)]
#![deny(missing_debug_implementations, unreachable_pub, unused_qualifications)]
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::sync::Arc;

use tinytools::{IntoTools, Tool, ToolRunContext, tool, toolbox, tools};

/// How numbers are written.
#[derive(Debug)]
pub struct Units {
    /// Celsius, not Fahrenheit.
    pub metric: bool,
}

/// Look up the weather for a city.
///
/// # Errors
/// The run was cancelled.
#[tool(
    read_only,
    network,
    timeout_ms = 5000,
    max_retries = 2,
    tags("weather"),
    credentials("weather_key"),
    redact("city")
)]
pub async fn weather(
    #[hidden] units: &Units,
    #[hidden] ctx: &dyn ToolRunContext,
    #[hidden] country: Option<Arc<String>>,
    /// City name, for example "Oslo".
    city: &str,
    #[arg(default = 3, minimum = 1, maximum = 14)] days: u8,
    #[arg(choices("short", "long"))] style: Option<&str>,
) -> Result<String, String> {
    std::future::ready(()).await;
    if ctx.is_cancelled() {
        return Err("cancelled".to_owned());
    }
    Ok(format!(
        "{city} {days} {style:?} {} {country:?}",
        units.metric
    ))
}

/// Add two numbers.
#[tool(read_only)]
#[must_use]
pub fn add(a: i64, b: i64) -> i64 {
    a.saturating_add(b)
}

/// A library of documents.
#[derive(Debug)]
pub struct Library {
    shelves: u32,
}

#[toolbox(prefix = "library", read_only)]
impl Library {
    /// A library with so many shelves.
    #[must_use]
    pub fn new(shelves: u32) -> Self {
        Self { shelves }
    }

    /// Count the shelves.
    #[tool]
    #[must_use]
    pub fn shelves(&self) -> u32 {
        self.shelves
    }
}

/// Every tool of this crate.
#[must_use]
pub fn all() -> Vec<Arc<dyn Tool>> {
    let mut all = tools![WeatherTool, AddTool];
    all.extend(Library::new(3).into_tools());
    all
}
