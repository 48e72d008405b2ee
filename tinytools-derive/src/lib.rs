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
/// the variant. All mistakes are reported at once, each at the token that is wrong.
///
/// ## Identity
///
/// | key | meaning and default | what a host does with it |
/// |---|---|---|
/// | `name = "…"` | the name a model calls; the function's. ASCII `snake_case`, at most 64 characters | registers, dispatches and logs by it; refuses duplicates |
/// | `description = EXPR` | a `&'static str`, for example `include_str!(..)`; the doc comment. One of them must be there | sends it to the model |
/// | `struct_name = Ident` | the struct; the function's name in camel case and `Tool` | |
/// | `label = "…"` | a name for people; made from the tool's | shows it beside the call |
/// | `detail = "…"` | a short text for people; made from the arguments | shows it beside the call |
/// | `family = "…"` | a name shared by related tools; none | groups them |
/// | `tags("…", ..)` | words to find the tool by; none | searches them |
/// | `crate = ::path` | where `tinytools` is; `::tinytools` | |
///
/// ## Effects
///
/// At least one that is written and true makes the policy *classified*; a strict host refuses any other.
///
/// | key | meaning | what a host does with it |
/// |---|---|---|
/// | `read_only` | changes nothing. Implies `idempotent`, `concurrency_safe`, `background_safe` and `replay = Safe`, unless they are switched off | may repeat and replay it, and run it beside others |
/// | `writes_files` | creates or changes files | permission `Write` |
/// | `network` | uses the network | may deny it |
/// | `installs_dependencies` | installs software | permission `Execute` |
/// | `runs_processes` | starts processes | permission `Execute` |
/// | `destructive` | destroys what can't be brought back | permission `Dangerous` |
/// | `external_service` | changes something at a service outside the machine | an external effect |
/// | `payment` | spends money | permission `Dangerous`, an external effect |
/// | `classified` | none of these, and that is known | lets it pass a strict policy |
///
/// `read_only` contradicts `writes_files`, `installs_dependencies`, `runs_processes`, `destructive` and `payment`.
///
/// ## Running
///
/// | key | meaning and default | what a host does with it |
/// |---|---|---|
/// | `timeout_ms = N` | longest time of one attempt, in milliseconds and above 0; the host's | ends the attempt at its next await; a sync body that may take long needs `blocking` |
/// | `timeout = Inherit\|Unbounded` | the host's, or none; not together with `timeout_ms` | the run's deadline still holds |
/// | `max_retries = N` | how often a failed attempt may be repeated; 0. Needs `idempotent` or `read_only` | repeats with a growing pause |
/// | `idempotent` | twice has the effect of once | may retry |
/// | `cancelable` | a started call may be dropped; **`true`** | lets a started call finish where it is `false` |
/// | `concurrency_safe` | may run beside other calls of its batch | runs neighbours together; any other call is a barrier |
/// | `blocking` | may block its thread; sync functions only | moves it off the async threads |
/// | `sandbox = Inherit\|Disabled\|Required` | the sandbox it needs; `Inherit` | refuses it elsewhere |
/// | `max_result_bytes = N` | longest result, in bytes; no bound | cuts it, and may keep the whole as an artifact |
/// | `max_result_chars = N` | longest result, in characters; no bound | the same |
/// | `streaming` | reports partial output | shows it |
/// | `replay = Safe\|Never` | whether an interrupted call may be run again; `Never`. `Safe` needs `idempotent` or `read_only` | decides on it after a crash |
///
/// ## Access
///
/// | key | meaning and default | what a host does with it |
/// |---|---|---|
/// | `workspace = None\|Scoped\|Any` | how much of the file system; `None` | refuses it where that isn't allowed |
/// | `trusted_roots("…", ..)` | directories beside the workspace; none. Needs `workspace = Scoped` | widens the scope |
/// | `credentials("…", ..)` | names of credentials that must be there; none | checks before a run |
/// | `approval_required` | a person must approve each call. Contradicts a written `background_safe` and clears an implied one | defers the call |
/// | `background_safe` | may run while nobody watches | refuses any other in the background |
/// | `redact("parameter", ..)` | parameters whose values must not be logged; none | leaves them out of logs. Argument errors leave them out as well |
///
/// ## Host
///
/// | key | meaning and default | what a host does with it |
/// |---|---|---|
/// | `permission = None\|ReadOnly\|Write\|Execute\|Dangerous` | the privilege a call needs; the highest that an effect asks for, else `ReadOnly` | compares it with what is allowed |
/// | `scope = All\|AgentOnly\|CliRpcOnly` | who may use it; `All` | hides it from others |
/// | `category = System\|Workflow` | which belt it hangs on; `System` | sorts it |
/// | `exposure = Direct\|Deferred\|Hidden` | how a model gets to know of it; `Direct` | sends its schema at once, after a search, or never |
/// | `return_direct` | its result ends the run. Contradicts `exposure = Hidden` | gives the result back as it is |
/// | `supports_markdown` | its result may have a Markdown form | may prefer that |
/// | `external_effect` | changes something outside that can't be taken back; `external_service`, `payment`, or `destructive` with `network`, and never `read_only` | gates it |
///
/// # Parameters
///
/// A parameter is a property of the schema: its doc comment the description, its type the rest. An `Option<T>` is not
/// required, and a `null` means that it is absent. `&str`, `&[T]`, `&Path` and `Option`s of those borrow from owned
/// values. Every other type needs `serde::Deserialize` and `schemars::JsonSchema`. Raw identifiers use their plain name.
///
/// `#[arg(..)]` says more. Whatever is written is shown in the schema and enforced before the body runs.
///
/// | key | meaning |
/// |---|---|
/// | `default = EXPR` | the value of a missing argument, of the parameter's type; a string literal also for `String`, `&str` and `PathBuf` |
/// | `rename = "…"` | the property's name |
/// | `description = EXPR` | instead of the doc comment; a `&'static str` |
/// | `examples(EXPR, ..)` | values that show what is meant |
/// | `choices(EXPR, ..)` | the only values that are allowed |
/// | `minimum`, `maximum`, `exclusive_minimum`, `exclusive_maximum`, `multiple_of` `= N` | bounds of a number |
/// | `min_length`, `max_length` `= N` | bounds of a string, in characters |
/// | `pattern = "…"` | a regular expression that some part of a string must match |
/// | `min_items`, `max_items` `= N` | bounds of a list |
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
