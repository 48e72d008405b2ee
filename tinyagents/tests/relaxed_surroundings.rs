//! What stands around an object that is almost JSON, and objects that are not whole.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod relaxed_support;

use std::fmt::Write;

use relaxed_support::{mended, refused};
use serde_json::json;
use tinyagents::relaxed_json::recover_relaxed_object;

#[test]
fn redundant_braces_go_in_pairs() {
    mended(&[
        ("{{\"a\":1}}", json!({ "a": 1 })),
        ("{ { {a:{b:1}} }\n}", json!({ "a": { "b": 1 } })),
    ]);
    refused(&[
        "{{\"a\":1}",
        "{{{\"a\":1}}",
        "{{\"a\":1}}}",
        "{{\"a\":1},{\"b\":2}}",
        "{{\"a\":1},}",
        "{\"a\":{{\"b\":1}}}",
        "{{name}}",
        "[{\"a\":1}]",
        "({\"a\":1})",
    ]);
}

#[test]
fn a_malformed_text_never_becomes_an_empty_object() {
    refused(&[
        "{{}}",
        "{} {}",
        "```json\n{}\n```",
        "\"{}\"",
        "{}<|call|>",
        "{}}",
        "{/**/}",
        "",
        " ",
        "null",
        "None",
        "{,}",
        "{\\\"\\\"}",
    ]);
}

#[test]
fn fences_go() {
    mended(&[
        ("```json\n{\"a\": 1}\n```", json!({ "a": 1 })),
        ("```json{a: 1}```", json!({ "a": 1 })),
        ("````\n{\"a\": \"```\"}\n````", json!({ "a": "```" })),
        ("\n```c++\n{\"a\": 1}", json!({ "a": 1 })),
        ("{\"a\": 1}\n```\n", json!({ "a": 1 })),
    ]);
    refused(&[
        "``{\"a\": 1}``",
        "```json\n{\"a\": 1}\n```\n```json\n{\"b\": 1}\n```",
        "```json schema\n{\"a\": 1}\n```",
    ]);
}

#[test]
fn what_says_nothing_may_follow_and_one_empty_object_go_before() {
    mended(&[
        ("{\"a\":1}<|call|>", json!({ "a": 1 })),
        (
            "{\"a\":1} </arguments>\n</tool_call><|im_end|>",
            json!({ "a": 1 }),
        ),
        ("{\"a\":1}<｜tool▁call▁end｜>", json!({ "a": 1 })),
        ("{\"a\":1}[/TOOL_CALLS]</s>", json!({ "a": 1 })),
        ("{\"a\":1}<tool_call|>", json!({ "a": 1 })),
        ("{\"a\":1}<end_of_turn>", json!({ "a": 1 })),
        ("{\"a\":1}\n```<|end|>", json!({ "a": 1 })),
        ("{\"a\":[1]}}", json!({ "a": [1] })),
        ("{\"a\":1} ]", json!({ "a": 1 })),
        ("{} {\"a\":1}", json!({ "a": 1 })),
    ]);
    refused(&[
        "{\"a\":1}}}",
        "{\"a\":1}])",
        "{\"a\":1}{\"a\":1}",
        "{}{}{\"a\":1}",
        "{\"a\":1}{}",
        "{\"a\":1},{\"b\":2}",
        "{\"a\":1}{\"b\":",
        "{\"a\":1}<|call|>{\"b\":2}",
        "{\"a\":1}<tool_call>",
        "{\"a\":1} Done.",
        "{\"a\":1}<|\"|>",
        "{\"a\":1}</>",
        "Here it is: {\"a\":1}",
        "<tool_call>{\"a\":1}</tool_call>",
        "a: 1",
        "\"a\": 1}",
        "ls -la",
    ]);
}

#[test]
fn an_object_that_is_written_as_a_string_is_read() {
    mended(&[
        (r#""{\"a\": \"b\"}""#, json!({ "a": "b" })),
        (r#""{\"a\": \"x\\ny\"}""#, json!({ "a": "x\ny" })),
        (r#""```json\n{\"a\": 1}\n```""#, json!({ "a": 1 })),
        (r#"'{"a": "b"}'"#, json!({ "a": "b" })),
        (r#""{a: True}""#, json!({ "a": true })),
        (r#""\"{\\\"a\\\": 1}\"""#, json!({ "a": 1 })),
        (r#"{\"a\": [\"b\"]}"#, json!({ "a": ["b"] })),
        (r#"{{\"a\": 1}}"#, json!({ "a": 1 })),
    ]);
    refused(&[
        r#""hello""#,
        r#""[1]""#,
        r#""5""#,
        r#""{\"a\": 1""#,
        r#""{\"a\": 1}"#,
        r#"{\"a\": "b"}"#,
        r#"{\"a\": \"x\\ny\"}"#,
        r#"{\"a\": \"x\"#,
        "\"{\"a\": 1}\"",
    ]);
    // Of a string of a string of a string nobody is left to ask.
    let mut text = json!({ "a": 1 }).to_string();
    for level in 1..6 {
        text = json!(text).to_string();
        assert_eq!(
            recover_relaxed_object(&text).is_some(),
            level <= 2,
            "{level}"
        );
    }
}

#[test]
fn a_text_that_ends_too_early_is_refused_wherever_it_ends() {
    for text in [
        r#"{"city": "Oslo", "days": [1, 2, {"a": null}], "n": -1.5e3}"#,
        "{{city: 'Oslo', days: [1, 2,], ok: True,}}",
        "{city:<|\"|>Oslo<|\"|>,days:.5 /* } */}",
        r#""{\"a\": {\"b\": 1}}""#,
        r#"{\"a\": {\"b\": \"c\"}}"#,
    ] {
        assert!(recover_relaxed_object(text).is_some(), "{text}");
        for (end, _) in text.char_indices() {
            assert_eq!(
                recover_relaxed_object(&text[..end]),
                None,
                "{}",
                &text[..end]
            );
        }
    }
}

#[test]
fn a_key_that_is_there_twice_is_refused_however_it_is_written() {
    refused(&[
        "{a: 1, a: 1}",
        "{a: 1, 'a': 2}",
        "{a: {b: 1, \"b\": 2}}",
        r#"{a: 1, "\u0061": 2}"#,
    ]);
}

#[test]
fn nesting_is_bounded_and_long_texts_cost_their_length() {
    let nested = |levels: usize| format!("{{a:{}1{}}}", "[".repeat(levels), "]".repeat(levels));
    assert!(recover_relaxed_object(&nested(126)).is_some());
    refused(&[
        &nested(127),
        &nested(100_000),
        &"{".repeat(1_000_000),
        &"{\"a\":".repeat(1_000_000),
    ]);

    let mut long = String::from("{");
    for n in 0..100_000 {
        write!(long, "key{n}: 'a \\'text\\'', /* x */").unwrap();
    }
    long.push('}');
    assert_eq!(
        recover_relaxed_object(&long).map(|object| object.len()),
        Some(100_000)
    );
    for piece in [
        "/*", "//", "<|\"|>", "'", "\\\"", "`", "<|a", "<|call|>", "{}", "\u{feff}",
    ] {
        let debris = piece.repeat(1_000_000);
        refused(&[
            &debris,
            &format!("{{a: {debris}"),
            &format!("{{\\\"a{debris}"),
        ]);
    }
}
