//! Names from outside, names for a provider, and the ways back.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod prepare_support;

use std::collections::HashSet;

use prepare_support::corpus;
use proptest::prelude::*;
use serde_json::{Value, json};
use tinyagents::model::{AssistantMessage, ModelRequest, ModelResponse, NameRules, ToolChoice};
use tinyagents::{
    InvalidAlias, Message, OutsideNames, ToolAliases, ToolCall, ToolName, ToolSchema,
};

fn name(text: &str) -> ToolName {
    ToolName::parse(text).expect("a canonical name")
}

fn canonical(outside: &str) -> String {
    let names = OutsideNames::sanitize([outside], &[]);
    names.canonical(outside).expect("a name").to_string()
}

/// A request that names tools in every place where one can stand.
fn request(tools: &[&str], history: &[&str], choice: Option<&str>) -> ModelRequest {
    let mut messages = vec![Message::user("go")];
    for (number, tool) in history.iter().enumerate() {
        let id = format!("c{number}");
        messages.push(Message::assistant_calls(
            "",
            vec![ToolCall::new(&id, *tool, json!({}))],
        ));
        messages.push(Message::tool(&id, *tool, "ok"));
    }
    let tools: Vec<ToolSchema> = tools
        .iter()
        .map(|name| ToolSchema::new(*name, "", json!({})))
        .collect();
    let choice = choice.map_or(ToolChoice::Auto, |name| ToolChoice::Tool(name.to_owned()));
    ModelRequest::new(messages)
        .with_tools(tools)
        .with_tool_choice(choice)
}

/// Every name in a request, in order.
fn names_in(request: &ModelRequest) -> Vec<String> {
    let mut names: Vec<String> = request.tools.iter().map(|tool| tool.name.clone()).collect();
    for message in &request.messages {
        names.extend(message.tool_calls().iter().map(|call| call.name.clone()));
        names.extend(message.as_tool().map(|row| row.tool_name.clone()));
    }
    if let ToolChoice::Tool(name) = &request.tool_choice {
        names.push(name.clone());
    }
    names
}

#[test]
fn outside_names_become_canonical_and_stay_recognisable() {
    for (outside, expected) in [
        ("search", "search"),
        ("createIssue", "create_issue"),
        ("files.read-all", "files_read_all"),
        ("GET /users/{id}", "get_users_id"),
        ("3d_model", "t_3d_model"),
        ("_hidden", "hidden"),
    ] {
        let expected_plain = expected.to_owned();
        let found = canonical(outside);
        assert!(
            found == expected_plain || found.replace("__", "_").contains(expected),
            "{outside}: {found}"
        );
    }
}

#[test]
fn what_has_no_letters_left_or_is_too_long_or_reserved_gets_a_suffix() {
    for outside in ["天气", "!!!", "", "tool_call", &"a".repeat(200)] {
        let found = canonical(outside);
        assert!(ToolName::parse(&found).is_ok(), "{found}");
        assert_ne!(found, outside);
        assert_eq!(found, canonical(outside));
    }
    assert_ne!(canonical("天气"), canonical("天空"));
    let long = "a".repeat(200);
    let longer = "a".repeat(201);
    let names = OutsideNames::sanitize([long.as_str(), &longer], &[]);
    assert_ne!(names.canonical(&long), names.canonical(&longer));
}

#[test]
fn collisions_are_found_after_sanitising_and_do_not_depend_on_the_order() {
    let outside = ["get.user", "get-user", "get_user", "GetUser"];
    let names = OutsideNames::sanitize(outside, &[]);
    assert_eq!(names.canonical("get_user").unwrap(), "get_user");
    let different: HashSet<&str> = outside
        .iter()
        .map(|name| names.canonical(name).unwrap().as_str())
        .collect();
    assert_eq!(different.len(), 4);
    let mut backwards = outside;
    backwards.reverse();
    assert_eq!(names, OutsideNames::sanitize(backwards, &[]));
    assert_eq!(names.len(), 4);

    let taken = OutsideNames::sanitize(["get_user"], &["get_user"]);
    assert_ne!(taken.canonical("get_user").unwrap(), "get_user");
    assert_eq!(
        taken.outside(taken.canonical("get_user").unwrap()),
        Some("get_user")
    );
}

