//! The macros of `tinytools`: [`macro@tool`], [`macro@toolbox`], and what is behind `tools![..]`.
//!
//! Depend on `tinytools`, which re-exports them; generated code reaches everything through that crate.
//!
//! One way leads through this crate, for a function as for an impl block: `args` and `input` read what is written and
//! keep its spans, `check` reports all that is wrong, `model` decides what isn't written, and `expand` prints. Where
//! something is wrong, `fallback` prints instead.

mod args;
mod check;
mod docs;
mod errors;
mod expand;
mod fallback;
#[cfg(test)]
mod half_written;
mod input;
mod model;
mod shape;
#[cfg(test)]
mod snapshots;

use proc_macro::TokenStream;

use expand::{expand_tool, expand_toolbox, expand_tools};

/// Makes a tool of a function, and leaves the function as it is.
///
/// ```ignore
/// /// Look up the weather for a city.
/// #[tool(read_only, timeout_ms = 5000)]
/// pub async fn weather(
///     #[hidden] ctx: &dyn ToolRunContext,
///     /// City name, for example "Oslo".
///     city: String,
///     #[arg(default = 3, minimum = 1, maximum = 14)] days: u8,
/// ) -> Result<String, WeatherError> { .. }
/// ```
///
/// Beside the function there is now a unit struct, `WeatherTool`, that implements `Tool`: of the same visibility, with
/// the same docs and `#[cfg]`s, and with a constant `WeatherTool::NAME`. The doc comment is the description that a
/// model reads. The function may be async or not.
///
/// # Keys
///
/// All are optional. Flags are written `key` or `key = true|false` and are `false` unless said otherwise, enum values as
/// the variant. All mistakes are reported at once, each at the token that is wrong: a key that is unknown (with the one
/// that was probably meant), written twice, or has a value of another kind, and what the last columns say.
///
/// ## Identity
///
/// | key, by example | meaning and default | what a host does with it | it is an error |
/// |---|---|---|---|
/// | `name = "get_weather"` | the name a model calls; the function's | registers, dispatches and logs by it; refuses duplicates | not ASCII `snake_case`, above 64 characters, or `tool_search` or `tool_call` |
/// | `description = include_str!("weather.md")` | a `&'static str`; the doc comment | sends it to the model | blank, or neither of the two is there |
/// | `struct_name = Forecast` | the struct; the function's name in camel case and `Tool` | | on a method |
/// | `label = "Weather"` | a name for people; made from the tool's | shows it beside the call | no string |
/// | `detail = "today"` | a short text for people; made from the arguments | shows it beside the call | no string |
/// | `family = "forecasts"` | a name shared by related tools; none | groups them | no string |
/// | `tags("weather", "travel")` | words to find the tool by; none | searches them | no list of strings |
/// | `crate = ::host::tinytools` | where `tinytools` is; `::tinytools` | | a path that starts at neither a crate nor `crate`; on a method |
///
/// ## Effects
///
/// At least one that is written and true makes the policy *classified*; a strict host refuses any other.
///
/// | key | meaning | what a host does with it | it is an error |
/// |---|---|---|---|
/// | `read_only` | changes nothing. Implies `idempotent`, `concurrency_safe`, `background_safe` and `replay = Safe`, unless they are switched off | may repeat and replay it, and run it beside others | with `writes_files`, `installs_dependencies`, `runs_processes`, `destructive` or `payment` |
/// | `writes_files` | creates or changes files | permission `Write` | with `read_only` |
/// | `network` | uses the network | may deny it | |
/// | `installs_dependencies` | installs software | permission `Execute` | with `read_only` |
/// | `runs_processes` | starts processes | permission `Execute` | with `read_only` |
/// | `destructive` | destroys what can't be brought back | permission `Dangerous` | with `read_only` |
/// | `external_service` | changes something at a service outside the machine | an external effect | |
/// | `payment` | spends money | permission `Dangerous`, an external effect | with `read_only` |
/// | `classified` | none of these, and that is known | lets it pass a strict policy | |
///
/// ## Running
///
/// | key, by example | meaning and default | what a host does with it | it is an error |
/// |---|---|---|---|
/// | `timeout_ms = 5000` | longest time of one attempt, in milliseconds; the host's | ends the attempt at its next await; a sync body that may take long needs `blocking` | 0, or beside `timeout` |
/// | `timeout = Unbounded` | `Inherit` the host's, or none | the run's deadline still holds | beside `timeout_ms` |
/// | `max_retries = 2` | how often a failed attempt may be repeated; 0 | repeats with a growing pause | without `idempotent` or `read_only` |
/// | `idempotent` | twice has the effect of once | may retry | |
/// | `cancelable = false` | a started call may be dropped; **`true`** | lets a started call finish where it is `false` | |
/// | `concurrency_safe` | may run beside other calls of its batch | runs neighbours together; any other call is a barrier | |
/// | `blocking` | may block its thread | moves it off the async threads. Cancelled, it never starts, or sees by its context that nobody waits | on an `async fn` |
/// | `sandbox = Required` | the sandbox it needs, or `Inherit`, `Disabled`; `Inherit` | refuses it elsewhere | |
/// | `max_result_bytes = 65_536` | longest result, in bytes; no bound | cuts it, and may keep the whole as an artifact | |
/// | `max_result_chars = 2000` | longest result, in characters; no bound | the same | |
/// | `streaming` | reports partial output | shows it | |
/// | `replay = Never` | whether an interrupted call may be run again, or `Safe`; `Never` | decides on it after a crash | `Safe` without `idempotent` or `read_only` |
///
/// ## Access
///
/// | key, by example | meaning and default | what a host does with it | it is an error |
/// |---|---|---|---|
/// | `workspace = Scoped` | how much of the file system, or `None`, `Any`; `None` | reads it in the policy. The runtime only hands the run's workspace over; the body asks that whether it `allows` a path | |
/// | `trusted_roots("/srv/data")` | directories beside the workspace; none | reads it in the policy, and adds them to the run's workspace if it agrees | without `workspace = Scoped` |
/// | `credentials("API_KEY")` | names of credentials that must be there; none | says which a run has (`with_credentials`); a run without one of these then fails before any call | no list of strings |
/// | `approval_required` | a person must approve each call. Clears an implied `background_safe` | defers the call | with a written `background_safe` |
/// | `background_safe` | may run while nobody watches | refuses any other in the background | with `approval_required` |
/// | `redact("password")` | parameters whose values must not be logged; none | leaves them out of logs. Argument errors leave them out as well | a name that no visible parameter has |
///
/// ## Host
///
/// | key, by example | meaning and default | what a host does with it | it is an error |
/// |---|---|---|---|
/// | `permission = Write` | the privilege a call needs: `None`, `ReadOnly`, `Write`, `Execute` or `Dangerous`; the highest that an effect asks for, else `ReadOnly` | compares it with what is allowed | |
/// | `scope = AgentOnly` | who may use it, or `CliRpcOnly`, `All`; `All` | hides it from others | |
/// | `category = Workflow` | which belt it hangs on, or `System`; `System` | sorts it | |
/// | `exposure = Deferred` | how a model gets to know of it, or `Direct`, `Hidden`; `Direct` | sends its schema at once, after a search, or never | `Hidden` with `return_direct` |
/// | `return_direct` | its result ends the run | gives the result back as it is | with `exposure = Hidden` |
/// | `supports_markdown` | its result may have a Markdown form | may prefer that | |
/// | `external_effect` | changes something outside that can't be taken back; `external_service`, `payment`, or `destructive` with `network`, and never `read_only` | may deny it (`deny_external_effects`) | |
///
/// # Parameters
///
/// A parameter is a property of the schema: its doc comment the description, its type the rest. An `Option<T>` is not
/// required, and a `null` means that it is absent. `&str`, `&[T]`, `&Path` and `Option`s of those borrow from owned
/// values. Every other type needs `serde::Deserialize` and `schemars::JsonSchema`. Raw identifiers use their plain name.
///
/// `#[arg(..)]` says more. Whatever is written is shown in the schema and enforced before the body runs.
///
/// | key, by example | meaning | it is an error |
/// |---|---|---|
/// | `default = 3` | the value of a missing argument: any expression of the parameter's type, which needs `serde::Serialize`; a string literal also for `String`, `&str` and `PathBuf` | on an `Option`, or a literal that another key forbids |
/// | `rename = "q"` | the property's name | empty, or that of another parameter |
/// | `description = "What to find."` | instead of the doc comment; a `&'static str` | blank |
/// | `examples("Oslo", "Rome")` | values that show what is meant | values of another type |
/// | `choices("asc", "desc")` | the only values that are allowed | none, or one twice |
/// | `minimum = 1`, `maximum = 9`, `exclusive_minimum = 0`, `exclusive_maximum = 1.5`, `multiple_of = 5` | bounds of a number | on no number, beyond the type, or no number between them |
/// | `min_length = 1`, `max_length = 80` | bounds of a string, in characters | on no string, or no length between them |
/// | `pattern = "^[a-z]+$"` | a regular expression of the `regex` crate that some part of a string must match | on no string, or one that can't be parsed |
/// | `min_items = 1`, `max_items = 9` | bounds of a list | on no list, or no length between them |
///
/// A default that is no literal is made when it is needed, and is not held to the other keys.
///
/// `#[hidden]` takes a parameter from the host instead, by its type; no model ever sees its name or type. There may be
/// any number of them, anywhere, and the pattern may be `_`.
///
/// | written | taken |
/// |---|---|
/// | `ctx: &dyn ToolRunContext` | the context of the run |
/// | `db: &T` | a borrow of the host's `T` |
/// | `store: &dyn X`, `Arc<dyn X>` | from the host's `Arc<dyn X>` |
/// | `db: Arc<T>`, `key: T` | a clone |
/// | `x: Option<&T>`, `Option<&dyn X>`, `Option<T>` | the same, or `None` |
///
/// # Results
///
/// `T` or `Result<T, E>`, under any alias. `T` is `ToolResult`, `String`, `&str`, `()`, `Vec<ToolContent>`, a type with
/// `IntoToolResult`, or any other with `serde::Serialize`, which becomes a JSON block and, with `schemars::JsonSchema`,
/// fills `output_schema()`. `E` is `ToolError`, `anyhow::Error`, `String`, `&'static str`, or any
/// `std::error::Error + Send + Sync`.
///
/// # Expansion
///
/// `cargo expand` shows it: the struct, a table of the parameters, and one `impl Tool` with a method for each thing that
/// differs from the default. Where something is wrong with the attribute, the function is there all the same, and so is
/// the struct, so that one mistake stays one error.
#[proc_macro_attribute]
pub fn tool(args: TokenStream, item: TokenStream) -> TokenStream {
    expand_tool(args.into(), item.into()).into()
}

