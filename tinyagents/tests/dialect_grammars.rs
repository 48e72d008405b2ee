//! Calls in every grammar, and what only looks like one.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use serde_json::{Value, json};
use tinyagents::dialect::{
    Dialect, ParsedText, StreamScrubber, parse_call, parse_calls, render_call,
};
use tinyagents::{ToolCall, ToolSchema};

fn schemas() -> Vec<ToolSchema> {
    vec![
        ToolSchema::new(
            "find_route",
            "Find a route.",
            json!({
                "type": "object",
                "properties": {
                    "from": { "type": "string" },
                    "to": { "type": "string" },
                    "stops": { "type": "integer" },
                    "via": { "type": "array", "items": { "type": "string" } },
                    "options": {
                        "type": "object",
                        "properties": { "fast": { "type": "boolean" }, "note": { "type": "string" } }
                    }
                },
                "required": ["from"]
            }),
        ),
        ToolSchema::new(
            "now",
            "The time.",
            json!({ "type": "object", "properties": {} }),
        ),
        ToolSchema::new(
            "save_file",
            "Save a file.",
            json!({
                "type": "object",
                "properties": { "path": { "type": "string" }, "content": { "type": "string" } },
                "required": ["path", "content"]
            }),
        ),
    ]
}

/// Parses whole and in every way of cutting once, and byte by byte; all have to agree.
fn parse(text: &str) -> ParsedText {
    let schemas = schemas();
    let whole = parse_calls(text, &schemas);
    let mut cuts: Vec<Vec<&[u8]>> = (0..=text.len())
        .map(|cut| vec![&text.as_bytes()[..cut], &text.as_bytes()[cut..]])
        .collect();
    cuts.push(text.as_bytes().chunks(1).collect());
    for pieces in cuts {
        let mut scrubber = StreamScrubber::new(schemas.clone());
        let mut parsed = ParsedText::default();
        for piece in pieces {
            parsed.push(scrubber.push_bytes(piece));
        }
        parsed.push(scrubber.finish());
        assert_eq!(parsed.trimmed(), whole, "{text:?}");
    }
    whole
}

fn calls(text: &str) -> Vec<(String, Value)> {
    parse(text)
        .calls
        .into_iter()
        .map(|call| {
            assert_eq!(call.invalid, None, "{text}");
            (call.name, call.arguments)
        })
        .collect()
}

/// The text is exactly one call of `find_route` from Oslo with two stops, said after "Wait.".
fn assert_route(text: &str) {
    let expected = vec![(
        "find_route".to_owned(),
        json!({ "from": "Oslo", "stops": 2 }),
    )];
    assert_eq!(calls(text), expected, "{text}");
    let spoken = format!("Wait.\n{text}");
    let parsed = parse(&spoken);
    assert_eq!(parsed.text, "Wait.", "{spoken}");
    assert_eq!(parsed.calls.len(), 1, "{spoken}");
}

const JSON: &str = r#"{"name": "find_route", "arguments": {"from": "Oslo", "stops": 2}}"#;
const ARGUMENTS: &str = r#"{"from": "Oslo", "stops": 2}"#;

#[test]
fn json_behind_every_marker_is_a_call() {
    for text in [
        format!("<tool_call>{JSON}</tool_call>"),
        format!("<tool_call>\n{JSON}\n"),
        format!("<tool_call>[{JSON}]</tool_call>"),
        format!("<tool_call>{JSON}}}</tool_call>"),
        format!("<tool_calls>[{JSON}]</tool_calls>"),
        format!("<function_call> {JSON}"),
        format!("<|tool_call|>[{JSON}]"),
        format!("[TOOL_CALLS] [{JSON}]"),
        format!("<|python_tag|>{JSON}<|eom_id|>"),
        format!("functools[{JSON}]"),
        format!("<|action_start|> <|plugin|>\n{JSON}<|action_end|>"),
        r#"<|START_ACTION|>[{"tool_call_id": "3", "tool_name": "find_route", "parameters": {"from": "Oslo", "stops": 2}}]<|END_ACTION|>"#.to_owned(),
        "Action: ```json\n[{\"tool_name\": \"find_route\", \"parameters\": {\"from\": \"Oslo\", \"stops\": 2}}]\n```".to_owned(),
        "<tool_call>{'name': 'find_route', 'arguments': {'from': 'Oslo', 'stops': 2,}}</tool_call>".to_owned(),
        r#"<tool_call>{"type":"function","function":{"name":"find_route","arguments":"{\"from\":\"Oslo\",\"stops\":2}"}}</tool_call>"#.to_owned(),
    ] {
        assert_route(&text);
    }
}

