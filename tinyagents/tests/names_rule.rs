//! The rule for names of tools, and how a name that breaks it is told so.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::collections::{BTreeSet, HashMap};

use proptest::prelude::*;
use serde_json::json;
use tinyagents::{InvalidToolName, ToolName};

fn refusal(name: &str) -> InvalidToolName {
    ToolName::parse(name).expect_err("the name must be refused")
}

#[test]
fn canonical_names_are_accepted() {
    for name in ["a", "search", "get_weather", "a1_", "x__y", &"a".repeat(64)] {
        let parsed = ToolName::parse(name).expect("a canonical name");
        assert_eq!(parsed.as_str(), name);
    }
}

#[test]
fn there_is_one_error_per_way_to_be_wrong() {
    assert_eq!(refusal(""), InvalidToolName::Empty);
    assert!(matches!(
        refusal(&"a".repeat(65)),
        InvalidToolName::TooLong { length: 65, .. }
    ));
    for name in [
        " ",
        "get weather",
        "get\tweather",
        "weather\n",
        "get\u{a0}weather",
        "\u{2003}x",
    ] {
        assert!(
            matches!(refusal(name), InvalidToolName::Whitespace { .. }),
            "{name:?}"
        );
    }
    for (name, wrong) in [
        ("get-weather", '-'),
        ("a.b", '.'),
        ("a/b", '/'),
        ("wetter_für", 'ü'),
        ("a\0", '\0'),
        ("é", 'é'),
    ] {
        assert!(
            matches!(refusal(name), InvalidToolName::NeedsEscaping { character, .. } if character == wrong),
            "{name:?}"
        );
    }
    for (name, first_letter) in [("_private", '_'), ("1st", '1')] {
        assert!(
            matches!(refusal(name), InvalidToolName::InvalidStart { first, .. } if first == first_letter),
            "{name:?}"
        );
    }
    for name in ToolName::RESERVED {
        assert!(
            matches!(refusal(name), InvalidToolName::Reserved { .. }),
            "{name}"
        );
    }
}

#[test]
fn a_name_in_capitals_is_answered_with_its_snake_case() {
    for (name, snake) in [
        ("getWeather", "get_weather"),
        ("GetWeather", "get_weather"),
        ("HTTPRequest", "http_request"),
        ("Get_Weather", "get_weather"),
        ("read2Files", "read2_files"),
    ] {
        assert!(
            matches!(refusal(name), InvalidToolName::NotLowerCase { suggestion, .. } if suggestion == snake),
            "{name}"
        );
    }
}

#[test]
fn errors_name_the_tool_and_the_fix() {
    for (name, text) in [
        (
            "",
            "a tool name is empty; name the tool, for example `get_weather`",
        ),
        (
            "get weather",
            "tool name \"get weather\" contains white space; write `_` between words",
        ),
        (
            "get-weather",
            "tool name \"get-weather\" contains '-', which not every provider takes; use only a to z, 0 to 9 and `_`",
        ),
        (
            "2fa",
            "tool name `2fa` begins with `2`; begin it with a letter from a to z",
        ),
        (
            "getWeather",
            "tool name `getWeather` is not in lower case; write `get_weather`",
        ),
        (
            "tool_call",
            "tool name `tool_call` is reserved for the runtime; choose another one",
        ),
    ] {
        assert_eq!(refusal(name).to_string(), text);
    }
    let endless = "x".repeat(100_000);
    assert!(
        refusal(&endless)
            .to_string()
            .ends_with("has 100000 bytes; shorten it to at most 64")
    );
    assert!(refusal(&endless).to_string().len() < 150);
}

#[test]
fn a_name_is_used_like_its_text() {
    let name = ToolName::parse("search").expect("a name");
    assert_eq!(name, "search");
    assert_eq!("search", name);
    assert_eq!(name.len(), 6);
    assert_eq!(format!("{name:>8}|{name:?}"), "  search|\"search\"");
    let by_name = HashMap::from([(name.clone(), 1)]);
    assert_eq!(by_name.get("search"), Some(&1));
    let sorted: BTreeSet<ToolName> = ["b", "a"]
        .iter()
        .filter_map(|name| name.parse().ok())
        .collect();
    assert_eq!(
        sorted.iter().map(AsRef::as_ref).collect::<Vec<&str>>(),
        ["a", "b"]
    );
    assert_eq!(String::from(name.clone()), "search");
    assert!(
        ToolName::try_from("Search").is_err() && ToolName::try_from(String::from("search")).is_ok()
    );
}

#[test]
fn a_name_is_checked_when_it_is_read() {
    let name: ToolName = serde_json::from_value(json!("search")).expect("a name");
    assert_eq!(serde_json::to_value(&name).expect("JSON"), json!("search"));
    let error = serde_json::from_value::<ToolName>(json!("re search")).expect_err("no name");
    assert!(error.to_string().contains("white space"));
    assert!(serde_json::from_value::<ToolName>(json!(1)).is_err());
}

/// The rule once more, written differently.
fn is_canonical(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_lowercase())
        && bytes.all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
        && name.len() <= 64
        && name != "tool_search"
        && name != "tool_call"
}

proptest! {
    #[test]
    fn exactly_the_canonical_names_are_accepted(name in prop_oneof!["\\PC{0,70}", "[a-zA-Z0-9_ .-]{0,70}", "[a-z][a-z0-9_]{0,70}"]) {
        prop_assert_eq!(ToolName::parse(&name).is_ok(), is_canonical(&name));
    }
}

#[test]
fn the_names_of_the_corpus_are_judged_as_it_says() {
    let Some(folder) = std::env::var_os("TINYAGENTS_CORPORA") else {
        println!("skipped: TINYAGENTS_CORPORA is not set");
        return;
    };
    let path = std::path::PathBuf::from(folder).join("tool_names.jsonl");
    let text = std::fs::read_to_string(path).expect("a corpus file");
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let row: serde_json::Value = serde_json::from_str(line).expect("a JSON row");
        let name = row["name"].as_str().expect("a name");
        let accepted = ToolName::parse(name).is_ok();
        match row["portable_snake_case"].as_str() {
            // The two names of the bridge are well formed, but taken.
            Some("accept") => assert!(accepted || ToolName::RESERVED.contains(&name), "{name:?}"),
            Some("refuse") => assert!(!accepted, "{name:?}"),
            _ => {}
        }
    }
}
