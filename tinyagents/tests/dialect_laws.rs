//! Laws of the dialects: what is written is read back, however it comes.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod dialect_support;

use dialect_support::{call, debris, schema, text};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use tinyagents::dialect::{
    Dialect, ParsedText, StreamScrubber, parse_calls, render_call, render_catalogue, render_history,
};
use tinyagents::{Message, ToolCall, ToolSchema};

fn streamed(text: &str, schemas: &[ToolSchema], cuts: &[usize]) -> ParsedText {
    let mut scrubber = StreamScrubber::new(schemas);
    let mut parsed = ParsedText::default();
    let mut rest = text.as_bytes();
    let mut cuts = cuts.iter().cycle();
    while !rest.is_empty() {
        let length = cuts
            .next()
            .map_or(1, |cut| (cut % 9).max(1))
            .min(rest.len());
        parsed.push(scrubber.push_bytes(&rest[..length]));
        rest = &rest[length..];
    }
    parsed.push(scrubber.finish());
    parsed.trimmed()
}

fn searching() -> Vec<ToolSchema> {
    let parameters = json!({ "type": "object", "properties": { "a": { "type": "integer" }, "b": { "type": "string" } } });
    vec![
        ToolSchema::new("search", "", parameters),
        ToolSchema::new("a", "", json!({ "type": "object" })),
    ]
}

/// Several tools, whose names come near to what a grammar has or to each other, and a call of each.
fn turn() -> impl Strategy<Value = (Vec<ToolSchema>, Vec<ToolCall>)> {
    const NAMES: [&str; 18] = [
        "functions.read",
        "read",
        "tools.list",
        "get_it",
        "getIt",
        "Äpfel",
        "get weather",
        "pay()",
        "a/b",
        "123",
        "-",
        "_",
        "None",
        "arg",
        "tool_result",
        "function",
        "functools",
        "Action",
    ];
    let named = prop::sample::subsequence(&NAMES[..], 2..4).prop_shuffle();
    (named, prop::collection::vec(call(), 3)).prop_map(|(names, calls)| {
        let named = |(name, (mut schema, mut call)): (&str, (ToolSchema, ToolCall))| {
            name.clone_into(&mut schema.name);
            name.clone_into(&mut call.name);
            (schema, call)
        };
        names.into_iter().zip(calls).map(named).unzip()
    })
}

/// What Markdown and markup of a text leave open at its end, and what is none of it.
const LINES: [&str; 22] = [
    "So:\n",
    "```rust\nfn main() {}\n",
    "```",
    "````\n",
    "  ~~~~ text\n",
    "- ```\n",
    "1. ~~~\n",
    "a ``` b\n",
    "`code\n",
    "> quoted\n",
    "<think>Hm.\n",
    "[THINK]Hm. ",
    "<|channel|>analysis<|message|>Hm.",
    "<tool_result id=\"c1\">\n",
    "\n",
    "the end",
    "<pre class=\"x\">\n",
    "<example>",
    "<!-- no ",
    "a <pre> tag and a <!-- mark ",
    "\n    code\n",
    "- item\n\n    more",
];

