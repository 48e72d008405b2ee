//! Damaging an object in each way that is mended, and mending it, gives it back.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use proptest::prelude::*;
use serde_json::{Map, Value};
use tinyagents::relaxed_json::recover_relaxed_object;

/// Texts in which what could mislead is frequent.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => "[a-zA-Z0-9 ]{0,4}",
        2 => prop::sample::select(vec![
            "\"", "'", "\\", "\n", "\t", "{", "}", "[", "]", ",", ":", "{{", "}}", ",}", "/*", "*/", "//", "```", "<|call|>", "</s>",
            "True", "None", "\\d", "\\n", "\u{a0}", "é", "\u{1}", "<", "|", ">", "<|", "|>", "{}", "\\\"", "\\'", "'a': ", "\"a\": ", "=", "}}\n```", "#",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        // Halves, whose decimal form is exact.
        (-1_000_000_i32..1_000_000).prop_map(|halves| Value::from(f64::from(halves) / 2.0)),
        text().prop_map(Value::from),
    ];
    scalar.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            object_of(inner, 0).prop_map(Value::Object),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-z_$][a-zA-Z0-9_-]{0,6}", 1 => text()]
}

fn object_of(
    inner: impl Strategy<Value = Value>,
    least: usize,
) -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((key(), inner), least..4).prop_map(Map::from_iter)
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    object_of(value(), 1)
}

/// The ways to write an object that are mended.
#[derive(Clone, Copy, Debug)]
enum Damage {
    BareKeys,
    SingleQuotes,
    QuoteTokens,
    ShortTokens,
    PythonLiterals,
    BarePoints,
    PlusSigns,
    TrailingCommas,
    Comments,
    Space,
    ControlCharacters,
    Backslashes,
    Apostrophes,
}

const INSIDE: [Damage; 13] = [
    Damage::BareKeys,
    Damage::SingleQuotes,
    Damage::QuoteTokens,
    Damage::ShortTokens,
    Damage::PythonLiterals,
    Damage::BarePoints,
    Damage::PlusSigns,
    Damage::TrailingCommas,
    Damage::Comments,
    Damage::Space,
    Damage::ControlCharacters,
    Damage::Backslashes,
    Damage::Apostrophes,
];

/// Writes a value as JSON, damaged here and there, but not where the damage would make it ambiguous.
fn write(value: &Value, damage: &[Damage], pick: &mut impl FnMut() -> usize) -> String {
    let mut one = || damage.get(pick() % (damage.len() + 1)).copied();
    match value {
        Value::Null if matches!(one(), Some(Damage::PythonLiterals)) => "None".into(),
        Value::Bool(true) if matches!(one(), Some(Damage::PythonLiterals)) => "True".into(),
        Value::Bool(false) if matches!(one(), Some(Damage::PythonLiterals)) => "False".into(),
        Value::Number(number) => {
            let text = number.to_string();
            match one() {
                Some(Damage::BarePoints) => text.replacen(
                    "0.",
                    ".",
                    usize::from(text.trim_start_matches('-').starts_with("0.")),
                ),
                Some(Damage::PlusSigns) if !text.starts_with('-') => format!("+{text}"),
                _ => text,
            }
        }
        Value::String(text) => write_text(text, one()),
        Value::Array(items) => {
            let items = items.iter().map(|item| write(item, damage, pick)).collect();
            write_list('[', ']', items, damage, pick)
        }
        Value::Object(object) => {
            let members = object.iter().map(|(key, value)| {
                let key = write_key(key, damage.get(pick() % (damage.len() + 1)).copied());
                let (before, after) = (layout(damage, pick), layout(damage, pick));
                format!("{key}{before}:{after}{}", write(value, damage, pick))
            });
            let members = members.collect();
            write_list('{', '}', members, damage, pick)
        }
        _ => value.to_string(),
    }
}

fn write_list(
    opening: char,
    closing: char,
    items: Vec<String>,
    damage: &[Damage],
    pick: &mut impl FnMut() -> usize,
) -> String {
    let mut out = String::from(opening);
    let last = items.len();
    for (index, item) in items.into_iter().enumerate() {
        out.push_str(&layout(damage, pick));
        out.push_str(&item);
        out.push_str(&layout(damage, pick));
        let trailing = matches!(
            damage.get(pick() % (damage.len() + 1)),
            Some(Damage::TrailingCommas)
        );
        if index + 1 < last || trailing {
            out.push(',');
        }
    }
    out.push_str(&layout(damage, pick));
    out.push(closing);
    out
}

fn layout(damage: &[Damage], pick: &mut impl FnMut() -> usize) -> String {
    match damage.get(pick() % (damage.len() + 1)) {
        Some(Damage::Comments) => ["/* \"a\": }, */", "// 'b', ]\n", "/***/"][pick() % 3].into(),
        Some(Damage::Space) => ["\u{a0}", "\u{2003}\u{feff}", " \n"][pick() % 3].into(),
        _ => String::new(),
    }
}