/// Makes tools of the annotated methods of an impl block, so that they share its state.
///
/// ```ignore
/// #[toolbox(prefix = "gh", network)]
/// impl GitHub {
///     /// Find issues.
///     #[tool(read_only)]
///     async fn search_issues(&self, query: String) -> Result<Vec<Issue>, Error> { .. }
/// }
///
/// let tools: Vec<Arc<dyn Tool>> = GitHub::new(client).into_tools();
/// ```
///
/// `into_tools` is a method of `tinytools::IntoTools`, on the type as on an `Arc` of it. The methods stay callable. They
/// take `&self`, `self: Arc<Self>`, or no `self` at all, and are written as a function under [`macro@tool`] is, with the
/// same keys except `struct_name` and `crate`.
///
/// The type must be `Send + Sync + 'static`. It may be generic, but the types of visible parameters may not depend on
/// its parameters.
///
/// # Keys
///
/// | key | meaning and default |
/// |---|---|
/// | `prefix = "…"` | stands before each name, with a `_`; none |
/// | `crate = ::path` | where `tinytools` is; `::tinytools` |
/// | the effects, running, access and host keys of `tool`, `family` and `tags` | defaults for each method; `redact` names parameters and is a method's own |
///
/// A default gives way to what a method writes: under `#[toolbox(read_only)]` a method with `writes_files` is not
/// read-only. A demand for approval is only lifted by `approval_required = false`. Two methods with one tool name are
/// an error at the second.
#[proc_macro_attribute]
pub fn toolbox(args: TokenStream, item: TokenStream) -> TokenStream {
    expand_toolbox(args.into(), item.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn __tools(tools: TokenStream) -> TokenStream {
    expand_tools(tools.into()).into()
}
