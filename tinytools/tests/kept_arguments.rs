//! Calls over arguments that the host keeps, as a runtime makes them.
#![expect(
    clippy::many_single_char_names,
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    reason = "tests"
)]

mod call_support;

use std::collections::BTreeMap;

use call_support::{call, finish};
use proptest::prelude::*;
use serde_json::{Value, json};
use tinytools::__private::Called;
use tinytools::schemars::JsonSchema;
use tinytools::serde::Deserialize;
use tinytools::{Tool, ToolResult, tool};

#[expect(dead_code, reason = "shown by `Debug`")]
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(crate = "tinytools::serde", rename_all = "lowercase")]
#[schemars(crate = "tinytools::schemars")]
enum Order {
    Newest,
    Since { year: u16 },
    By(String),
}

#[expect(dead_code, reason = "shown by `Debug`")]
#[derive(Deserialize, JsonSchema, Debug)]
#[serde(crate = "tinytools::serde", deny_unknown_fields)]
#[schemars(crate = "tinytools::schemars")]
struct Filter {
    field: String,
    equals: Option<String>,
}

/// Search.
#[tool(redact("weights"))]
fn search(
    text: &str,
    order: Order,
    #[arg(default = 10, minimum = 1, maximum = 50)] limit: u32,
    filters: Option<Vec<Filter>>,
    ratio: f64,
    weights: BTreeMap<String, i8>,
) -> Result<String, String> {
    if limit == 13 {
        return Err("an unlucky limit".to_owned());
    }
    Ok(shown(
        text,
        &order,
        limit,
        filters.as_deref(),
        ratio,
        &weights,
    ))
}

/// Search at some time.
#[tool(redact("weights"))]
async fn search_later(
    text: &str,
    order: Order,
    #[arg(default = 10, minimum = 1, maximum = 50)] limit: u32,
    filters: Option<Vec<Filter>>,
    ratio: f64,
    weights: BTreeMap<String, i8>,
) -> Result<String, String> {
    std::future::ready(()).await;
    search(text, order, limit, filters, ratio, weights)
}

fn shown(
    text: &str,
    order: &Order,
    limit: u32,
    filters: Option<&[Filter]>,
    ratio: f64,
    weights: &BTreeMap<String, i8>,
) -> String {
    format!("{text:?} {order:?} {limit} {filters:?} {ratio} {weights:?}")
}

/// The same arguments, as `serde` reads them.
#[derive(Deserialize)]
#[serde(crate = "tinytools::serde", deny_unknown_fields)]
struct Arguments {
    text: String,
    order: Order,
    #[serde(default = "ten")]
    limit: u32,
    filters: Option<Vec<Filter>>,
    ratio: f64,
    weights: BTreeMap<String, i8>,
}

fn ten() -> u32 {
    10
}

impl Arguments {
    /// What the tool answers, if the arguments are right.
    fn answer(args: &Value) -> Option<String> {
        let read: Self = serde_json::from_value(args.clone()).ok()?;
        let in_bounds = (1..=50).contains(&read.limit) && read.limit != 13;
        in_bounds.then(|| {
            let filters = read.filters.as_deref();
            shown(
                &read.text,
                &read.order,
                read.limit,
                filters,
                read.ratio,
                &read.weights,
            )
        })
    }
}

fn kept(tool: &dyn Tool, args: &Value) -> Result<ToolResult, String> {
    finish(tool.__call(call(args, None)))
}

fn owned(tool: &dyn Tool, args: Value) -> Result<ToolResult, String> {
    finish(Called::Running(tool.execute(args)))
}

fn text() -> BoxedStrategy<Value> {
    "[a-c\"é]{0,4}".prop_map(Value::from).boxed()
}

/// Any value but an array, which `serde` would take for a struct.
fn wrong() -> BoxedStrategy<Value> {
    prop_oneof![
        text(),
        any::<i64>().prop_map(Value::from),
        (-99_i8..99).prop_map(|tenths| json!(f64::from(tenths) / 8.0)),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        Just(json!({})),
        Just(json!({ "year": "soon", "newest": 1 })),
    ]
    .boxed()
}

/// Mostly what is asked for.
fn either(right: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Value> {
    prop_oneof![12 => right, 1 => wrong()].boxed()
}

fn list(items: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    prop::collection::vec(items, 0..3)
        .prop_map(Value::from)
        .boxed()
}

fn object(fields: impl Strategy<Value = Vec<(String, Value)>> + 'static) -> BoxedStrategy<Value> {
    fields
        .prop_map(|fields| Value::Object(fields.into_iter().collect()))
        .boxed()
}

fn filter() -> BoxedStrategy<Value> {
    let names = prop_oneof![5 => Just("equals"), 1 => Just("equal")];
    let equals = prop::option::of((names, either(text())));
    object((either(text()), equals).prop_map(|(field, equals)| {
        let field = ("field".to_owned(), field);
        let equals = equals.map(|(name, value)| (name.to_owned(), value));
        std::iter::once(field).chain(equals).collect()
    }))
}

fn order() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(json!("newest")),
        Just(json!({ "newest": null })),
        Just(json!("latest")),
        Just(json!("by")),
        either((0_u32..70_000).prop_map(Value::from))
            .prop_map(|year| json!({ "since": { "year": year } })),
        either(text()).prop_map(|by| json!({ "by": by })),
    ]
    .boxed()
}

