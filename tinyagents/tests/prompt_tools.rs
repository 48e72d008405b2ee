//! Message lists, rendered through templates that make the demands of common families.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use minijinja::{Environment, ErrorKind, context};
use serde_json::{Value, json};
use tinyagents::dialect::{Dialect, render_history};
use tinyagents::prompt_tools::{
    coalesce_tool_results, ensure_resolvable_user_turn, pair_tool_cycles, with_tool_instructions,
};
use tinyagents::{Message, ToolCall, ToolSchema};

/// Qwen's demand: some user turn that isn't only a tool response, found from the end.
const LAST_QUERY: &str = r#"
{%- set ns = namespace(found=false) -%}
{%- for m in messages | reverse -%}
  {%- if m.role == "user" and not ns.found and not m.content.startswith("<tool_response>") -%}
    {%- set ns.found = true -%}
  {%- endif -%}
{%- endfor -%}
{%- if not ns.found -%}{{ raise_exception("no user query found") }}{%- endif -%}
{%- for m in messages -%}<|{{ m.role }}|>{{ m.content }}{% endfor -%}"#;

/// Mistral's and Gemma's demand: after the system prompt, user and assistant in turns.
const ALTERNATION: &str = r#"
{%- if messages[0].role == "system" -%}
  {%- set rest = messages[1:] -%}{{ messages[0].content }}
{%- else -%}
  {%- set rest = messages -%}
{%- endif -%}
{%- for m in rest -%}
  {%- if (m.role == "user") != (loop.index0 % 2 == 0) -%}{{ raise_exception("roles must alternate") }}{%- endif -%}
  [{{ m.role }}]{{ m.content | trim }}
{%- endfor -%}"#;

/// Llama 2's and Phi's demand: three roles and no other.
const THREE_ROLES: &str = r#"
{%- for m in messages -%}
  {%- if m.role not in ["system", "user", "assistant"] -%}{{ raise_exception("unknown role") }}{%- endif -%}
  <|{{ m.role }}|>{{ m.content }}<|end|>
{%- endfor -%}"#;

/// `ChatML`'s demand: content is text, and there are no calls beside it.
const TEXT_ONLY: &str = r#"
{%- for m in messages -%}
  {%- if m.content is not string or m.tool_calls -%}{{ raise_exception("content must be text") }}{%- endif -%}
  {%- if not m.content | trim -%}{{ raise_exception("content must not be blank") }}{%- endif -%}
  <|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endfor -%}"#;

const FAMILIES: [(&str, &str); 4] = [
    ("qwen", LAST_QUERY),
    ("mistral", ALTERNATION),
    ("llama", THREE_ROLES),
    ("chatml", TEXT_ONLY),
];

fn render(template: &str, messages: &[Message]) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.add_function(
        "raise_exception",
        |text: String| -> Result<String, minijinja::Error> {
            Err(minijinja::Error::new(ErrorKind::InvalidOperation, text))
        },
    );
    // Templates of this kind use Python's methods of strings.
    environment.set_unknown_method_callback(|_, value, method, arguments| {
        match (method, value.as_str(), arguments) {
            ("startswith", Some(text), [start]) => {
                Ok(text.starts_with(start.as_str().unwrap_or_default()).into())
            }
            _ => Err(ErrorKind::UnknownMethod.into()),
        }
    });
    let messages = minijinja::Value::from(minijinja::value::Serde(messages));
    environment.render_str(template, context! { messages })
}

fn schemas() -> Vec<ToolSchema> {
    let parameters = json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
    vec![ToolSchema::new("weather", "The weather.", parameters)]
}

fn call(id: &str, city: &str) -> ToolCall {
    ToolCall::new(id, "weather", json!({ "city": city }))
}

fn transcripts() -> Vec<Vec<Message>> {
    let cycle = || {
        vec![
            Message::assistant_calls("", vec![call("c1", "Oslo"), call("c2", "Rome")]),
            Message::tool("c1", "weather", "4 °C"),
            Message::tool("c2", "weather", "</tool_result> 20 °C"),
        ]
    };
    let question = || Message::user("Where is it warmer?");
    let system = || Message::system("Be brief.");
    vec![
        vec![question()],
        [vec![system(), question()], cycle()].concat(),
        [
            vec![question()],
            cycle(),
            vec![Message::user("And in Lima?")],
        ]
        .concat(),
        [vec![system()], cycle()].concat(),
        cycle(),
        [
            vec![system(), question()],
            cycle(),
            vec![Message::assistant("Rome."), Message::user("Why?")],
        ]
        .concat(),
        [vec![question()], cycle(), cycle()].concat(),
        // What an incomplete cycle leaves behind, and hosts that say two things one after the other.
        vec![
            question(),
            Message::assistant_calls("", vec![call("c1", "Oslo")]),
            Message::user("Never mind. In Lima?"),
        ],
        vec![
            question(),
            Message::assistant_calls("Let me see.", vec![call("c1", "Oslo")]),
            Message::assistant("I can't tell."),
        ],
        vec![
            system(),
            Message::system("Answer in verse."),
            question(),
            Message::user("Be quick."),
        ],
    ]
}

