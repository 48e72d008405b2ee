//! Visible parameters: their schema, how they are read, and what is said of wrong ones.
#![expect(
    clippy::many_single_char_names,
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    clippy::unwrap_used,
    clippy::used_underscore_binding,
    reason = "tests"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tinytools::schemars::JsonSchema;
use tinytools::serde::{Deserialize, Serialize};
use tinytools::{Tool, ToolRunContext, tool};

struct Units {
    metric: bool,
}

/// Look up the weather for a city.
#[tool(read_only, timeout_ms = 5000)]
async fn weather(
    #[hidden] units: &Units,
    #[hidden] ctx: &dyn ToolRunContext,
    /// City name, for example "Oslo".
    city: String,
    #[arg(default = 3, minimum = 1, maximum = 14)] days: u8,
) -> Result<String, String> {
    std::future::ready(()).await;
    Ok(format!("{city} {days} {} {:?}", units.metric, ctx.run_id()))
}

#[test]
fn weather_has_the_schema_of_its_signature() {
    assert_eq!(WeatherTool::NAME, "weather");
    let expected = json!({
        "type": "object",
        "properties": {
            "city": { "type": "string", "description": "City name, for example \"Oslo\"." },
            "days": { "type": "integer", "minimum": 1, "maximum": 14, "default": 3 }
        },
        "required": ["city"],
        "additionalProperties": false
    });
    assert_eq!(WeatherTool.parameters_schema(), expected);
    assert!(WeatherTool.policy().classified && WeatherTool.policy().side_effects.read_only);
    assert_eq!(WeatherTool.policy().runtime.timeout_ms, Some(5000));
    assert_eq!(WeatherTool.injected().len(), 2);
}

#[derive(Deserialize, JsonSchema, Debug)]
#[serde(crate = "tinytools::serde", rename_all = "lowercase")]
#[schemars(crate = "tinytools::schemars")]
enum Order {
    Newest,
    Oldest,
}

#[expect(dead_code, reason = "shown by `Debug`")]
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
struct Filter {
    field: String,
    equals: Option<String>,
}

type Maybe<T> = Option<T>;

/// Search.
#[tool]
fn search(
    text: &str,
    tags: &[String],
    root: &Path,
    lang: Option<&str>,
    more: Option<&[u8]>,
    base: Option<&Path>,
    order: Order,
    filters: Vec<Filter>,
    counts: BTreeMap<String, u32>,
    anything: Value,
    limit: Maybe<u32>,
    mut r#type: String,
) -> String {
    r#type.push('!');
    format!(
        "{text} {tags:?} {} {lang:?} {more:?} {base:?} {order:?} {filters:?} {counts:?} {anything} {limit:?} {}",
        root.display(),
        r#type
    )
}

fn all() -> Value {
    json!({
        "text": "a", "tags": ["b"], "root": "/r", "lang": "no", "more": [1, 2], "base": "/b",
        "order": "newest", "filters": [{ "field": "f", "equals": null }], "counts": { "c": 3.0 },
        "anything": [null], "limit": 7, "type": "t"
    })
}

fn run(tool: &dyn Tool, args: Value) -> Result<String, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    match runtime.block_on(tool.execute(args)) {
        Ok(result) => Ok(result.output()),
        Err(error) => Err(format!("{error:#}")),
    }
}

#[test]
fn every_form_of_parameter_is_read() {
    assert_eq!(
        run(&SearchTool, all()).unwrap(),
        "a [\"b\"] /r Some(\"no\") Some([1, 2]) Some(\"/b\") Newest [Filter { field: \"f\", equals: None }] \
         {\"c\": 3} [null] Some(7) t!"
    );
}

#[test]
fn properties_are_in_the_order_of_the_declaration() {
    let schema = SearchTool.parameters_schema();
    let names: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "text", "tags", "root", "lang", "more", "base", "order", "filters", "counts",
            "anything", "limit", "type"
        ]
    );
}