/// Arguments in any order, with some left out, wrong or unknown.
fn arguments() -> BoxedStrategy<Value> {
    let weights = prop::collection::vec(
        ("[a-c]", either((-200_i16..200).prop_map(Value::from))),
        0..3,
    );
    let arguments = (
        either(text()),
        either(order()),
        either(prop_oneof![
            (0_u8..60).prop_map(Value::from),
            (0_u8..60).prop_map(|limit| json!(f64::from(limit)))
        ]),
        either(list(either(filter()))),
        either((-8_i8..8).prop_map(|eighths| json!(f64::from(eighths) / 8.0))),
        either(object(weights)),
        wrong(),
    );
    let left_out = prop::collection::vec(prop::bool::weighted(0.05), 6);
    (arguments, left_out, prop::bool::weighted(0.1))
        .prop_map(|(values, left_out, unknown)| {
            let (text, order, limit, filters, ratio, weights, other) = values;
            let named = [
                ("text", text),
                ("order", order),
                ("limit", limit),
                ("filters", filters),
                ("ratio", ratio),
                ("weights", weights),
            ];
            let mut fields: Vec<(String, Value)> = named
                .into_iter()
                .zip(left_out)
                .filter(|(_, left_out)| !left_out)
                .map(|((name, value), _)| (name.to_owned(), value))
                .collect();
            if unknown {
                fields.push(("colour".to_owned(), other));
            }
            fields
        })
        .prop_shuffle()
        .prop_map(|fields| Value::Object(fields.into_iter().collect()))
        .boxed()
}

/// Whether `serde` may see the value otherwise than JSON Schema does: as `null`, or as a whole number with a fraction.
fn has_two_forms(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Number(number) => {
            number.is_f64() && number.as_f64().is_some_and(|float| float.fract() == 0.0)
        }
        Value::Array(items) => items.iter().any(has_two_forms),
        Value::Object(fields) => fields.values().any(has_two_forms),
        Value::Bool(_) | Value::String(_) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn kept_arguments_are_answered_as_owned_ones_and_stay_as_they_are(args in arguments()) {
        let before = args.to_string();
        let answer = kept(&SearchTool, &args);
        prop_assert_eq!(&args.to_string(), &before);
        prop_assert_eq!(&owned(&SearchTool, args.clone()), &answer);
        prop_assert_eq!(&kept(&SearchLaterTool, &args), &answer);
        prop_assert_eq!(&args.to_string(), &before);
        prop_assert_eq!(&owned(&SearchLaterTool, args), &answer);
    }

    #[test]
    fn what_serde_reads_is_read(args in arguments().prop_filter("of one form", |args| !has_two_forms(args))) {
        let answer = kept(&SearchTool, &args).ok().map(|answer| answer.text());
        prop_assert_eq!(answer, Arguments::answer(&args));
    }

    #[test]
    fn what_is_no_object_is_refused_alike(args in wrong()) {
        prop_assert_eq!(kept(&SearchTool, &args), owned(&SearchTool, args));
    }
}

#[test]
fn all_faults_are_told_at_once() {
    let args = json!({
        "order": { "since": { "year": "soon" } }, "limit": 51, "filters": [{ "field": 1 }], "ratio": "half",
        "weights": { "secret": 400 }, "colour": "red"
    });
    let error = kept(&SearchTool, &args).unwrap_err();
    let lines: Vec<&str> = error
        .lines()
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    let expected = [
        "invalid arguments:",
        "- `colour`",
        "- `text`",
        "- `order.since.year`",
        "- `limit`",
        "- `filters[0].field`",
        "- `ratio`",
        "- `weights`",
    ];
    assert_eq!(lines, expected);
    assert!(
        !error.contains("secret") && !error.contains("400"),
        "{error}"
    );
}

/// Join the letters.
#[tool]
fn join(
    a: char,
    b: char,
    c: char,
    d: char,
    e: char,
    f: char,
    g: char,
    h: char,
    i: char,
    j: char,
    k: Option<char>,
) -> String {
    [a, b, c, d, e, f, g, h, i, j, k.unwrap_or('.')]
        .iter()
        .collect()
}

#[test]
fn many_arguments_are_found_in_any_order() {
    let letters = 'a'..='j';
    let fields = letters
        .rev()
        .map(|letter| (letter.to_string(), json!(letter)));
    let mut args = Value::Object(fields.collect());
    assert_eq!(kept(&JoinTool, &args).unwrap().text(), "abcdefghij.");
    args["z"] = json!("z");
    let error = kept(&JoinTool, &args).unwrap_err();
    assert!(error.contains("- `z`: not known here"), "{error}");
}