#[test]
fn aliases_go_both_ways_in_declarations_history_and_choice() {
    let aliases = ToolAliases::new(NameRules::Anthropic)
        .with_alias(&name("run_command"), "Bash")
        .unwrap();
    let request = request(
        &["run_command", "search"],
        &["run_command", "search"],
        Some("run_command"),
    );
    let names = aliases.map(&request);
    let sent = names.to_provider(request);
    assert_eq!(
        names_in(&sent),
        ["Bash", "search", "Bash", "Bash", "search", "search", "Bash"]
    );
    let response = ModelResponse::new(AssistantMessage::new("").with_tool_calls(vec![
        ToolCall::new("c9", "Bash", json!({})),
        ToolCall::new("c10", "search", json!({})),
        ToolCall::new("c11", "made_up", json!({})),
    ]));
    let response = names.to_canonical(response);
    let called: Vec<&str> = response
        .tool_calls()
        .iter()
        .map(|call| call.name.as_str())
        .collect();
    assert_eq!(called, ["run_command", "search", "made_up"]);
}

#[test]
fn a_request_without_anything_to_rename_is_handed_on() {
    let request = request(&["search"], &["search"], Some("search"));
    let tools = std::sync::Arc::clone(&request.tools);
    let names = ToolAliases::new(NameRules::OpenAi).map(&request);
    let sent = names.to_provider(request.clone());
    assert_eq!(sent, request);
    assert!(std::sync::Arc::ptr_eq(&sent.tools, &tools));
}

#[test]
fn a_name_in_the_history_that_the_provider_refuses_is_rewritten() {
    let request = request(&["fs_read"], &["fs.read", "fs/read"], None);
    let names = ToolAliases::new(NameRules::Bedrock).map(&request);
    let sent = names.to_provider(request);
    let shown: HashSet<String> = names_in(&sent).into_iter().collect();
    assert_eq!(shown.len(), 3);
    assert!(shown.contains("fs_read") && shown.iter().all(|name| NameRules::Bedrock.accepts(name)));
}

#[test]
fn an_alias_pushes_a_name_aside_that_only_the_history_has() {
    let aliases = ToolAliases::new(NameRules::OpenAi)
        .with_alias(&name("run"), "Bash")
        .unwrap();
    let request = request(&["run"], &["Bash"], None);
    let names = aliases.map(&request);
    assert_eq!(names.provider("run"), "Bash");
    assert_ne!(names.provider("Bash"), "Bash");
    assert_eq!(names.canonical(names.provider("Bash")), "Bash");
}

#[test]
fn an_alias_that_cannot_work_is_refused() {
    let aliases = ToolAliases::new(NameRules::OpenAi);
    let error = aliases.clone().with_alias(&name("a"), "a b").unwrap_err();
    assert_eq!(
        error.to_string(),
        "OpenAi does not take \"a b\" as a tool's name; choose one by its rules"
    );
    let error = aliases
        .with_alias(&name("a"), "X")
        .unwrap()
        .with_alias(&name("b"), "X")
        .unwrap_err();
    assert!(matches!(error, InvalidAlias::Taken { by, .. } if by == "a"));
}

#[test]
fn the_names_of_the_corpus_are_taken_as_its_rules_say() {
    let Some(rows) = corpus("tool_names.jsonl") else {
        return;
    };
    let mut judged = 0;
    for row in &rows {
        let text = row["name"].as_str().unwrap();
        for (key, rules) in [
            ("openai", NameRules::OpenAi),
            ("anthropic", NameRules::Anthropic),
            ("gemini_api", NameRules::Gemini),
            ("bedrock", NameRules::Bedrock),
            ("mistral", NameRules::Mistral),
            ("mcp_spec_2025_11_25", NameRules::Mcp),
        ] {
            judged += 1;
            let expected = row["providers"][key] == "accept";
            assert_eq!(rules.accepts(text), expected, "{text:?} for {key}");
        }
        let found = canonical(text);
        assert!(ToolName::parse(&found).is_ok(), "{text:?}: {found}");
    }
    println!("{judged} judgements agree");
    assert!(judged > 0);
}