fn write_key(key: &str, damage: Option<Damage>) -> String {
    let is_name = key
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || "_$-".contains(letter))
        && key.starts_with(|letter: char| letter.is_ascii_alphabetic() || "_$".contains(letter))
        && !["true", "false", "null", "True", "False", "None"].contains(&key);
    match damage {
        Some(Damage::BareKeys) if is_name => key.to_owned(),
        damage => write_text(key, damage),
    }
}

fn write_text(text: &str, damage: Option<Damage>) -> String {
    let json = Value::from(text).to_string();
    let inner = &json[1..json.len() - 1];
    match damage {
        // As Python escapes.
        Some(Damage::SingleQuotes) => {
            format!("'{}'", inner.replace("\\\"", "\"").replace('\'', "\\'"))
        }
        Some(Damage::QuoteTokens) if !text.contains("<|\"") && !text.contains('\\') => {
            format!("<|\"|>{text}<|\"|>")
        }
        Some(Damage::ShortTokens) if !text.contains("<|\"") && !text.contains('\\') => {
            format!("<|\">{text}<|\">")
        }
        Some(Damage::ControlCharacters) => {
            let mut out = String::from("\"");
            for letter in text.chars() {
                match letter {
                    '"' | '\\' => out.extend(['\\', letter]),
                    _ => out.push(letter),
                }
            }
            out + "\""
        }
        Some(Damage::Backslashes)
            if text.contains("\\d")
                && !inner
                    .replace("\\\\d", "")
                    .replace("\\\"", "")
                    .contains('\\') =>
        {
            json.replace("\\\\d", "\\d")
        }
        Some(Damage::Apostrophes) => json.replace('\'', "\\'"),
        _ => json,
    }
}

/// Deterministic choices.
fn picker(mut seed: u64) -> impl FnMut() -> usize {
    move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 40).unwrap()
    }
}

/// The ways to wrap an object that are taken off.
fn wrapped(text: &str, way: usize) -> String {
    match way {
        0 => format!("{{{text}}}"),
        1 => format!("{{ {{{text} }}\n}}"),
        2 => format!("```json\n{text}\n```"),
        3 => format!("```{text}```"),
        4 => format!("{{}}{text}"),
        5 => format!("{text}<|call|>"),
        6 => format!("{text}</arguments></tool_call>"),
        7 => format!("{text}}}"),
        8 => Value::from(text).to_string(),
        9 => Value::from(Value::from(text).to_string()).to_string(),
        10 => format!("\u{feff} {text}\u{a0}"),
        _ => text.to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(384))]

    #[test]
    fn each_damage_alone_is_mended(object in object(), seed in any::<u64>()) {
        for damage in INSIDE {
            let damaged = write(&Value::Object(object.clone()), &[damage], &mut picker(seed));
            prop_assert_eq!(recover_relaxed_object(&damaged), Some(object.clone()), "{:?}: {}", damage, damaged);
        }
    }

    #[test]
    fn each_wrapping_is_taken_off(object in object(), way in 0_usize..12) {
        let text = wrapped(&Value::Object(object.clone()).to_string(), way);
        prop_assert_eq!(recover_relaxed_object(&text), Some(object), "{}", text);
    }

    #[test]
    fn all_damages_together_are_mended(object in object(), seed in any::<u64>(), way in 0_usize..12) {
        let damaged = write(&Value::Object(object.clone()), &INSIDE, &mut picker(seed));
        let text = wrapped(&damaged, way);
        prop_assert_eq!(recover_relaxed_object(&text), Some(object), "{}", text);
    }

    #[test]
    fn an_object_of_escaped_quotes_is_mended(object in object()) {
        let json = Value::Object(object.clone()).to_string();
        if !json.contains('\\') {
            let text = json.replace('"', "\\\"");
            prop_assert_eq!(recover_relaxed_object(&text), Some(object), "{}", text);
        }
    }

    #[test]
    fn no_beginning_of_a_damaged_object_is_mended(object in object(), seed in any::<u64>(), cut in any::<prop::sample::Index>()) {
        let damaged = write(&Value::Object(object), &INSIDE, &mut picker(seed));
        let ends: Vec<usize> = damaged.char_indices().map(|(at, _)| at).collect();
        let beginning = &damaged[..ends[cut.index(ends.len())]];
        prop_assert_eq!(recover_relaxed_object(beginning), None, "{}", beginning);
    }

    #[test]
    fn json_is_read_as_it_is_and_nothing_but_an_object(value in value()) {
        let text = value.to_string();
        let found = recover_relaxed_object(&text);
        match value {
            Value::Object(object) => prop_assert_eq!(found, Some(object)),
            // A text may hold an object.
            Value::String(_) => {}
            _ => prop_assert_eq!(found, None),
        }
    }
}