#[test]
fn options_are_not_required_and_null_means_absent() {
    let schema = SearchTool.parameters_schema();
    assert_eq!(
        schema["required"],
        json!([
            "text", "tags", "root", "order", "filters", "counts", "anything", "type"
        ])
    );
    assert_eq!(schema["properties"]["lang"], json!({ "type": "string" }));
    assert_eq!(schema["properties"]["anything"], json!({}));
    let mut args = all();
    for name in ["lang", "base", "limit"] {
        args[name] = Value::Null;
    }
    args.as_object_mut().unwrap().remove("more");
    let output = run(&SearchTool, args).unwrap();
    assert!(
        output.starts_with("a [\"b\"] /r None None None Newest"),
        "{output}"
    );
    assert!(output.ends_with("[null] None t!"), "{output}");
}

#[test]
fn all_wrong_arguments_are_reported_together_with_their_paths() {
    let mut args = all();
    args["filters"] = json!([{ "field": "f" }, { "field": 1 }]);
    args["order"] = json!("best");
    args["surprise"] = json!(1);
    args.as_object_mut().unwrap().remove("text");
    let error = run(&SearchTool, args).unwrap_err();
    for path in ["`filters[1].field`", "`order`", "`surprise`", "`text`"] {
        assert!(error.contains(path), "{path} in {error}");
    }
}

const LONGEST: u64 = 3;

/// Order eggs.
#[tool]
fn order_eggs(
    #[arg(minimum = 1, maximum = 12, multiple_of = 3, examples(3, 6))] eggs: u32,
    #[arg(exclusive_minimum = 0.0, exclusive_maximum = 1.5)] share: f64,
    #[arg(min_length = 2, max_length = 4, pattern = "^[a-z]+$")] word: String,
    #[arg(min_items = 1, max_items = 2)] list: Vec<u8>,
    #[arg(choices("asc", "desc"), default = "asc")] order: String,
    #[arg(rename = "kind", description = concat!("The ", "kind."))]
    /// Not this.
    sort: Option<i64>,
    #[arg(default = LONGEST - 1)] longest: u64,
    #[arg(default = "/tmp")] root: PathBuf,
    #[arg(default = "en")] lang: &str,
    #[arg(default = [1, 2])] numbers: &[u8],
    #[arg(choices(1, 2))] level: u8,
) -> String {
    format!(
        "{eggs} {share} {word} {list:?} {order} {sort:?} {longest} {} {lang} {numbers:?} {level}",
        root.display()
    )
}

#[test]
fn every_key_of_arg_shows_in_the_schema() {
    assert_eq!(
        OrderEggsTool.parameters_schema()["properties"],
        json!({
            "eggs": { "type": "integer", "minimum": 1, "maximum": 12, "multipleOf": 3, "examples": [3, 6] },
            "share": { "type": "number", "exclusiveMinimum": 0.0, "exclusiveMaximum": 1.5 },
            "word": { "type": "string", "minLength": 2, "maxLength": 4, "pattern": "^[a-z]+$" },
            "list": {
                "type": "array", "minItems": 1, "maxItems": 2,
                "items": { "type": "integer", "minimum": 0, "maximum": 255 }
            },
            "order": { "type": "string", "enum": ["asc", "desc"], "default": "asc" },
            "kind": { "type": "integer", "description": "The kind." },
            "longest": { "type": "integer", "minimum": 0, "default": 2 },
            "root": { "type": "string", "default": "/tmp" },
            "lang": { "type": "string", "default": "en" },
            "numbers": {
                "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 },
                "default": [1, 2]
            },
            "level": { "type": "integer", "minimum": 0, "maximum": 255, "enum": [1, 2] }
        })
    );
}

#[test]
fn defaults_fill_what_is_missing() {
    let args = json!({ "eggs": 3, "share": 0.5, "word": "abc", "list": [1], "level": 2.0 });
    assert_eq!(
        run(&OrderEggsTool, args).unwrap(),
        "3 0.5 abc [1] asc None 2 /tmp en [1, 2] 2"
    );
}

