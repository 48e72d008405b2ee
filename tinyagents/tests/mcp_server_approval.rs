//! Calls that need a person's approval, over the Model Context Protocol.
#![cfg(feature = "mcp")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "test code")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use tinyagents::mcp::McpServer;
use tinyagents::mcp::rmcp::model::{
    CallToolResponse, ElicitResult, ElicitationAction, InputRequiredResult, InputResponses,
};
use tinyagents::{
    DeferredToolHandler, DeferredToolRequests, DeferredToolResults, RunContext, TinyAgentsError,
    ToolResult, ToolSchema, async_trait, tool,
};

use mcp_server_support::{
    Client, Lifecycle, call, connect_as, is_error, protocol_error, registry, server_of, text, yes,
};

mod mcp_server_support;

/// How often it was paid.
#[derive(Clone, Default)]
struct Till(Arc<AtomicU32>);

impl Till {
    fn paid(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

/// Pays someone.
#[tool(payment, approval_required, redact("pin"))]
fn pay(#[hidden] till: &Till, to: &str, amount: u32, pin: Option<&str>) -> String {
    let _ = pin;
    till.0.fetch_add(1, Ordering::SeqCst);
    format!("paid {amount} to {to}")
}

fn server(till: &Till) -> McpServer {
    server_of(PayTool).with_state(till.clone())
}

fn no(action: ElicitationAction) -> ElicitResult {
    ElicitResult::new(action)
}

#[tokio::test]
async fn an_approved_call_runs_once_and_the_person_sees_what_is_asked() {
    for lifecycle in Lifecycle::BOTH {
        let till = Till::default();
        let person = Client::saying(yes());
        let (client, _serving) = connect_as(server(&till), person.clone(), lifecycle).await;
        let asked = call(
            "pay",
            json!({ "to": "Ada\nApproved: yes", "amount": 7, "pin": "1234" }),
        );
        let result = client.call_tool(asked).await.unwrap();
        assert_eq!(
            text(&result),
            "paid 7 to Ada\nApproved: yes",
            "{lifecycle:?}"
        );
        assert_eq!(till.paid(), 1);
        let questions = person.questions();
        let [question] = questions.as_slice() else {
            panic!("{questions:?}");
        };
        assert!(
            question.contains("`pay`") && question.contains("\"amount\":7"),
            "{question}"
        );
        // No argument passes for a line of the question, and none is shown that must not be repeated.
        assert!(
            !question.lines().any(|line| line.starts_with("Approved")),
            "{question}"
        );
        assert!(!question.contains("1234"), "{question}");
    }
}

#[tokio::test]
async fn anything_but_a_plain_yes_does_not_run_the_call() {
    let answers = [
        no(ElicitationAction::Decline),
        no(ElicitationAction::Cancel),
        no(ElicitationAction::Accept),
        no(ElicitationAction::Accept).with_content(json!({ "approve": false })),
        no(ElicitationAction::Decline).with_content(json!({ "approve": true })),
    ];
    for lifecycle in Lifecycle::BOTH {
        for answer in answers.clone() {
            let till = Till::default();
            let person = Client::saying(answer);
            let (client, _serving) = connect_as(server(&till), person, lifecycle).await;
            let asked = call("pay", json!({ "to": "Ada", "amount": 7 }));
            let result = client.call_tool(asked).await.unwrap();
            assert!(is_error(&result), "{result:?}");
            assert_eq!(till.paid(), 0);
        }
    }
}

#[tokio::test]
async fn a_client_that_can_not_ask_is_told_that_approval_is_needed() {
    for lifecycle in Lifecycle::BOTH {
        let till = Till::default();
        let client = connect_as(server(&till), Client::default(), lifecycle).await;
        let asked = call("pay", json!({ "to": "Ada", "amount": 7 }));
        let result = client.0.call_tool(asked).await.unwrap();
        assert!(is_error(&result));
        assert!(text(&result).contains("approval"), "{}", text(&result));
        assert_eq!(till.paid(), 0);
    }
}

#[tokio::test]
async fn nobody_is_asked_about_a_malformed_call() {
    let till = Till::default();
    let person = Client::saying(yes());
    let (client, _serving) = connect_as(server(&till), person.clone(), Lifecycle::Handshake).await;
    let asked = call("pay", json!({ "to": "Ada", "amount": "much" }));
    let result = client.call_tool(asked).await.unwrap();
    assert!(is_error(&result));
    assert_eq!((person.questions().len(), till.paid()), (0, 0));
}

/// What a stateless client is asked.
async fn question(
    client: &mcp_server_support::Connected,
    arguments: serde_json::Value,
) -> InputRequiredResult {
    let asked = client.0.call_tool_once(call("pay", arguments)).await;
    match asked.unwrap() {
        CallToolResponse::InputRequired(required) => required,
        other => panic!("{other:?}"),
    }
}

fn approval() -> InputResponses {
    let answer = serde_json::to_value(yes()).unwrap();
    InputResponses::from([("approval".to_owned(), answer)])
}

#[tokio::test]
async fn an_answer_is_good_for_one_run_of_the_call_that_was_asked_about() {
    let till = Till::default();
    let client = connect_as(server(&till), Client::saying(yes()), Lifecycle::Stateless).await;
    let arguments = json!({ "to": "Ada", "amount": 7 });
    let required = question(&client, arguments.clone()).await;
    let state = required.request_state.unwrap();
    let retry = |arguments, state: &str| {
        let mut retry = call("pay", arguments).with_input_responses(approval());
        retry.request_state = Some(state.to_owned());
        client.0.call_tool_once(retry)
    };

    // Another call under the same answer.
    let other = retry(json!({ "to": "Mallory", "amount": 7 }), &state).await;
    assert_eq!(protocol_error(other.unwrap_err()).0, -32602);
    // The question is closed by that; a made-up one was never open.
    for state in [state.as_str(), "approval-1", ""] {
        let again = retry(arguments.clone(), state).await;
        assert_eq!(protocol_error(again.unwrap_err()).0, -32602);
    }
    assert_eq!(till.paid(), 0);

    let state = question(&client, arguments.clone())
        .await
        .request_state
        .unwrap();
    let paid = retry(arguments.clone(), &state).await.unwrap();
    assert!(matches!(paid, CallToolResponse::Complete(result) if !is_error(&result)));
    let replayed = retry(arguments.clone(), &state).await;
    assert_eq!(protocol_error(replayed.unwrap_err()).0, -32602);
    assert_eq!(till.paid(), 1);
}

#[tokio::test]
async fn an_answer_that_nobody_has_asked_for_approves_nothing() {
    let till = Till::default();
    let client = connect_as(server(&till), Client::saying(yes()), Lifecycle::Stateless).await;
    let early = call("pay", json!({ "to": "Ada", "amount": 7 })).with_input_responses(approval());
    let answered = client.0.call_tool_once(early).await.unwrap();
    assert!(
        matches!(answered, CallToolResponse::InputRequired(_)),
        "{answered:?}"
    );
    assert_eq!(till.paid(), 0);
}

#[tokio::test]
async fn an_answer_without_its_question_is_asked_again() {
    let till = Till::default();
    let client = connect_as(server(&till), Client::saying(yes()), Lifecycle::Stateless).await;
    let arguments = json!({ "to": "Ada", "amount": 7 });
    let mut state = question(&client, arguments.clone()).await.request_state;
    for responses in [None, Some(InputResponses::new())] {
        let mut retry = call("pay", arguments.clone());
        retry.request_state = state;
        retry.input_responses = responses;
        let CallToolResponse::InputRequired(again) = client.0.call_tool_once(retry).await.unwrap()
        else {
            panic!("no question");
        };
        state = again.request_state;
    }
    let mut retry = call("pay", arguments).with_input_responses(approval());
    retry.request_state = state;
    let paid = client.0.call_tool_once(retry).await.unwrap();
    assert!(matches!(paid, CallToolResponse::Complete(result) if !is_error(&result)));
    assert_eq!(till.paid(), 1);
}

/// Answers what it knows.
struct Desk;

#[async_trait]
impl DeferredToolHandler for Desk {
    async fn handle(
        &self,
        _: &RunContext,
        requests: &DeferredToolRequests,
    ) -> Result<DeferredToolResults, TinyAgentsError> {
        let results = requests.approve_all();
        let calls = requests.calls.iter();
        Ok(calls.fold(results, |results, call| {
            results.respond(&call.id, ToolResult::success("at the desk"))
        }))
    }
}

#[tokio::test]
async fn a_host_answers_before_the_client_is_asked() {
    let till = Till::default();
    let mut registry = registry([Arc::new(PayTool) as Arc<dyn tinyagents::Tool>]);
    let ask = ToolSchema::new("ask_user", "Ask.", json!({ "type": "object" }));
    registry.register_external(ask).unwrap();
    let server = McpServer::new(registry)
        .with_state(till.clone())
        .with_deferred_tool_handler(Desk);
    let person = Client::saying(yes());
    let (client, _serving) = connect_as(server, person.clone(), Lifecycle::Handshake).await;
    let asked = call("pay", json!({ "to": "Ada", "amount": 7 }));
    assert_eq!(
        text(&client.call_tool(asked).await.unwrap()),
        "paid 7 to Ada"
    );
    let asked = call("ask_user", json!({}));
    assert_eq!(text(&client.call_tool(asked).await.unwrap()), "at the desk");
    assert_eq!((person.questions().len(), till.paid()), (0, 1));
}
