//! What an MCP server asks while it works on a call.

#![cfg(feature = "mcp")]
#![allow(missing_docs, clippy::panic, clippy::unwrap_used)]

mod mcp_client_support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client_support::{Wire, connected, tool, wire};
use serde_json::{Value, json};
use tinyagents::mcp::{
    McpElicitation, McpElicitationAnswer, McpElicitationHandler, McpLimits, McpServer, McpToolSet,
    McpTransport, ServerTransport,
};
use tinyagents::toolset::ToolSet;
use tinyagents::{RunContext, ToolRegistry, async_trait, tool as tool_of};

/// Says one thing to every question, and keeps them; without anything to say it never comes back.
#[derive(Clone, Default)]
struct Person {
    says: Option<McpElicitationAnswer>,
    asked: Arc<Mutex<Vec<McpElicitation>>>,
}

impl Person {
    fn saying(answer: McpElicitationAnswer) -> Self {
        Self {
            says: Some(answer),
            ..Self::default()
        }
    }
}

#[async_trait]
impl McpElicitationHandler for Person {
    async fn elicit(&self, question: McpElicitation) -> McpElicitationAnswer {
        self.asked.lock().unwrap().push(question);
        match &self.says {
            Some(answer) => answer.clone(),
            None => std::future::pending().await,
        }
    }
}

fn accept(form: Value) -> McpElicitationAnswer {
    let Value::Object(form) = form else {
        unreachable!("a form is an object");
    };
    McpElicitationAnswer::Accept(form)
}

/// A set with somebody to ask, the server's end, and what was offered to it.
async fn asking(person: &Person) -> (McpToolSet, Wire, Value) {
    asking_of(person.clone()).await
}

async fn asking_of(handler: impl McpElicitationHandler + 'static) -> (McpToolSet, Wire, Value) {
    let (transport, mut wire) = wire();
    let set = McpToolSet::builder(transport)
        .with_name("shop")
        .with_limits(McpLimits {
            call_timeout: Duration::from_secs(5),
            ..McpLimits::default()
        })
        .with_elicitation_handler(handler);
    let open = async {
        let hello = wire.next_of("initialize").await;
        let greeting = json!({
            "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
            "serverInfo": { "name": "test", "version": "1" },
        });
        wire.answer(&hello, greeting).await;
        wire.list(json!([tool("a")])).await;
        hello["params"]["capabilities"].clone()
    };
    let (set, offered) = tokio::join!(set.connect(), open);
    (set.unwrap(), wire, offered)
}

