//! Tools whose arguments are put together from several schemas: each argument is declared, and read back.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use serde_json::{Value, json};
use tinyagents::dialect::{Dialect, parse_calls, render_call, render_catalogue};
use tinyagents::{ToolCall, ToolSchema};

/// Parameters, arguments, and the signature of `PType`.
fn cases() -> Vec<(Value, Value, &'static str)> {
    vec![
        (
            json!({
                "type": "object",
                "properties": { "a": { "type": "string" } },
                "required": ["a"],
                "oneOf": [
                    { "properties": { "b": { "type": "string" } }, "required": ["b"] },
                    { "properties": { "c": { "type": "integer" } }, "required": ["c"] }
                ]
            }),
            json!({ "a": "x", "b": "5" }),
            "f(a: str, b?: str, c?: int)",
        ),
        (
            json!({
                "allOf": [{ "$ref": "#/$defs/q" }, { "properties": { "n": { "type": "integer" } } }],
                "$defs": { "q": { "type": "object", "properties": { "q": { "type": "string" } }, "required": ["q"] } }
            }),
            json!({ "q": "x", "n": 5 }),
            "f(q: str, n?: int)",
        ),
        (
            json!({ "anyOf": [
                { "properties": { "kind": { "const": "a" }, "x": { "type": "integer" } }, "required": ["kind", "x"] },
                {
                    "properties": { "kind": { "const": "b" }, "y": { "type": "array", "items": { "type": "string" } } },
                    "required": ["kind"]
                }
            ] }),
            json!({ "kind": "b", "y": ["1", "<y>"] }),
            "f(kind: \"a\" | \"b\", x?: int, y?: [str])",
        ),
        (
            json!({
                "type": "object",
                "properties": {
                    "colour": { "allOf": [{ "$ref": "#/$defs/colour" }], "default": "red" },
                    "o": { "allOf": [
                        { "type": "object", "properties": { "k": { "type": "integer" } } },
                        { "properties": { "l": { "type": "string" } }, "required": ["l"] }
                    ] },
                    "p": { "type": ["object", "null"], "properties": { "k": {} } }
                },
                "$defs": { "colour": { "enum": ["red", "blue"] } }
            }),
            json!({ "colour": "red", "o": { "k": 1, "l": "2" }, "p": { "k": null } }),
            "f(colour?: \"red\"|\"blue\", o?: { k?: int, l: str }, p?: { k?: any } | null)",
        ),
    ]
}

#[test]
fn every_argument_is_declared_and_read_back() {
    for (parameters, arguments, signature) in cases() {
        let schema = ToolSchema::new("f", "", parameters);
        let call = ToolCall::new("", "f", arguments);
        assert_eq!(
            render_catalogue(Dialect::PType, std::slice::from_ref(&schema)),
            signature
        );
        for dialect in Dialect::ALL {
            let written = render_call(dialect, &call, &schema);
            let read = parse_calls(&written, std::slice::from_ref(&schema)).calls;
            assert_eq!(read, std::slice::from_ref(&call), "{dialect:?}: {written}");
            let catalogue = render_catalogue(dialect, std::slice::from_ref(&schema));
            let is_declared =
                |name: &String| dialect == Dialect::Native || catalogue.contains(name);
            let arguments = call.arguments.as_object().unwrap();
            assert!(
                arguments.keys().all(is_declared),
                "{dialect:?}: {catalogue}"
            );
        }
    }
}