#[test]
fn every_bound_is_enforced_before_the_body_runs() {
    let args = json!({
        "eggs": 4, "share": 1.5, "word": "a1", "list": [], "order": "up", "level": 3
    });
    let error = run(&OrderEggsTool, args).unwrap_err();
    for name in ["eggs", "share", "word", "list", "order", "level"] {
        assert!(error.contains(&format!("`{name}`")), "{name} in {error}");
    }
    let error = run(&OrderEggsTool, json!({ "eggs": 15 })).unwrap_err();
    assert!(error.contains("12"), "{error}");
}

/// Log in.
#[tool(redact("token", "pin"))]
fn log_in(#[arg(rename = "secret")] token: String, pin: u8) -> String {
    format!("{} {pin}", token.len())
}

#[test]
fn redacted_values_are_never_echoed() {
    assert_eq!(LogInTool.policy().access.redact, ["secret", "pin"]);
    assert!(!LogInTool.policy().classified);
    let error = run(&LogInTool, json!({ "secret": 90210, "pin": "4711" })).unwrap_err();
    assert!(
        error.contains("`secret`") && error.contains("`pin`"),
        "{error}"
    );
    assert!(
        !error.contains("90210") && !error.contains("4711"),
        "{error}"
    );
}

/// Say nothing.
#[tool]
fn nothing() {}

#[test]
fn no_parameters_are_an_empty_object_and_not_null() {
    assert_eq!(
        NothingTool.parameters_schema(),
        json!({ "type": "object", "properties": {}, "required": [], "additionalProperties": false })
    );
    assert_eq!(run(&NothingTool, json!({})).unwrap(), "");
    assert!(run(&NothingTool, json!({ "a": 1 })).is_err());
    assert!(run(&NothingTool, json!([])).is_err());
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "tinytools::serde")]
#[schemars(crate = "tinytools::schemars")]
struct Tree {
    name: String,
    children: Vec<Tree>,
}

/// Count the nodes.
#[tool]
fn count(tree: Tree) -> usize {
    fn nodes(tree: &Tree) -> usize {
        1 + tree.children.iter().map(nodes).sum::<usize>()
    }
    nodes(&tree)
}

#[test]
fn recursive_types_have_definitions_at_the_root() {
    let schema = CountTool.parameters_schema();
    assert_eq!(
        schema["$defs"]["Tree"]["properties"]["children"]["items"],
        json!({ "$ref": "#/$defs/Tree" })
    );
    let args = json!({ "tree": { "name": "a", "children": [{ "name": "b", "children": [] }] } });
    assert_eq!(run(&CountTool, args).unwrap(), "2");
}

/// A tool whose parameters have the names that the expansion uses.
#[tool]
fn names(args: u8, ctx: u8, returned: u8, output: u8, names: u8, _tinytools: u8) -> u8 {
    args + ctx + returned + output + names + _tinytools
}

#[test]
fn parameters_may_be_called_like_anything() {
    let args = json!({
        "args": 1, "ctx": 2, "returned": 3, "output": 4, "names": 5, "_tinytools": 6
    });
    assert_eq!(run(&NamesTool, args).unwrap(), "21");
}

/// Tell fourteen things apart.
#[tool]
fn tell_apart(
    a: u8,
    b: u8,
    c: u8,
    d: u8,
    e: u8,
    f: u8,
    g: u8,
    h: u8,
    i: u8,
    j: u8,
    k: u8,
    l: u8,
    m: &str,
    n: Option<bool>,
) -> String {
    format!("{:?} {m} {n:?}", [a, b, c, d, e, f, g, h, i, j, k, l])
}