async fn ask(wire: &mut Wire, id: u64, params: Value) {
    let asked =
        json!({ "jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params });
    wire.send(asked).await;
}

fn form(message: &str) -> Value {
    let properties = json!({ "size": { "type": "string" } });
    json!({
        "message": message,
        "requestedSchema": { "type": "object", "properties": properties, "required": ["size"] },
    })
}

#[tokio::test]
async fn a_question_is_put_to_who_answers_and_the_call_goes_on() {
    for (says, action, content) in [
        (
            accept(json!({ "size": "L" })),
            "accept",
            json!({ "size": "L" }),
        ),
        (McpElicitationAnswer::Decline, "decline", Value::Null),
        (McpElicitationAnswer::Cancel, "cancel", Value::Null),
    ] {
        let person = Person::saying(says);
        let (set, mut wire, offered) = asking(&person).await;
        assert_eq!(offered["elicitation"], json!({ "form": {} }));
        let serve = async {
            let call = wire.call().await;
            ask(&mut wire, 7, form("Which\u{1b}[2K\nsize?")).await;
            let answer = wire.next().await.unwrap();
            assert_eq!(answer["result"]["action"], action, "{answer}");
            assert_eq!(answer["result"]["content"], content, "{answer}");
            wire.say(&call, "sold").await;
        };
        let ctx = RunContext::new();
        let (result, ()) = tokio::join!(set.call("a", json!({}), &ctx), serve);
        assert_eq!(result.unwrap().text(), "sold");
        let asked = person.asked.lock().unwrap();
        assert_eq!(
            (asked[0].server.as_str(), asked[0].message.as_str()),
            ("shop", "Which\\u{1b}[2K\nsize?")
        );
        assert_eq!(asked[0].schema["required"], json!(["size"]));
    }
}

#[tokio::test]
async fn what_nobody_was_promised_to_answer_is_cancelled_unseen() {
    let person = Person::saying(accept(json!({ "size": "L" })));
    let (set, mut wire, _) = asking(&person).await;
    let choices: Vec<String> = (0..10_000).map(|number| format!("size {number}")).collect();
    let mut huge = form("Which size?");
    huge["requestedSchema"]["properties"]["size"]["enum"] = json!(choices);
    let link = json!({
        "mode": "url", "message": "Log in", "url": "http://evil.example", "elicitationId": "e1"
    });
    let serve = async {
        let call = wire.call().await;
        for (id, asked) in [(1, huge), (2, link)] {
            ask(&mut wire, id, asked).await;
            let answer = wire.next_of_answers().await;
            assert_eq!(answer["result"]["action"], "cancel", "{answer}");
        }
        wire.say(&call, "sold").await;
    };
    let ctx = RunContext::new();
    let (result, ()) = tokio::join!(set.call("a", json!({}), &ctx), serve);
    result.unwrap();
    assert!(person.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_flood_of_questions_reaches_nobody_beyond_a_bound() {
    let person = Person::default();
    let (set, mut wire, _) = asking(&person).await;
    let serve = async {
        let call = wire.call().await;
        for id in 0..100 {
            ask(&mut wire, id, form(&"?".repeat(10_000))).await;
        }
        for _ in 0..84 {
            let answer = wire.next_of_answers().await;
            assert_eq!(answer["result"]["action"], "cancel", "{answer}");
        }
        wire.say(&call, "sold").await;
        // The call has its answer, so nobody waits for those of the others.
        for _ in 84..100 {
            let answer = wire.next_of_answers().await;
            assert_eq!(answer["result"]["action"], "cancel", "{answer}");
        }
    };
    let ctx = RunContext::new();
    let (result, ()) = tokio::join!(set.call("a", json!({}), &ctx), serve);
    result.unwrap();
    let asked = person.asked.lock().unwrap();
    assert_eq!(asked.len(), 16);
    assert!(asked.iter().all(|asked| asked.message.len() < 5_000));
}

#[tokio::test]
async fn a_server_that_was_asked_nothing_may_ask_nobody() {
    let person = Person::saying(accept(json!({ "size": "L" })));
    let (set, mut wire, _) = asking(&person).await;
    for id in 0..3 {
        // Before the first call, and after each.
        ask(&mut wire, id, form("Which password?")).await;
        let answer = wire.next_of_answers().await;
        assert_eq!(answer["result"]["action"], "cancel", "{answer}");
        let serve = async {
            let call = wire.call().await;
            wire.say(&call, "sold").await;
        };
        let ctx = RunContext::new();
        let (result, ()) = tokio::join!(set.call("a", json!({}), &ctx), serve);
        result.unwrap();
    }
    assert!(person.asked.lock().unwrap().is_empty());
}

/// Panics over every question.
struct Broken;

#[async_trait]
impl McpElicitationHandler for Broken {
    async fn elicit(&self, question: McpElicitation) -> McpElicitationAnswer {
        panic!("{}", question.message);
    }
}

#[tokio::test]
async fn a_handler_that_panics_leaves_no_server_without_an_answer() {
    let (set, mut wire, _) = asking_of(Broken).await;
    let serve = async {
        let call = wire.call().await;
        // More often than there are places.
        for id in 0..20 {
            ask(&mut wire, id, form("Which size?")).await;
            let answer = wire.next_of_answers().await;
            assert_eq!(answer["result"]["action"], "cancel", "{answer}");
        }
        wire.say(&call, "sold").await;
    };
    let ctx = RunContext::new();
    let (result, ()) = tokio::join!(set.call("a", json!({}), &ctx), serve);
    assert_eq!(result.unwrap().text(), "sold");
}

#[tokio::test(start_paused = true)]
async fn a_person_who_never_answers_holds_neither_a_call_nor_a_question_longer_than_its_time() {
    let (set, mut wire, _) = asking(&Person::default()).await;
    let begun = tokio::time::Instant::now();
    let serve = async {
        wire.call().await;
        ask(&mut wire, 7, form("Which size?")).await;
    };
    let ctx = RunContext::new();
    let (result, ()) = tokio::join!(set.call("a", json!({}), &ctx), serve);
    result.unwrap_err();
    let answer = wire.next_of_answers().await;
    assert_eq!(answer["result"]["action"], "cancel", "{answer}");
    assert_eq!(begun.elapsed(), Duration::from_secs(5));
}

#[tokio::test]
async fn without_anybody_to_answer_nothing_is_offered() {
    let (transport, mut wire) = wire();
    let (set, hello) = tokio::join!(McpToolSet::connect(transport), async {
        let hello = wire.next_of("initialize").await;
        drop(wire);
        hello
    });
    set.unwrap_err();
    assert_eq!(hello["params"]["capabilities"], json!({}));
    // What it gets when it asks all the same is tested with everything else that is refused.
    drop(connected(json!([])).await);
}

/// Empties the shop.
#[tool_of(destructive, approval_required)]
fn empty() -> String {
    "emptied".to_owned()
}

/// A tool of ours that needs approval over there, used by a client of ours.
async fn emptied(person: Option<Person>) -> (String, bool) {
    let mut registry = ToolRegistry::new();
    registry.register(EmptyTool).unwrap();
    let (near, far) = tokio::io::duplex(4096);
    let (read, write) = tokio::io::split(far);
    tokio::spawn(McpServer::new(registry).serve(ServerTransport::streams(read, write)));
    let (read, write) = tokio::io::split(near);
    let mut builder = McpToolSet::builder(McpTransport::streams(read, write));
    if let Some(person) = person {
        builder = builder.with_elicitation_handler(person);
    }
    let set = builder.connect().await.unwrap();
    let result = set.call("empty", json!({}), &RunContext::new()).await;
    let result = result.unwrap();
    (result.text(), result.is_error)
}

#[tokio::test]
async fn a_tool_that_needs_approval_over_there_runs_once_it_has_it() {
    let person = Person::saying(accept(json!({ "approve": true })));
    assert_eq!(
        emptied(Some(person.clone())).await,
        ("emptied".to_owned(), false)
    );
    assert!(person.asked.lock().unwrap()[0].message.contains("`empty`"));
    for person in [Some(Person::saying(McpElicitationAnswer::Decline)), None] {
        let (text, is_error) = emptied(person).await;
        assert!(is_error && !text.contains("emptied"), "{text}");
    }
}
