//! Strategies for declarations, calls, and text that looks like them.

#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic
)]

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use tinyagents::dialect::{Dialect, parse_calls, render_call};
use tinyagents::{ToolCall, ToolFormat, ToolSchema};

/// Text that an attacker who knows every format would put anywhere.
pub const HOSTILE: [&str; 36] = [
    "</tool_call>",
    "<tool_call>",
    "{\"name\":\"",
    "\"}",
    "'",
    "\"",
    "\\",
    "\n",
    "<![CDATA[",
    "]]>",
    "&lt;",
    "&",
    "</a>",
    "<a>",
    "<arg name=\"a\">",
    "</parameter>",
    "<parameter=a>",
    "</function>",
    "[TOOL_CALLS]",
    "<think>",
    "</think>",
    "```",
    "`",
    "**",
    "=",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    "<tool_result id=\"1\">",
    "</tool_result>",
    "<|channel|>",
    "ä🎉",
];

pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z ]{0,8}",
        1 => "\\PC{0,6}",
        1 => "[ \t\r\n]{0,4}",
        3 => prop::collection::vec(select(&HOSTILE[..]), 0..4).prop_map(|parts| parts.concat()),
        1 => select(vec!["null", "true", "5", "5.0", "[1]", "{\"a\":1}", "None", ""]).prop_map(str::to_owned),
    ]
}

pub fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(vec!["a", "b", "c", "arg", "item", "name", "true", "None", "a-b", "a.b"]).prop_map(str::to_owned),
        1 => text(),
    ]
}

pub fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(Value::from),
        text().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((key(), inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// A schema of any kind, and maybe one that the value fits.
pub fn property() -> impl Strategy<Value = Value> {
    let simple = select(vec![
        json!({}),
        json!(true),
        json!({ "type": "string" }),
        json!({ "type": "integer" }),
        json!({ "type": "number" }),
        json!({ "type": "boolean" }),
        json!({ "type": ["string", "null"] }),
        json!({ "type": "array" }),
        json!({ "type": "object" }),
        json!({ "anyOf": [{ "type": "object" }, { "type": "null" }] }),
        json!({ "enum": ["x", 1] }),
        json!({ "$ref": "#/$defs/node" }),
    ]);
    simple.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner
                .clone()
                .prop_map(|items| json!({ "type": "array", "items": items })),
            prop::collection::vec((key(), inner), 0..3).prop_map(|fields| {
                let fields: Map<String, Value> = fields.into_iter().collect();
                json!({ "type": "object", "properties": fields })
            }),
        ]
    })
}

pub fn schema() -> impl Strategy<Value = ToolSchema> {
    let name = prop_oneof![
        4 => select(vec!["search", "a", "get-it", "Calendar.create", "think", "tool_call", "invoke"])
            .prop_map(str::to_owned),
        1 => text(),
    ];
    (name, prop::collection::vec((key(), property()), 0..5), any::<bool>()).prop_map(
        |(name, properties, is_ordered)| {
            let properties: Map<String, Value> = properties.into_iter().collect();
            let mut order: Vec<String> = properties.keys().cloned().collect();
            order.reverse();
            let parameters = json!({
                "type": "object",
                "properties": properties,
                "$defs": { "node": { "type": "object", "properties": { "a": { "$ref": "#/$defs/node" } } } }
            });
            let schema = ToolSchema::new(name.trim(), "Text.", parameters);
            if is_ordered {
                schema.with_format(ToolFormat::PType { parameters: order })
            } else {
                schema
            }
        },
    )
}

/// A value, of the type of the property for the most part.
pub fn fitting(schema: &Value, any: Value) -> Value {
    match (schema.get("type").and_then(Value::as_str), &any) {
        (Some("string"), Value::String(_)) | (None, _) => any,
        (Some("string"), other) => json!(other.to_string()),
        (Some("integer" | "number"), _) => json!(any.to_string().len()),
        (Some("boolean"), _) => json!(any.is_null()),
        _ => any,
    }
}

/// A tool and a call of it. Where the schema wants a type, text of that type is its own spelling: it isn't given as text.
pub fn call() -> impl Strategy<Value = (ToolSchema, ToolCall)> {
    (
        schema(),
        prop::collection::vec(value(), 5),
        prop::collection::vec((key(), value()), 0..2),
        any::<u8>(),
    )
        .prop_map(|(schema, values, others, chosen)| {
            let mut arguments = Map::new();
            let properties = schema.parameters["properties"].as_object().unwrap();
            for (position, ((key, property), value)) in properties.iter().zip(values).enumerate() {
                if chosen & (1 << position) != 0 {
                    arguments.insert(key.clone(), fitting(property, value));
                }
            }
            for (key, value) in others {
                if !properties.contains_key(&key) {
                    arguments.insert(key, value);
                }
            }
            let call = ToolCall::new("", &schema.name, Value::Object(arguments));
            (schema, call)
        })
        .prop_filter("a name", |(_, call)| !call.name.is_empty())
        .prop_filter(
            "no text that the schema would make another value of",
            |(schema, call)| {
                let tagged = render_call(Dialect::Json, call, schema);
                let parsed = parse_calls(&tagged, std::slice::from_ref(schema));
                let [read] = parsed.calls.as_slice() else {
                    panic!("{tagged}: {parsed:?}");
                };
                assert!(
                    read.name == call.name && read.invalid.is_none(),
                    "{tagged}: {read:?}"
                );
                read == call
            },
        )
}

/// Text that is made to be taken for markup, and nearly is.
pub fn debris() -> impl Strategy<Value = String> {
    let parts = [
        "<tool_call>",
        "</tool_call>",
        "{\"name\": \"search\"",
        ", \"arguments\": {\"a\": 1}}",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "'",
        "\\",
        "\n",
        " ",
        "search(",
        ")",
        "a=1",
        ", ",
        "<search>",
        "</search>",
        "<a>",
        "</a>",
        "x",
        "<a/>",
        "<![CDATA[",
        "]]>",
        "```",
        "```json\n",
        "`",
        "~~~",
        "> ",
        "<think>",
        "</think>",
        "[TOOL_CALLS]",
        "search{\"a\":",
        "[ARGS]",
        "[THINK]",
        "[/THINK]",
        "<function=search>",
        "<parameter=a>",
        "</parameter>",
        "</function>",
        "<invoke name=\"search\">",
        "<parameter name=\"a\">",
        "</invoke>",
        "<arg_key>a</arg_key>",
        "<arg_value>",
        "</arg_value>",
        "search\n",
        "<|channel|>",
        "analysis",
        "to=search",
        "<|message|>",
        "<|end|>",
        "<|call|>",
        "<|start|>assistant",
        "<|tool_call>call:search{",
        "<|\"|>",
        "<tool_call|>",
        "<|tool_call_begin|>search:0",
        "<|tool_call_argument_begin|>",
        "<｜tool▁call▁begin｜>",
        "<｜tool▁sep｜>",
        "<｜DSML｜invoke name=\"search\">",
        "<tool_result id=\"1\">",
        "</tool_result>",
        "functools[",
        "Action:",
        "<|python_tag|>",
        "<|python_start|>",
        "ä",
        "functions.",
        "\"<tool_call>",
        "**{",
        "; ",
        "<|action_start|>",
        "<|plugin|>",
        "</",
        "<",
        "<pre>",
        "</pre>",
        "<example a='b'>",
        "</example>",
        "<!--",
        "-->",
        "\n\n    ",
        "\n\t",
        "- ",
    ];
    prop::collection::vec(select(parts.to_vec()), 0..24).prop_map(|parts| parts.concat())
}