#[test]
fn the_rules_are_those_of_the_corpus() {
    let Some(folder) = std::env::var_os("TINYAGENTS_CORPORA") else {
        return;
    };
    let path = std::path::PathBuf::from(folder).join("tool_name_rules.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let letters: Vec<char> = (0_u8..128).map(char::from).chain(['é', '天']).collect();
    for (provider, rules) in [
        ("openai", NameRules::OpenAi),
        ("anthropic", NameRules::Anthropic),
        ("gemini_api", NameRules::Gemini),
        ("bedrock", NameRules::Bedrock),
        ("mistral", NameRules::Mistral),
        ("mcp_spec_2025_11_25", NameRules::Mcp),
    ] {
        let row = file["rules"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["provider"] == provider)
            .unwrap();
        // The `pattern` of the validator is not anchored to the end of a text with a line end, and neither is the rule.
        let pattern = row["regex"].as_str().unwrap().replace('$', r"\z");
        let validator = tinyagents::Validator::compile(&json!({ "pattern": pattern })).unwrap();
        for letter in &letters {
            for text in [
                letter.to_string(),
                format!("a{letter}"),
                format!("a{letter}b"),
            ] {
                assert_eq!(
                    rules.accepts(&text),
                    validator.is_valid(&json!(text)),
                    "{text:?} for {provider}"
                );
            }
        }
        for length in [0, 63, 64, 65, 127, 128, 129] {
            let text = "a".repeat(length);
            assert_eq!(
                rules.accepts(&text),
                validator.is_valid(&json!(text)),
                "{length} for {provider}"
            );
        }
    }
}

/// Names as servers give them, near enough to each other to collide.
fn outside_name() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[aA]?[./_ -]?[bB]?[0-9]?",
        1 => "\\PC{0,80}",
        1 => "[a-z_]{60,70}",
        1 => prop::sample::select(&["tool_call", "tool_search", "a_b", "get_x", "getX", "天"][..]).prop_map(String::from),
    ]
}

proptest! {
    #[test]
    fn sanitising_is_injective_reversible_and_stable(outside in prop::collection::vec(outside_name(), 0..12), taken in prop::collection::vec("[ab_]{1,3}", 0..3)) {
        let taken: Vec<&str> = taken.iter().map(String::as_str).collect();
        let names = OutsideNames::sanitize(outside.iter().map(String::as_str), &taken);
        let different: HashSet<&String> = outside.iter().collect();
        prop_assert_eq!(names.len(), different.len());
        let mut seen = HashSet::new();
        for outside in different {
            let canonical = names.canonical(outside).expect("every name has one");
            prop_assert!(ToolName::parse(canonical).is_ok() && !taken.contains(&canonical.as_str()));
            prop_assert!(seen.insert(canonical.clone()), "{} twice", canonical);
            prop_assert_eq!(names.outside(canonical), Some(outside.as_str()));
            if ToolName::parse(outside).is_ok() && !taken.contains(&outside.as_str()) {
                prop_assert_eq!(canonical.as_str(), outside.as_str());
            }
        }
        prop_assert_eq!(&OutsideNames::sanitize(outside.iter().rev().map(String::as_str), &taken), &names);
    }

    #[test]
    fn the_map_of_a_request_is_injective_and_reversible(
        tools in prop::collection::btree_set(prop_oneof!["[a-z][a-z0-9_]{0,8}", "[ab]{1,2}", "a{63,64}"], 0..6),
        history in prop::collection::vec(prop_oneof![3 => outside_name(), 1 => "[abB]{1,2}"], 0..8),
        alias in prop_oneof![Just("tool_search".to_owned()), "[A-Za-z_][A-Za-z0-9_-]{0,8}", "[abB]{1,2}", "[aB]{63,64}"],
    ) {
        let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
        let history: Vec<&str> = history.iter().map(String::as_str).collect();
        let request = request(&tools, &history, tools.first().copied());
        for rules in NameRules::ALL {
            let mut aliases = ToolAliases::new(rules);
            if let Some(first) = tools.first().and_then(|first| ToolName::parse(first).ok()) {
                aliases = aliases.with_alias(&first, &alias).expect("an alias");
            }
            let names = aliases.map(&request);
            let sent = names.to_provider(request.clone());
            let (before, after) = (names_in(&request), names_in(&sent));
            let mut pairs = HashSet::new();
            for (canonical, provider) in before.iter().zip(&after) {
                prop_assert!(provider.is_empty() || rules.accepts(provider), "{} for {:?}", provider, rules);
                prop_assert_eq!(names.canonical(provider), canonical.as_str());
                pairs.insert((canonical, provider));
            }
            let canonical: HashSet<_> = pairs.iter().map(|(canonical, _)| canonical).collect();
            let provider: HashSet<_> = pairs.iter().map(|(_, provider)| provider).collect();
            prop_assert_eq!((canonical.len(), provider.len()), (pairs.len(), pairs.len()));
        }
    }
}