#[test]
fn a_name_and_json_are_a_call() {
    for text in [
        format!("[TOOL_CALLS]find_route{ARGUMENTS}"),
        format!("[TOOL_CALLS]find_route[ARGS]{ARGUMENTS}"),
        format!("[TOOL_CALLS]find_route[CALL_ID]a1[ARGS]{ARGUMENTS}"),
        format!("<function=find_route>{ARGUMENTS}</function>"),
        format!(
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>find_route\n```json\n{ARGUMENTS}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
        ),
        format!("<｜tool▁call▁begin｜>find_route<｜tool▁sep｜>{ARGUMENTS}<｜tool▁call▁end｜>"),
        format!(
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.find_route:4<|tool_call_argument_begin|>{ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>"
        ),
        format!(
            "<|channel|>commentary to=functions.find_route <|constrain|>json<|message|>{ARGUMENTS}<|call|>"
        ),
        format!("<|start|>assistant<|channel|>commentary to=find_route<|message|>{ARGUMENTS}"),
        "<|tool_call>call:find_route{from:<|\"|>Oslo<|\"|>,stops:2}<tool_call|>".to_owned(),
    ] {
        assert_route(&text);
    }
}

#[test]
fn tagged_values_are_a_call_typed_by_the_schema() {
    for text in [
        "<tool_call>\n<function=find_route>\n<parameter=from>\nOslo\n</parameter>\n<parameter=stops>\n2\n</parameter>\n</function>\n</tool_call>",
        "<tool_call>find_route\n<arg_key>from</arg_key>\n<arg_value>Oslo</arg_value>\n<arg_key>stops</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
        "<function_calls>\n<invoke name=\"find_route\">\n<parameter name=\"from\">Oslo</parameter>\n<parameter name=\"stops\">2</parameter>\n</invoke>\n</function_calls>",
        "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"find_route\">\n<｜DSML｜parameter name=\"from\" string=\"true\">Oslo</｜DSML｜parameter>\n<｜DSML｜parameter name=\"stops\" string=\"false\">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        "<find_route>\n  <from>Oslo</from>\n  <stops>2</stops>\n</find_route>",
        "<find_route from=\"Oslo\" stops='2'/>",
    ] {
        assert_route(text);
    }
}

#[test]
fn expressions_are_calls() {
    for text in [
        "<|python_start|>[find_route(from='Oslo', stops=2)]<|python_end|>",
        "<|tool_call_start|>[find_route(from=\"Oslo\", stops=2)]<|tool_call_end|>",
        "<tool_call>find_route(from='Oslo', stops=2)</tool_call>",
        "find_route(from = 'Oslo', stops = 2)",
        "find_route({ from: \"Oslo\", stops: 2 });",
        "functions.find_route({ \"from\": \"Oslo\", stops: 2 })",
        "[find_route(from='Oslo', stops=2)]",
        "findRoute(\"Oslo\", stops=2)",
    ] {
        assert_route(text);
    }
    let both = calls("find_route(\"Oslo\", \"Rome\", 2, [\"Bern\"])\nnow()");
    assert_eq!(
        both[0].1,
        json!({ "from": "Oslo", "to": "Rome", "stops": 2, "via": ["Bern"] })
    );
    assert_eq!(both[1], ("now".to_owned(), json!({})));
}

#[test]
fn bare_and_fenced_json_are_calls() {
    assert_route(JSON);
    assert_route(&format!("[{JSON}]"));
    let fenced = format!("```json\n{JSON}\n```");
    assert_eq!(calls(&fenced).len(), 1);
    assert_eq!(calls(&format!("{JSON}; {JSON}\n{JSON}")).len(), 3);
    assert_eq!(calls(&format!("{JSON} and then I'll see")).len(), 1);
}

#[test]
fn nested_tags_are_objects_and_lists() {
    let text = "<find_route><from><![CDATA[a <b> & </from>]]></from><via>x</via><via>y &amp; z</via>\
                <options><fast>true</fast><note>n</note></options></find_route>";
    let expected = json!({
        "from": "a <b> & </from>", "via": ["x", "y & z"], "options": { "fast": true, "note": "n" }
    });
    assert_eq!(calls(text), [("find_route".to_owned(), expected)]);
    let listed = "<find_route><via><item>x</item><item>y</item></via></find_route>";
    assert_eq!(calls(listed)[0].1, json!({ "via": ["x", "y"] }));
}

#[test]
fn code_in_a_value_survives() {
    let code = "fn main() {\n    let x = \"</tool_call>\"; // <b>&amp;</b> \\n ```\n}\n";
    let text = format!(
        "<tool_call>\n<function=save_file>\n<parameter=path>\na.rs\n</parameter>\n<parameter=content>\n{code}\n</parameter>\n</function>\n</tool_call>"
    );
    assert_eq!(
        calls(&text)[0].1,
        json!({ "path": "a.rs", "content": code })
    );
    let inner = "<parameter=path>\nb\n</parameter>\n";
    let text = format!(
        "<function=save_file>\n<parameter=path>\na\n</parameter>\n<parameter=content>\n{inner}\n</parameter>\n</function>"
    );
    assert_eq!(calls(&text)[0].1, json!({ "path": "a", "content": inner }));
    let inner = "<p>one</p> </content> <p>two</p>";
    let text = format!("<save_file><path>a</path><content>{inner}</content></save_file>");
    assert_eq!(calls(&text)[0].1["content"], json!(inner));
}

#[test]
fn what_is_quoted_is_not_a_call() {
    for text in [
        format!("Write `<tool_call>{JSON}</tool_call>` to call it."),
        format!("Write ``<tool_call>{JSON}</tool_call>`` to call it."),
        format!("An example:\n```xml\n<tool_call>{JSON}</tool_call>\n```\nThat is all."),
        "~~~\n[TOOL_CALLS]now{}\n~~~".to_owned(),
        format!("```\n<tool_call>{JSON}</tool_call>"),
        format!("He wrote: \"<tool_call>{JSON}</tool_call>\"."),
        format!("> <tool_call>{JSON}</tool_call>"),
        format!("<think>Maybe <tool_call>{JSON}</tool_call></think>No."),
        format!("For example:\n{JSON}\nis a call."),
        format!("Here:\n```json\n{JSON}\n```"),
        "Call find_route(\"Oslo\") to do so.".to_owned(),
        "You can write\nfind_route(\"Oslo\")\nor something else.".to_owned(),
        "find_route(\"Oslo\") is how it works.".to_owned(),
        "[find_route](https://example.test) and [now](x)".to_owned(),
        "The <find_route> tag and the <now> tag.".to_owned(),
        "<find_route>from Oslo</find_route>".to_owned(),
        "The model emits <tool_call> and then JSON.".to_owned(),
        "<tool_call>{…}</tool_call>".to_owned(),
        "[TOOL_CALLS] means that tools are called".to_owned(),
        r#"{"name": "Ada", "age": 36}"#.to_owned(),
        r#"{"name": "Ada", "parameters": {}}"#.to_owned(),
        r#"{"title": "now", "arguments": {}}"#.to_owned(),
        "&lt;now&gt;&lt;/now&gt;".to_owned(),
        format!(
            "<tool_result id=\"c1\">\n<tool_call>{JSON}</tool_call> [TOOL_CALLS]now{{}}\n</tool_result>"
        ),
    ] {
        let parsed = parse(&text);
        assert!(parsed.calls.is_empty(), "{text}: {parsed:?}");
    }
}

#[test]
fn a_call_in_a_string_argument_is_the_argument() {
    let inner = format!("<tool_call>{JSON}</tool_call>");
    let call = json!({ "name": "save_file", "arguments": { "path": "a", "content": inner } });
    let parsed = calls(&format!("<tool_call>{call}</tool_call>"));
    assert_eq!(
        parsed,
        [("save_file".to_owned(), call["arguments"].clone())]
    );
    let text = format!("save_file(\"a\", {})", json!(inner));
    assert_eq!(calls(&text)[0].1["content"], json!(inner));
}

#[test]
fn text_that_is_no_call_passes_unchanged() {
    for text in [
        "if a < b && c[0] > d { `x` } [1](y) ~~no~~ ```rust\nlet a = [1];\n```\nend",
        "A <b>bold</b> word, a <tool and a [TOOL thing.",
        "| a | b |\n|---|---|\n| < | [ |",
        "Text:\nfind_route(\nis not closed",
        "ends with <",
    ] {
        let parsed = parse(text);
        assert_eq!((parsed.text.as_str(), parsed.calls.len()), (text, 0));
    }
}

#[test]
fn a_plural_or_a_title_is_no_call() {
    for text in [
        "find_route(s)",
        "now(es)",
        "The plural:\nfind_route(s)",
        "find_route(s)\n\nThere are two.",
        "find_route(from, to)\n\nFinds a route.",
        "find_route(from)\nfind_route(to)\nare two ways.",
        "now(local time);\nsays what time it is.",
    ] {
        let parsed = parse(text);
        assert_eq!((parsed.text.as_str(), parsed.calls.len()), (text, 0));
    }
    // Where nothing follows, a call was meant, and the model is told what is wrong with it.
    for text in ["find_route(Oslo)", "find_route(New York, Oslo)\n"] {
        let parsed = parse(text);
        assert_eq!(
            (parsed.text.as_str(), parsed.calls.len()),
            ("", 1),
            "{text}"
        );
        assert!(parsed.calls[0].invalid.is_some());
    }
    assert_eq!(calls("now()\n\nI'll see.").len(), 1);
}

#[test]
fn damage_is_told_and_never_becomes_another_call() {
    for text in [
        r#"<tool_call>{"name": "find_route", "arguments": {"from": "Os"#,
        r#"<tool_call>{"name": "find_route", "arguments": "Oslo"}</tool_call>"#,
        r#"<tool_call>{"name": "find_route", "arguments": {"from": "a", "from": "b"}}</tool_call>"#,
        r#"<tool_call>{"name": "find_route", "arguments": {"from": b}}</tool_call>"#,
        r#"[TOOL_CALLS]find_route{"from": "Os"#,
        "<tool_call><function=find_route><parameter=from>Os",
        "<tool_call>\n<function=find_route>\n<parameter=from>\nOslo\n<parameter=to>\nRome\n</parameter>\n</function>\n</tool_call>",
        "<function=find_route><parameter=from>Oslo<parameter=to>Rome</parameter></function>",
        "<find_route><from>Oslo</from><from>Rome</from></find_route>",
        "<find_route><from>Oslo",
        "<|python_start|>[find_route(from=1e999)]<|python_end|>",
        "find_route(\"a\", \"b\", 1, [], {}, \"too many\")",
        "find_route(from=\"a\", from=\"b\")",
        "find_route(\"a\", from=\"b\")",
        "find_route(from=\"a\", \"b\")",
        "find_route(\"Os",
    ] {
        let parsed = parse(text);
        let [call] = parsed.calls.as_slice() else {
            panic!("{text}: {parsed:?}");
        };
        assert_eq!(call.name, "find_route");
        assert!(
            call.invalid.is_some() && call.arguments.is_string(),
            "{text}: {call:?}"
        );
        assert!(parsed.text.is_empty(), "{text}: {parsed:?}");
    }
}

#[test]
fn names_are_matched_and_unknown_ones_kept() {
    for name in [
        "find_route",
        "FindRoute",
        "find-route",
        "functions.find_route",
    ] {
        let text = format!("<tool_call>{{\"name\": \"{name}\", \"arguments\": {{}}}}</tool_call>");
        assert_eq!(calls(&text)[0].0, "find_route");
    }
    let text = "<tool_call>{\"name\": \"Drop-All\", \"arguments\": {\"a\": \"5\"}}</tool_call>";
    assert_eq!(calls(text), [("Drop-All".to_owned(), json!({ "a": "5" }))]);
}

#[test]
fn values_become_what_the_schema_wants_and_no_more() {
    let call = |arguments: &str| {
        let text = format!(
            "<tool_call>{{\"name\": \"find_route\", \"arguments\": {arguments}}}</tool_call>"
        );
        calls(&text).remove(0).1
    };
    assert_eq!(call(r#"{"stops": "2"}"#), json!({ "stops": 2 }));
    assert_eq!(call(r#"{"from": "2"}"#), json!({ "from": "2" }));
    assert_eq!(call(r#"{"stops": "two"}"#), json!({ "stops": "two" }));
}

/// Texts that stand for values, by the alternative that they are meant for.
#[test]
fn values_are_read_by_the_alternative_that_they_fit() {
    let alternative = |kind: &str, ty: &str| {
        json!({
            "properties": { "kind": { "const": kind }, "key": { "type": ty } },
            "required": ["kind", "key"]
        })
    };
    let parameters = json!({
        "type": "object",
        "oneOf": [alternative("name", "string"), alternative("id", "integer"), alternative("all", "array")]
    });
    let schemas = [ToolSchema::new("find", "", parameters)];
    for (kind, text, value) in [
        ("name", "5", json!("5")),
        ("id", "5", json!(5)),
        ("id", "five", json!("five")),
        ("all", "[1]", json!([1])),
        ("other", "5", json!("5")),
    ] {
        let call = ToolCall::new("", "find", json!({ "kind": kind, "key": value }));
        for text in [
            format!(
                "<function=find><parameter=key>\n{text}\n</parameter><parameter=kind>{kind}</parameter></function>"
            ),
            format!(
                "<tool_call>find\n<arg_key>kind</arg_key><arg_value>{kind}</arg_value><arg_key>key</arg_key><arg_value>{text}</arg_value></tool_call>"
            ),
            format!(
                "<invoke name=\"find\"><parameter name=\"kind\">{kind}</parameter><parameter name=\"key\">{text}</parameter></invoke>"
            ),
            format!("<find>\n<key>\n{text}\n</key>\n<kind>\n{kind}\n</kind>\n</find>"),
            format!("<find kind=\"{kind}\" key=\"{text}\"/>"),
        ] {
            assert_eq!(
                parse_calls(&text, &schemas).calls,
                std::slice::from_ref(&call),
                "{text}"
            );
        }
        // What no alternative takes is written so that it is read back all the same.
        for dialect in Dialect::ALL {
            let text = render_call(dialect, &call, &schemas[0]);
            assert_eq!(
                parse_calls(&text, &schemas).calls,
                std::slice::from_ref(&call),
                "{text}"
            );
        }
    }
    let call = ToolCall::new("", "find", json!({ "kind": "id", "key": "5" }));
    let text = render_call(Dialect::Xml, &call, &schemas[0]);
    assert_eq!(parse_calls(&text, &schemas).calls, [call], "{text}");
}

#[test]
fn reasoning_is_told_apart() {
    let parsed = parse("<think>\nHm, <b>.\n</think>\nOslo.");
    assert_eq!(
        (parsed.reasoning.as_str(), parsed.text.as_str()),
        ("Hm, <b>.", "Oslo.")
    );
    let parsed = parse(&format!("Hm. <tool_call>{JSON}</tool_call></think>Oslo."));
    assert_eq!((parsed.text.as_str(), parsed.calls.len()), ("Oslo.", 0));
    assert!(parsed.reasoning.starts_with("Hm."));
    let parsed = parse(
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Oslo.<|return|>",
    );
    assert_eq!(
        (parsed.reasoning.as_str(), parsed.text.as_str()),
        ("Hm.", "Oslo.")
    );
}

#[test]
fn ids_that_models_write_are_kept() {
    let parsed = parse("[TOOL_CALLS]now[CALL_ID]abc123DEF[ARGS]{}");
    assert_eq!(parsed.calls, [ToolCall::new("abc123DEF", "now", json!({}))]);
    assert_eq!(parse_call("now()", &schemas()).unwrap().id, "");
}

#[test]
fn text_is_shown_as_soon_as_it_can_be_no_markup() {
    let mut scrubber = StreamScrubber::new(schemas());
    for (piece, shown) in [
        ("Hello", "Hello"),
        (" <", " "),
        ("b", "<b"),
        ("> [", "> "),
        ("TOOL", ""),
        ("S]", "[TOOLS]"),
        (" \n", " \n"),
        ("fi", ""),
        ("n", ""),
        ("ally ", "finally "),
        ("`<tool_call>` ", "`<tool_call>` "),
        ("<tool_call", ""),
        (">", ""),
        ("x y", "<tool_call>x y"),
    ] {
        assert_eq!(scrubber.push(piece).text, shown, "{piece}");
    }
    assert!(scrubber.finish().is_empty());
}

#[test]
fn a_json_answer_streams_from_its_first_foreign_key() {
    let mut scrubber = StreamScrubber::new(schemas());
    assert_eq!(scrubber.push("{\"name\": \"x\", \"a").text, "");
    assert_eq!(scrubber.push("ge\"").text, "{\"name\": \"x\", \"age\"");
    assert_eq!(scrubber.push(": 3").text, ": 3");
}
