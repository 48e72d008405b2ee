//! Checks for a tool crate's own tests. They need no further dependency.

use std::fmt::Write as _;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde_json::{Value, json};

use crate::Tool;

/// Longest name that every provider takes.
const MAX_NAME_BYTES: usize = 64;

/// Names that a runtime keeps for its own tools.
const RESERVED_NAMES: [&str; 2] = ["tool_search", "tool_call"];

/// Names of types that say nothing about a host.
const COMMON_TYPES: [&str; 9] = [
    "Arc", "Box", "Cow", "Mutex", "Option", "Rc", "RwLock", "String", "Vec",
];

/// Asserts that a tool can be offered to any model: its name is canonical, its schema is a closed plain object, and
/// nothing hidden shows in its name, description, schema, or argument errors.
///
/// A tool that declares itself read-only is called once, with an argument that it doesn't have, to see its error.
///
/// ```
/// use tinytools::testing::assert_portable;
/// use tinytools::{ToolRunContext, tool};
///
/// /// Look up the weather for a city.
/// #[tool(read_only)]
/// fn weather(#[hidden] ctx: &dyn ToolRunContext, city: String) -> String {
///     let _ = ctx;
///     city
/// }
///
/// assert_portable(&WeatherTool);
/// ```
///
/// # Panics
/// Where the tool is not portable, with everything that is wrong with it.
#[expect(clippy::panic, reason = "an assertion for tests")]
pub fn assert_portable(tool: &dyn Tool) {
    let faults = portability_faults(tool);
    if !faults.is_empty() {
        let faults = faults.join("\n- ");
        panic!("the tool `{}` is not portable:\n- {faults}", tool.name());
    }
}

fn portability_faults(tool: &dyn Tool) -> Vec<String> {
    let schema = tool.parameters_schema();
    let mut faults = Vec::new();
    faults.extend(name_fault(tool.name()));
    if tool.description().trim().is_empty() {
        faults.push("its description is blank".to_owned());
    }
    faults.extend(root_faults(&schema));
    let error = argument_error(tool);
    let shown = [
        ("name", tool.name().to_owned()),
        ("description", tool.description().to_owned()),
        ("schema", schema.to_string()),
        ("argument error", error.unwrap_or_default()),
    ];
    for (place, text) in &shown {
        let hidden = hidden_words(tool, text);
        faults.extend(hidden.map(|hidden| format!("its {place} shows the hidden `{hidden}`")));
    }
    faults
}

/// What a text tells of the hidden parameters of a tool: their names, and the names of types that are the host's own.
/// A text for a model must tell nothing.
///
/// ```
/// use tinytools::testing::hidden_words;
/// use tinytools::tool;
///
/// struct Ledger;
///
/// /// Book a trip.
/// #[tool]
/// fn book(#[hidden] ledger: &Ledger, city: String) -> String {
///     let _ = ledger;
///     city
/// }
///
/// let told: Vec<String> = hidden_words(&BookTool, "no `Ledger` here").collect();
/// assert_eq!(told, ["Ledger"]);
/// ```
pub fn hidden_words(tool: &dyn Tool, text: &str) -> impl Iterator<Item = String> {
    tool.injected().into_iter().flat_map(move |injected| {
        let types = words(injected.type_name).filter(|word| is_telling_type(word));
        types
            .chain([injected.parameter])
            .filter(|hidden| words(text).any(|word| word == *hidden))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    })
}

fn name_fault(name: &str) -> Option<String> {
    let is_canonical = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    if RESERVED_NAMES.contains(&name) {
        return Some("its name is reserved for the runtime".to_owned());
    }
    if is_canonical && name.len() <= MAX_NAME_BYTES {
        return None;
    }
    Some(format!(
        "its name is not snake_case ASCII of at most {MAX_NAME_BYTES} bytes"
    ))
}

fn root_faults(schema: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    if schema.get("type") != Some(&json!("object")) {
        faults.push("its schema is not of `\"type\": \"object\"`".to_owned());
    }
    if !schema.get("properties").is_some_and(Value::is_object) {
        faults.push("its schema has no `properties`".to_owned());
    }
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        faults.push("its schema is open; set `\"additionalProperties\": false`".to_owned());
    }
    for keyword in ["allOf", "anyOf", "oneOf", "not", "enum", "$ref"] {
        if schema.get(keyword).is_some() {
            faults.push(format!("its schema has `{keyword}` at the root"));
        }
    }
    faults
}

/// What a read-only tool says to an argument that it doesn't have, if it says so at once.
fn argument_error(tool: &dyn Tool) -> Option<String> {
    if !tool.policy().side_effects.read_only {
        return None;
    }
    let mut call = tool.execute(json!({ "no_such_argument": true }));
    match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(result)) => Some(result.output()),
        Poll::Ready(Err(error)) => Some(format!("{error:#}")),
        Poll::Pending => None,
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .filter(|word| !word.is_empty())
}

fn is_telling_type(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && !COMMON_TYPES.contains(&word)
}

/// A stable text of what each tool is to a model and to a host, sorted by name, so that a change of a schema or policy
/// is reviewed like code: keep it in a file and compare.
#[must_use]
pub fn catalogue_snapshot(tools: &[Arc<dyn Tool>]) -> String {
    let mut tools: Vec<&Arc<dyn Tool>> = tools.iter().collect();
    tools.sort_by_key(|tool| tool.name().to_owned());
    let mut snapshot = String::new();
    for tool in tools {
        let facts = json!({
            "description": tool.description(),
            "parameters": tool.parameters_schema(),
            "output": tool.output_schema(),
            "policy": tool.policy(),
        });
        // Writing to a `String` can't fail, and pretty-printing a `Value` can't either.
        let _ = writeln!(snapshot, "# {}\n{facts:#}\n", tool.name());
    }
    snapshot
}