/// 512 cases, or as many as `PROPTEST_CASES` says, if those are more.
fn config() -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig {
        cases: config.cases.max(512),
        failure_persistence: None,
        ..config
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_call_is_read_back_from_every_dialect((schema, call) in call()) {
        for dialect in Dialect::ALL {
            let written = render_call(dialect, &call, &schema);
            let parsed = parse_calls(&written, std::slice::from_ref(&schema));
            prop_assert_eq!(parsed.calls.as_slice(), std::slice::from_ref(&call), "{:?}: {}", dialect, written);
            prop_assert_eq!(parsed.text, "");
            let has_own_form = matches!(call.name.as_str(), "search" | "a" | "get-it" | "Calendar.create");
            if has_own_form && !matches!(dialect, Dialect::Native | Dialect::Json) {
                prop_assert!(!written.starts_with("<tool_call>"), "{:?}: {}", dialect, written);
            }
        }
    }

    #[test]
    fn every_cut_gives_the_same(text in debris(), cuts in prop::collection::vec(1_usize..9, 1..5)) {
        let schemas = searching();
        prop_assert_eq!(streamed(&text, &schemas, &cuts), parse_calls(&text, &schemas));
    }

    #[test]
    fn calls_in_text_come_through_every_cut(
        before in "[a-zA-Z ,.\n]{0,40}",
        (schema, call) in call(),
        dialect in select(Dialect::ALL.to_vec()),
        cuts in prop::collection::vec(1_usize..9, 1..5),
    ) {
        let schemas = [schema];
        let text = format!("{before}\n\n{}", render_call(dialect, &call, &schemas[0]));
        let parsed = streamed(&text, &schemas, &cuts);
        prop_assert_eq!(&parsed, &parse_calls(&text, &schemas));
        prop_assert_eq!(&parsed.calls, &[call]);
        prop_assert_eq!(parsed.text, before.trim());
    }

    #[test]
    fn text_without_markup_passes_whole_and_unchanged(text in "[a-zA-Z0-9 .,:;!?()=+*/%$#@&|\n-]{0,200}") {
        let parsed = parse_calls(&text, &searching());
        let lower = text.to_lowercase();
        prop_assume!(!lower.contains("search("));
        prop_assume!(!lower.contains("a("));
        prop_assert_eq!(parsed.text, text.trim());
        prop_assert!(parsed.calls.is_empty());
    }

    #[test]
    fn a_transcript_goes_from_one_dialect_to_another_without_loss(
        (schema, call) in call(),
        body in text(),
        from in select(Dialect::ALL[1..].to_vec()),
        to in select(Dialect::ALL[1..].to_vec()),
    ) {
        let schemas = [schema];
        let written = render_call(from, &call, &schemas[0]);
        let read = parse_calls(&written, &schemas).calls;
        let rows = vec![
            Message::user("go"),
            Message::assistant_calls("On it.", read),
            Message::tool("c1", &call.name, body.clone()),
        ];
        let history = render_history(rows, to, &schemas);
        let parsed = parse_calls(history[1].text(), &schemas);
        prop_assert_eq!((parsed.text.as_str(), parsed.calls.as_slice()), ("On it.", &[call][..]));
        let inside = history[2].text().split_once('\n').unwrap().1;
        prop_assert_eq!(unwrap(inside), body);
    }

    #[test]
    fn no_text_hides_the_calls_after_it(
        lines in prop::collection::vec(select(&LINES[..]), 0..6),
        (schema, call) in call(),
        to in select(Dialect::ALL[1..].to_vec()),
        is_one_turn in any::<bool>(),
    ) {
        let schemas = [schema];
        let text = lines.concat();
        let calls = vec![call.clone()];
        let turns = if is_one_turn {
            vec![Message::assistant_calls(text.as_str(), calls)]
        } else {
            vec![Message::assistant(text.as_str()), Message::assistant_calls("", calls)]
        };
        let history = render_history(turns, to, &schemas);
        prop_assert_eq!(history.len(), 1);
        let parsed = parse_calls(history[0].text(), &schemas);
        prop_assert_eq!(parsed.calls, &[call], "{}", history[0].text());
    }

    #[test]
    fn calls_of_one_turn_go_to_another_dialect_together(
        (schemas, calls) in turn(),
        broken in prop::option::of("[a-z{\"]{1,9}x"),
        to in select(Dialect::ALL[1..].to_vec()),
    ) {
        for dialect in Dialect::ALL {
            for (schema, call) in schemas.iter().zip(&calls) {
                let written = render_call(dialect, call, schema);
                prop_assert_eq!(parse_calls(&written, &schemas).calls, std::slice::from_ref(call), "{}", written);
            }
        }
        let mut calls = calls;
        if let Some(arguments) = broken {
            calls[0].arguments = json!(arguments);
            calls[0].invalid = Some("no JSON".to_owned());
        }
        let history = render_history(vec![Message::assistant_calls("On it.", calls.clone())], to, &schemas);
        let mut parsed = parse_calls(history[0].text(), &schemas);
        for (read, call) in parsed.calls.iter_mut().zip(&calls) {
            prop_assert_eq!(read.invalid.is_some(), call.invalid.is_some());
            read.invalid.clone_from(&call.invalid);
        }
        prop_assert_eq!((parsed.text.as_str(), parsed.calls), ("On it.", calls), "{}", history[0].text());
    }

    #[test]
    fn a_catalogue_has_every_tool_and_all_its_arguments(schema in schema()) {
        let escaped = |name: &str| {
            let quoted = json!(name).to_string();
            let quoted = quoted[1..quoted.len() - 1].to_owned();
            let apostrophes = quoted.replace("\\\"", "\"").replace('\'', "\\'");
            let docstring = apostrophes.replace('\\', "\\\\").replace('"', "\\\"");
            let entities = name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
            [quoted, docstring, entities.replace('\n', "&#10;").replace('\r', "&#13;")]
        };
        let arguments = schema.parameters["properties"].as_object().unwrap().keys();
        let names: Vec<&String> = arguments.chain([&schema.name]).collect();
        for dialect in &Dialect::ALL[1..] {
            let catalogue = render_catalogue(*dialect, std::slice::from_ref(&schema));
            for name in &names {
                let is_there = escaped(name).iter().any(|name| catalogue.contains(name));
                prop_assert!(is_there, "{:?} lacks {}: {}", dialect, name, catalogue);
            }
        }
        prop_assert_eq!(render_catalogue(Dialect::PType, &[schema]).lines().count(), 1);
    }
}

/// The body of an envelope, as who knows the format reads it.
fn unwrap(envelope: &str) -> String {
    let inner = envelope.split_once(">\n").unwrap().1;
    let inner = inner.strip_suffix("\n</tool_result>").unwrap();
    inner
        .replace("&lt;tool_", "<tool_")
        .replace("&lt;/tool_", "</tool_")
}
