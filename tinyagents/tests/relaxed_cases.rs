//! What is mended inside of an object that is almost JSON, and what is not.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod relaxed_support;

use relaxed_support::{mended, refused};
use serde_json::json;

#[test]
fn json_objects_come_through_unchanged() {
    mended(&[
        ("{}", json!({})),
        (" {\"a\": {}}\n", json!({ "a": {} })),
        (
            r#"{"html":"<b>{{x}}</b>,} ,] <|\"|> /* no */ // no","n":[1,-2.5e3,null,true]}"#,
            json!({ "html": "<b>{{x}}</b>,} ,] <|\"|> /* no */ // no", "n": [1, -2500.0, null, true] }),
        ),
        (
            r#"{"a":"C:\\new","b":"\u00e9\/"}"#,
            json!({ "a": "C:\\new", "b": "é/" }),
        ),
    ]);
}

#[test]
fn names_without_quotes_are_keys() {
    mended(&[
        ("{zip:\"0150\"}", json!({ "zip": "0150" })),
        (
            "{ _a1 : { $ref-x : [ 1 ] } }",
            json!({ "_a1": { "$ref-x": [1] } }),
        ),
    ]);
    refused(&[
        "{1: 2}",
        "{a b: 1}",
        "{a.b: 1}",
        "{null: 1}",
        "{True: 1}",
        "{NaN: 1}",
        "{a\": 1}",
        "{\"a: 1}",
        "{-a: 1}",
        "{é: 1}",
    ]);
}