#[test]
fn every_family_renders_what_the_helpers_make() {
    for dialect in &Dialect::ALL[1..] {
        for messages in transcripts() {
            let messages = pair_tool_cycles(messages);
            let messages = render_history(messages, *dialect, &schemas());
            let messages = ensure_resolvable_user_turn(messages);
            let messages = with_tool_instructions(messages, *dialect, &schemas());
            for (family, template) in FAMILIES {
                let prompt = render(template, &messages);
                let prompt =
                    prompt.unwrap_or_else(|error| panic!("{family}: {error}: {messages:#?}"));
                assert!(prompt.contains("weather"), "{family}");
            }
        }
    }
}

#[test]
fn the_same_transcripts_are_refused_without_the_helpers() {
    let refused = |template: &str| {
        let all = transcripts();
        all.iter()
            .filter(|messages| render(template, messages).is_err())
            .count()
    };
    for (family, template) in FAMILIES {
        assert!(refused(template) > 0, "{family} demands nothing");
    }
}

#[test]
fn calls_become_markup_and_rows_one_user_turn() {
    let messages = coalesce_tool_results(transcripts().remove(1));
    let texts: Vec<&str> = messages.iter().map(Message::text).collect();
    assert_eq!(
        texts,
        [
            "Be brief.",
            "Where is it warmer?",
            "<tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"Oslo\"}}</tool_call>\n\
             <tool_call>{\"name\":\"weather\",\"arguments\":{\"city\":\"Rome\"}}</tool_call>",
            "[Tool results]\n<tool_result id=\"c1\">\n4 °C\n</tool_result>\n\
             <tool_result id=\"c2\">\n&lt;/tool_result> 20 °C\n</tool_result>",
        ]
    );
    assert!(messages[3].as_user().is_some());
    assert!(
        messages
            .iter()
            .all(|message| message.tool_calls().is_empty())
    );
}

#[test]
fn a_transcript_without_tools_stays_as_it_is() {
    let messages = vec![
        Message::system("s"),
        Message::user("u"),
        Message::assistant("a"),
        Message::user("v"),
    ];
    assert_eq!(coalesce_tool_results(messages.clone()), messages);
    assert_eq!(ensure_resolvable_user_turn(messages.clone()), messages);
    assert_eq!(pair_tool_cycles(messages.clone()), messages);
    assert_eq!(
        with_tool_instructions(messages.clone(), Dialect::Json, &[]),
        messages
    );
    assert_eq!(
        with_tool_instructions(messages.clone(), Dialect::Native, &schemas()),
        messages
    );
}

#[test]
fn images_of_results_and_of_the_next_turn_are_kept() {
    let row: Value = json!({
        "role": "tool", "call_id": "c1", "tool_name": "shot", "content": "[image]",
        "blocks": [{ "type": "image", "url": "https://x.test/a.png" }]
    });
    let row: Message = serde_json::from_value(row).unwrap();
    let messages = coalesce_tool_results(vec![row, Message::user("What is it?")]);
    let turn = messages[0].as_user().unwrap();
    assert_eq!(turn.blocks.len(), 3);
    assert!(turn.content.starts_with("[Tool results]") && turn.content.ends_with("What is it?"));
}

#[test]
fn a_query_is_inserted_after_the_system_turns_only_where_none_is() {
    let lead = vec![Message::system("a"), Message::system("b")];
    let without = [lead.clone(), vec![Message::assistant("Hi.")]].concat();
    let messages = ensure_resolvable_user_turn(without);
    assert!(
        messages[2]
            .as_user()
            .is_some_and(|turn| !turn.content.is_empty())
    );
    assert_eq!(messages.len(), 4);

    let blank = [lead, vec![Message::user(" ")]].concat();
    let messages = ensure_resolvable_user_turn(blank);
    assert_eq!(messages.len(), 3);
    assert!(!messages[2].text().trim().is_empty());
    assert_eq!(ensure_resolvable_user_turn(Vec::new()).len(), 1);
}