#[test]
fn arguments_beyond_the_longest_tuple_are_read_in_order() {
    let mut args = json!({ "n": true, "m": "m" });
    for (number, name) in ('a'..='l').enumerate() {
        args[name.to_string()] = json!(number);
    }
    let told = run(&TellApartTool, args.clone()).unwrap();
    assert_eq!(told, "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] m Some(true)");

    args["b"] = json!("two");
    args["m"] = json!(13);
    let report = run(&TellApartTool, args).unwrap_err();
    assert!(
        report.contains("`b`") && report.contains("`m`") && !report.contains("`c`"),
        "{report}"
    );
}

/// Convert a length.
#[tool]
fn convert(#[hidden] units: Option<&Units>, ctx: u8, args: &str) -> String {
    format!("{ctx} {args} {}", units.is_none())
}

#[test]
fn visible_parameter_may_be_called_ctx_beside_a_hidden_one() {
    let converted = run(&ConvertTool, json!({ "ctx": 3, "args": "feet" }));
    assert_eq!(converted.unwrap(), "3 feet true");
}

macro_rules! subtraction {
    ($name:ident, $subtrahend:ident) => {
        /// Subtract one number from another.
        #[tool]
        fn $name(value: i64, #[arg(rename = "other")] $subtrahend: i64) -> i64 {
            value - $subtrahend
        }
    };
}

subtraction!(subtract, value);

#[test]
fn parameters_of_one_name_from_a_macro_are_told_apart() {
    let difference = run(&SubtractTool, json!({ "value": 5, "other": 3 }));
    assert_eq!(difference.unwrap(), "2");
}

const CITY: &str = "OSLO";

/// Name a city.
#[tool]
fn name_city(#[arg(default = CITY, pattern = "^[a-z]+$")] city: &str) -> String {
    city.to_owned()
}

#[test]
fn a_default_that_only_the_running_program_knows_is_held_to_the_bounds_too() {
    let error = run(&NameCityTool, json!({})).unwrap_err();
    assert!(
        error.contains("`city`: is missing, and its default is none of its values"),
        "{error}"
    );
    assert!(error.contains("give it"), "{error}");
    assert_eq!(
        run(&NameCityTool, json!({ "city": "oslo" })).unwrap(),
        "oslo"
    );
}

/// What a schema may say of itself, and of properties that are called so.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "tinytools::serde", deny_unknown_fields)]
#[schemars(crate = "tinytools::schemars", title = "A Form")]
struct Form {
    title: String,
    format: u8,
    nickname: Option<String>,
    #[serde(default)]
    parents: Vec<Option<String>>,
    ages: BTreeMap<String, Option<u8>>,
    #[schemars(required)]
    middle: Option<String>,
    anything: Value,
}

/// Fill in a form.
#[tool]
fn fill_in(form: Form) -> String {
    let Form { title, format, .. } = form;
    format!("{title} {format}")
}

#[test]
fn titles_formats_and_nulls_go_from_schemas_and_never_from_the_names_of_properties() {
    let form = &FillInTool.parameters_schema()["properties"]["form"];
    assert_eq!(form.get("title"), None);
    assert_eq!(form["additionalProperties"], json!(false));
    let properties = &form["properties"];
    assert_eq!(properties["title"], json!({ "type": "string" }));
    assert_eq!(
        properties["format"],
        json!({ "type": "integer", "minimum": 0, "maximum": 255 })
    );
    // May be left out, so `null` says nothing more.
    assert_eq!(properties["nickname"], json!({ "type": "string" }));
    // Must be there, or is in a list or a map, where nothing can be left out.
    assert_eq!(
        properties["parents"]["items"]["type"],
        json!(["string", "null"])
    );
    let ages = &properties["ages"]["additionalProperties"];
    assert_eq!(ages["type"], json!(["integer", "null"]));
    assert_eq!(ages.get("format"), None);
    assert_eq!(properties["anything"], json!({}));
    let args = json!({ "form": {
        "title": "Dr", "format": 1, "ages": { "Ada": null }, "middle": null, "anything": 1
    } });
    assert_eq!(run(&FillInTool, args).unwrap(), "Dr 1");
}