#[test]
fn single_quotes_and_quote_tokens_delimit_texts() {
    mended(&[
        ("{'a': 'b'}", json!({ "a": "b" })),
        (r#"{'a': 'say "hi"'}"#, json!({ "a": "say \"hi\"" })),
        (r"{'a': 'it\'s'}", json!({ "a": "it's" })),
        (r"{'a': 'x\ty\\z'}", json!({ "a": "x\ty\\z" })),
        (
            "{<|\"|>a<|\"|>:<|\"|>say \"hi\", {ok}<|\"|>}",
            json!({ "a": "say \"hi\", {ok}" }),
        ),
        (
            "{a:[<|\">b<|\">,<|\">c\nd<|\">]}",
            json!({ "a": ["b", "c\nd"] }),
        ),
        (r#"{a:<|"|>\d{4}<|"|>}"#, json!({ "a": "\\d{4}" })),
    ]);
    refused(&[
        "{'a': 'it's'}",
        "{'a': 'b', 'c'}",
        "{'a', 'b'}",
        "{'a': '''b'''}",
        "{'a': 'b' 'c'}",
        "{'a': 'b' + 'c'}",
        r"{\'a\': \'b\'}",
        "{a:b<|\"|>}",
        "{a:<|\"|>b}",
        "{a:<|\"|>b<|\">}",
        "{a:<|\"|>b<|\"|>c<|\"|>}",
        "{\"a\": \"<|\"|>b<|\"|>\"}",
        r#"{a:<|"|>C:\new<|"|>}"#,
        r#"{a:<|"|>b\\c<|"|>}"#,
        "{a: `b`}",
        "{“a”: “b”}",
    ]);
}

#[test]
fn pythons_literals_are_those_of_json() {
    mended(&[(
        "{'a': True, 'b': False, 'c': None, 'd': [true, null]}",
        json!({ "a": true, "b": false, "c": null, "d": [true, null] }),
    )]);
    refused(&[
        "{a: TRUE}",
        "{a: undefined}",
        "{a: Nonesuch}",
        "{a: nan}",
        "{a: True False}",
    ]);
}

#[test]
fn numbers_keep_their_value_and_words_are_no_texts() {
    mended(&[
        (
            "{a:1,b:-2.5,c:1E+3}",
            json!({ "a": 1, "b": -2.5, "c": 1000.0 }),
        ),
        (
            "{a:.5,b:-.5,c:+5,d:+.5}",
            json!({ "a": 0.5, "b": -0.5, "c": 5, "d": 0.5 }),
        ),
        ("{a:18446744073709551615}", json!({ "a": u64::MAX })),
    ]);
    refused(&[
        "{a: Oslo}",
        "{\"a\": two words}",
        "{\"a\": *.rs}",
        "{\"a\": 2024-10-18}",
        "{\"a\": 12:30}",
        "{a: 007}",
        "{a: 1_000}",
        "{a: 0x1F}",
        "{a: 5.}",
        "{a: .}",
        "{a: +-5}",
        "{a: --5}",
        "{a: 1 2}",
        "{a: 5km}",
        "{a: 50%}",
        "{a: NaN}",
        "{a: -Infinity}",
        "{a: 1e999}",
        "{a: -1e999}",
    ]);
}

#[test]
fn commas_before_a_closing_bracket_go_and_no_others() {
    mended(&[
        ("{\"a\":[1,2,],}", json!({ "a": [1, 2] })),
        ("{\"a\":1 ,\n}", json!({ "a": 1 })),
    ]);
    refused(&[
        "{\"a\":1,,}",
        "{,\"a\":1}",
        "{\"a\":[1,,2]}",
        "{\"a\":[,1]}",
        "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":[1 2]}",
        "{\"a\":}",
        "{\"a\":,\"b\":1}",
        "{\"a\"}",
        "{\"a\":1,[2]}",
        "{\"a\"=1}",
        "{\"a\"=>1}",
        "{\"a\"::1}",
    ]);
}

#[test]
fn comments_and_unknown_white_space_go_outside_of_texts() {
    mended(&[
        (
            "{/* x, } */\"a\"/**/:/***/1// \"b\": 2 }\n}",
            json!({ "a": 1 }),
        ),
        (
            "\u{feff}{\u{a0}\"a\"\u{2003}:\u{2028}\"b\u{a0}c\"}",
            json!({ "a": "b\u{a0}c" }),
        ),
    ]);
    refused(&[
        "{\"a\": 1 // done}",
        "{\"a\": 1 /* done}",
        "{\"a\": 1 # done\n}",
        "{\"a\": http://x}",
    ]);
}

#[test]
fn control_characters_in_texts_are_meant() {
    mended(&[
        (
            "{\"a\": \"\tif x:\r\n\t\ty\"}",
            json!({ "a": "\tif x:\r\n\t\ty" }),
        ),
        (
            "{\"a\": \"\u{0}\u{1b}[0m\"}",
            json!({ "a": "\u{0}\u{1b}[0m" }),
        ),
    ]);
    refused(&["{\"a\": \"x,\n\"b\": \"y\"}", "{\"a\": \"x\n}"]);
}

#[test]
fn a_backslash_stays_where_it_begins_no_escape_and_nothing_contradicts_it() {
    mended(&[
        (
            r#"{"a": "^\d{3}\.\w+$"}"#,
            json!({ "a": "^\\d{3}\\.\\w+$" }),
        ),
        (
            r#"{"a": "D:\Pictures\Mine"}"#,
            json!({ "a": "D:\\Pictures\\Mine" }),
        ),
        (r#"{"a": "\"\d\""}"#, json!({ "a": "\"\\d\"" })),
        (
            r#"{"a": "\d", "b": "x\ny"}"#,
            json!({ "a": "\\d", "b": "x\ny" }),
        ),
        (r#"{"a": "sed \'s/a/b/\'"}"#, json!({ "a": "sed 's/a/b/'" })),
    ]);
    refused(&[
        r#"{"a": "D:\Pictures\new"}"#,
        r#"{"a": "\d\\d"}"#,
        r#"{"a": "\d\/"}"#,
        r#"{"a": "it\'s \d"}"#,
        r#"{"a": "echo 'it'\''s'"}"#,
        r#"{'a': 'a "b\"c"'}"#,
        r#"{"a": "\x41"}"#,
        r#"{"a": "\u12"}"#,
        r#"{"a": "\user"}"#,
        r#"{"a": "\ud800"}"#,
        r#"{"a": "\0"}"#,
        r#"{"a": "\$HOME"}"#,
        r#"{"a": "\한"}"#,
        "{\"a\": \"x\\\ny\"}",
        r#"{"a": "x\"}"#,
    ]);
}

#[test]
fn inner_quotes_without_backslashes_are_refused() {
    refused(&[
        r#"{"a": "say "hi" now"}"#,
        r#"{"a": "{"b": "c"}"}"#,
        r#"{"a": "x", "b": "say "hi", ok"}"#,
        r#"{""a"": ""b""}"#,
        "{\"a\": \"\"\"b\"\"\"}",
        "{\"a\": \"b\"\"}",
    ]);
}