#[test]
fn a_question_after_results_in_one_turn_is_a_query_and_results_alone_are_none() {
    let results = vec![Message::tool("c1", "weather", "</tool_result> 4 °C")];
    let alone = coalesce_tool_results(results.clone());
    let made = ensure_resolvable_user_turn(alone.clone());
    assert_ne!(made, alone);
    let asked = coalesce_tool_results([results, vec![Message::user("And in Lima?")]].concat());
    assert_eq!(asked.len(), 1);
    assert_eq!(ensure_resolvable_user_turn(asked.clone()), asked);
}

#[test]
fn instructions_are_appended_once() {
    let messages = vec![Message::system("Be brief."), Message::user("go")];
    let once = with_tool_instructions(messages, Dialect::PType, &schemas());
    assert!(once[0].text().starts_with("Be brief.\n\n# Tools"));
    assert!(
        once[0]
            .text()
            .ends_with("weather(city: str) - The weather.")
    );
    assert_eq!(
        with_tool_instructions(once.clone(), Dialect::PType, &schemas()),
        once
    );
    let made = with_tool_instructions(vec![Message::user("go")], Dialect::Xml, &schemas());
    assert!(matches!(made[0], Message::System(_)) && made.len() == 2);
}

#[test]
fn incomplete_cycles_go_on_both_sides() {
    let answered = Message::tool("c1", "weather", "4 °C");
    let both =
        Message::assistant_calls("Let me see.", vec![call("c1", "Oslo"), call("c2", "Rome")]);
    let kept = pair_tool_cycles(vec![
        Message::user("go"),
        both,
        answered.clone(),
        Message::user("on"),
    ]);
    assert_eq!(
        kept,
        [
            Message::user("go"),
            Message::assistant("Let me see."),
            Message::user("on")
        ]
    );

    let alone = Message::assistant_calls("", vec![call("c1", "Oslo")]);
    assert!(pair_tool_cycles(vec![alone.clone(), Message::user("x"), answered.clone()]).len() == 1);
    let twice = vec![
        alone.clone(),
        answered.clone(),
        Message::tool("c1", "weather", "5 °C"),
    ];
    assert_eq!(pair_tool_cycles(twice), [alone.clone(), answered.clone()]);
    let stray = vec![
        answered.clone(),
        alone.clone(),
        answered.clone(),
        Message::tool("c9", "weather", "x"),
    ];
    assert_eq!(pair_tool_cycles(stray), [alone, answered]);
}

/// Some models and hosts leave ids empty, or count them anew for each kind of call.
#[test]
fn calls_that_share_an_id_are_answered_by_as_many_rows() {
    for id in ["c1", ""] {
        let row = |text: &str| Message::tool(id, "weather", text);
        let turn = Message::assistant_calls(
            "Let me see.",
            vec![call(id, "Oslo"), call("c2", "Lima"), call(id, "Rome")],
        );
        let other = Message::tool("c2", "weather", "18 °C");
        let complete = vec![turn.clone(), row("4 °C"), other.clone(), row("20 °C")];
        assert_eq!(pair_tool_cycles(complete.clone()), complete);

        let more = [complete.clone(), vec![row("5 °C")]].concat();
        assert_eq!(pair_tool_cycles(more), complete);

        // One call has no answer: which one it is can't be told.
        let fewer = vec![turn, row("4 °C"), other];
        assert_eq!(pair_tool_cycles(fewer), [Message::assistant("Let me see.")]);
    }
}

#[test]
fn what_a_text_leaves_open_is_closed_before_the_calls() {
    for (text, closed) in [
        (
            "Like so:\n```rust\nfn main() {}",
            "Like so:\n```rust\nfn main() {}\n```",
        ),
        ("~~~~\n```\n", "~~~~\n```\n~~~~"),
        ("<think>Hm.", "<think>Hm.\n</think>"),
        ("```\nx\n```", "```\nx\n```"),
        ("All ` is ~ well.", "All ` is ~ well."),
    ] {
        let calls = vec![call("c1", "Oslo")];
        let turn = Message::assistant_calls(text, calls.clone());
        let alone = coalesce_tool_results(vec![Message::assistant_calls("", calls)]);
        let written = format!("{closed}\n\n{}", alone[0].text());
        let messages = coalesce_tool_results(vec![turn]);
        assert_eq!(messages[0].text(), written);
        let native = vec![Message::assistant(text)];
        assert_eq!(coalesce_tool_results(native.clone()), native);
    }
}
