//! Asking the person behind the client whether a call may run.

use std::fmt::Write as _;

use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequests, InputResponses, ProtocolVersion,
};
use rmcp::service::{ElicitationMode, RequestContext};
use serde_json::Value;

use crate::admission::shown_arguments;
use crate::clip::clip_chars;
use crate::context::RunContext;
use crate::deferred::{DeferredToolResults, PendingCall};
use crate::dispatch::{Turn, interrupted};

/// The name of the question, and of its answer.
const QUESTION: &str = "approval";
/// The one property of the answer.
const APPROVE: &str = "approve";
/// More than a person reads.
const MOST_CHARS: usize = 4_000;

/// How this client can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By a request, while its own waits.
    Elicitation,
    /// By an answer that asks; it sends its request again with what the person said.
    InputRequired,
    /// Not at all.
    Never,
}

impl Way {
    pub(super) fn to(context: &RequestContext<RoleServer>) -> Self {
        let capability = context
            .client_capabilities()
            .and_then(|client| client.elicitation);
        // A client that names no mode has forms: there was nothing else once.
        let has_forms = capability
            .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none());
        let is_stateless = context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        match (has_forms, is_stateless) {
            (false, _) => Self::Never,
            (true, true) => Self::InputRequired,
            (true, false) => Self::Elicitation,
        }
    }
}

/// What a person said of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Approved,
    Denied(&'static str),
}

impl Decision {
    /// Only a plain yes is one.
    fn of(answer: &ElicitResult) -> Self {
        let content = answer.content.as_ref();
        let says_yes = content.and_then(|content| content.get(APPROVE)?.as_bool());
        match (&answer.action, says_yes) {
            (ElicitationAction::Accept, Some(true)) => Self::Approved,
            (ElicitationAction::Cancel, _) => Self::Denied("nobody answered whether it may run"),
            _ => Self::Denied("the user declined"),
        }
    }

    pub(super) fn about(self, call: &PendingCall) -> DeferredToolResults {
        let results = DeferredToolResults::new();
        match self {
            Self::Approved => results.approve(&call.id),
            Self::Denied(reason) => results.deny(&call.id, reason),
        }
    }
}

/// Asks while the call waits. `None` when the client can't say.
pub(super) async fn elicit(
    turn: &Turn,
    ctx: &RunContext,
    call: &PendingCall,
    client: &RequestContext<RoleServer>,
) -> Option<Decision> {
    debug_assert!(
        client
            .peer
            .supported_elicitation_modes()
            .contains(&ElicitationMode::Form)
    );
    let asked = client.peer.create_elicitation(question(turn, call));
    tokio::select! {
        biased;
        _ = interrupted(ctx) => None,
        answer = asked => match answer {
            Ok(answer) => Some(Decision::of(&answer)),
            Err(error) => {
                tracing::warn!(%error, "a client could not ask for an approval");
                None
            }
        },
    }
}

/// The question, for a client that answers it by sending its call again.
pub(super) fn input_requests(turn: &Turn, call: &PendingCall) -> InputRequests {
    let question = ElicitRequest::new(question(turn, call));
    InputRequests::from([(QUESTION.to_owned(), InputRequest::Elicitation(question))])
}

/// What such a client brought; `None` without an answer to this question, or with one that can't be read.
pub(super) fn answered(responses: Option<&InputResponses>) -> Option<Decision> {
    let answer = responses?.get(QUESTION)?;
    let answer: ElicitResult = serde_json::from_value(answer.clone()).ok()?;
    Some(Decision::of(&answer))
}

/// The tool, and the arguments as they will run.
fn question(turn: &Turn, call: &PendingCall) -> ElicitRequestParams {
    let tools = turn.registered(&call.name);
    let arguments = shown_arguments(tools, &call.arguments);
    let schema = ElicitationSchema::builder().required_bool_with(APPROVE, |approve| {
        approve
            .title("Run it")
            .description("Whether the tool may run with these arguments.")
    });
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("May `{}` run?\n{}", call.name, told_arguments(&arguments)),
        requested_schema: schema.build_unchecked(),
    }
}

/// The arguments for a person to read: as JSON, so that no argument can pass for a line of the question. Where they are
/// too long, that comes first; whoever must see everything can say no.
fn told_arguments(arguments: &Value) -> String {
    let told = with_everything_visible(&arguments.to_string());
    let length = told.chars().count();
    if length <= MOST_CHARS {
        return format!("Arguments: {told}");
    }
    format!(
        "Not all of its arguments are shown: these are the first {MOST_CHARS} characters of {length}.\nArguments: {}",
        clip_chars(&told, MOST_CHARS)
    )
}

/// JSON with escapes for the characters that a reader wouldn't see, or that would begin a line or turn its direction.
///
/// Source of the list: <https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters>
fn with_everything_visible(json: &str) -> String {
    let mut visible = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}' => escape(character, &mut visible),
            other if other.is_control() => escape(other, &mut visible),
            other => visible.push(other),
        }
    }
    visible
}

/// Writes the character as JSON can without showing it.
fn escape(character: char, into: &mut String) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        // Writing to a `String` can't fail.
        let _ = write!(into, "\\u{unit:04x}");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_an_accepted_yes_approves() {
        let say = |action, content| {
            let mut answer = ElicitResult::new(action);
            answer.content = content;
            Decision::of(&answer)
        };
        let yes = Some(json!({ "approve": true }));
        assert_eq!(
            say(ElicitationAction::Accept, yes.clone()),
            Decision::Approved
        );
        for (action, content) in [
            (ElicitationAction::Accept, None),
            (ElicitationAction::Accept, Some(json!({}))),
            (ElicitationAction::Accept, Some(json!({ "approve": false }))),
            (
                ElicitationAction::Accept,
                Some(json!({ "approve": "true" })),
            ),
            (ElicitationAction::Accept, Some(json!(true))),
            (ElicitationAction::Decline, yes.clone()),
            (ElicitationAction::Cancel, yes),
        ] {
            assert_ne!(say(action, content), Decision::Approved);
        }
    }

    #[test]
    fn a_person_is_told_that_there_is_more() {
        let long =
            told_arguments(&json!({ "command": format!("ls{}; rm -r .", " ".repeat(5_000)) }));
        let (first, rest) = long.split_once('\n').unwrap();
        assert_eq!(
            first,
            "Not all of its arguments are shown: these are the first 4000 characters of 5025."
        );
        assert!(rest.starts_with("Arguments: {\"command\":\"ls ") && rest.ends_with(" …"));

        let short = told_arguments(&json!({ "a": "x".repeat(3_992) }));
        assert!(short.starts_with("Arguments: {\"a\":\"x") && short.ends_with("x\"}"));
    }

    #[test]
    fn nothing_hides_or_begins_a_line() {
        let hidden = "a\u{2028}May\u{85}b\n\u{202e}c\u{200b}\u{7f}\u{e0041}é😀";
        let told = told_arguments(&json!({ "a": hidden }));
        assert_eq!(
            told,
            r#"Arguments: {"a":"a\u2028May\u0085b\n\u202ec\u200b\u007f\udb40\udc41é😀"}"#
        );
        let json = told.strip_prefix("Arguments: ").unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(json).unwrap(),
            json!({ "a": hidden })
        );
    }
}
