//! What an endpoint says when it gives no answer.

use std::time::Duration;

use serde_json::Value;

use super::json::as_text;
use super::secrets::Secrets;
use crate::clip::clip_bytes;
use crate::model::ModelError;

/// Most bytes of a message that are repeated.
const MAX_MESSAGE: usize = 1_024;

/// A failure as it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure<'a> {
    /// The status; within an answer that began well, none.
    pub(super) status: Option<u16>,
    /// The body, or the event.
    pub(super) body: &'a Value,
    pub(super) retry_after: Option<Duration>,
    /// Whether the request declared tools.
    pub(super) has_tools: bool,
}

impl Failure<'_> {
    /// What a caller can do something about.
    pub(super) fn into_error(self, secrets: &Secrets) -> ModelError {
        let Details {
            message,
            code,
            status,
        } = Details::of(self.body);
        // What an event says of its status stands in for the status line it has none of.
        let status = self.status.or(status).unwrap_or(500);
        let lower = message.to_lowercase();
        let message = clip_bytes(&secrets.scrub(&message), MAX_MESSAGE);
        if is_too_long(&code, &lower) {
            return ModelError::ContextLength(message);
        }
        if self.has_tools && status != 401 && status != 429 && is_without_tools(&lower) {
            return ModelError::ToolsUnsupported;
        }
        match status {
            401 | 403 => ModelError::Unauthorized(message),
            404 => ModelError::NotFound(message),
            // Waiting doesn't pay the bill.
            429 if code.contains("insufficient_quota") => ModelError::Refused(message),
            429 => ModelError::RateLimited {
                message,
                retry_after: self.retry_after,
            },
            408 | 409 | 425 | 500 | 502.. => ModelError::Unavailable {
                source: anyhow::anyhow!("status {status}: {message}"),
                retry_after: self.retry_after,
            },
            _ => ModelError::Refused(message),
        }
    }
}

/// What the many shapes of an error have in common.
#[derive(Debug, Default)]
struct Details {
    message: String,
    /// Code and type.
    code: String,
    status: Option<u16>,
}

impl Details {
    fn of(body: &Value) -> Self {
        let body = body.get(0).unwrap_or(body);
        let error = body.get("error").unwrap_or(body);
        let field = |name: &str| error.get(name).and_then(as_text);
        let message = match error {
            Value::String(text) => text.clone(),
            error => field("message")
                .or_else(|| field("detail"))
                .unwrap_or_else(|| error.to_string()),
        };
        let codes = ["code", "type", "status"].map(|name| field(name).unwrap_or_default());
        let status = codes.iter().find_map(|code| code.parse().ok());
        Self {
            message,
            code: codes.join(" "),
            status: status.filter(|status| (400..600).contains(status)),
        }
    }
}

fn is_too_long(code: &str, message: &str) -> bool {
    const CODES: [&str; 2] = ["context_length_exceeded", "exceed_context_size"];
    const PHRASES: [&str; 6] = [
        "maximum context length",
        "maximum model length",
        "context window",
        "available context size",
        "exceeds the context",
        "prompt is too long",
    ];
    CODES.iter().any(|known| code.contains(known))
        || PHRASES.iter().any(|phrase| message.contains(phrase))
}

/// Whether the endpoint says that it can't be given tools at all, and not that it dislikes something about these.
fn is_without_tools(message: &str) -> bool {
    const ABOUT_THESE: [&str; 6] = [
        "schema",
        "parameters",
        "parallel_tool_calls",
        "strict",
        "tool_choice",
        "tools[",
    ];
    const REFUSALS: [&str; 6] = [
        "not support",
        "unsupported",
        "support tool use",
        "not available",
        // How two servers say what they would have to be started with.
        "--jinja",
        "--enable-auto-tool-choice",
    ];
    let is_about_tools = ["tool", "function call"]
        .iter()
        .any(|word| message.contains(word));
    is_about_tools
        && REFUSALS.iter().any(|refusal| message.contains(refusal))
        && !ABOUT_THESE.iter().any(|word| message.contains(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn error(status: u16, body: &Value) -> ModelError {
        let failure = Failure {
            status: Some(status),
            body,
            retry_after: Some(Duration::from_secs(3)),
            has_tools: true,
        };
        failure.into_error(&Secrets::default())
    }

    fn with_message(message: &str) -> Value {
        json!({ "error": { "message": message, "type": "invalid_request_error", "code": null } })
    }

    #[test]
    fn each_status_is_what_a_caller_can_do_something_about() {
        let body = with_message("No.");
        assert!(matches!(error(401, &body), ModelError::Unauthorized(m) if m == "No."));
        assert!(matches!(error(403, &body), ModelError::Unauthorized(_)));
        assert!(matches!(error(404, &body), ModelError::NotFound(_)));
        assert!(matches!(error(400, &body), ModelError::Refused(_)));
        assert!(matches!(error(422, &body), ModelError::Refused(_)));
        assert!(matches!(error(501, &body), ModelError::Refused(_)));
        let wait = Duration::from_secs(3);
        assert!(matches!(
            error(429, &body),
            ModelError::RateLimited { retry_after: Some(after), .. } if after == wait
        ));
        for status in [408, 500, 502, 503, 529] {
            assert!(matches!(
                error(status, &body),
                ModelError::Unavailable { retry_after: Some(after), .. } if after == wait
            ));
        }
        let broke = json!({ "error": { "message": "Pay.", "code": "insufficient_quota" } });
        assert!(matches!(error(429, &broke), ModelError::Refused(_)));
    }

    #[test]
    fn every_shape_of_an_error_is_read() {
        for body in [
            json!({ "error": { "message": "boom" } }),
            json!({ "error": "boom" }),
            json!({ "message": "boom", "object": "error", "code": 400 }),
            json!({ "detail": "boom" }),
            json!([{ "error": { "message": "boom", "code": 400, "status": "INVALID_ARGUMENT" } }]),
            json!("boom"),
        ] {
            assert!(
                matches!(error(400, &body), ModelError::Refused(m) if m == "boom"),
                "{body}"
            );
        }
    }

    #[test]
    fn a_transcript_that_is_too_long_is_told_apart() {
        for (status, body) in [
            (
                400,
                json!({ "error": { "message": "Too much.", "code": "context_length_exceeded" } }),
            ),
            (
                400,
                with_message("This model's maximum context length is 8192 tokens."),
            ),
            (
                500,
                with_message("the request exceeds the available context size, try increasing it"),
            ),
            (
                413,
                with_message("The prompt is too long: 9000, model maximum context length: 8192"),
            ),
        ] {
            assert!(
                matches!(error(status, &body), ModelError::ContextLength(_)),
                "{body}"
            );
        }
    }

    #[test]
    fn no_tools_at_all_is_told_from_a_complaint_about_these() {
        for (status, message) in [
            (400, "registry.test/library/gemma:2b does not support tools"),
            (
                400,
                "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
            ),
            (500, "tools param requires --jinja flag"),
            (404, "No endpoints found that support tool use"),
            (400, "`tool calling` is not supported with this model"),
            (400, "Function calling is not supported by this model"),
        ] {
            let error = error(status, &with_message(message));
            assert!(matches!(error, ModelError::ToolsUnsupported), "{message}");
        }
        for message in [
            "Invalid schema for function 'x': `oneOf` is not supported in tools",
            "tools[0].function.parameters: `pattern` is not supported",
            "tool_choice 'required' is not supported",
            "parallel_tool_calls is not supported with this tool",
            "temperature is not supported",
        ] {
            let error = error(400, &with_message(message));
            assert!(matches!(error, ModelError::Refused(_)), "{message}");
        }
    }

    #[test]
    fn an_error_within_a_stream_has_the_status_it_tells_of() {
        let event = |body: &Value| {
            let failure = Failure {
                status: None,
                body,
                retry_after: None,
                has_tools: false,
            };
            failure.into_error(&Secrets::default())
        };
        let body = json!({ "error": { "message": "slow down", "code": 429 } });
        assert!(matches!(event(&body), ModelError::RateLimited { .. }));
        let body = json!({ "error": { "message": "oops", "type": "server_error" } });
        assert!(matches!(event(&body), ModelError::Unavailable { .. }));
    }

    #[test]
    fn a_key_that_is_repeated_is_not_told_and_a_long_message_is_cut() {
        let mut secrets = Secrets::default();
        secrets.add("sk-very-secret");
        let long = format!("sk-very-secret {}", "ä".repeat(4_000));
        let body = with_message(&long);
        let failure = Failure {
            status: Some(401),
            body: &body,
            retry_after: None,
            has_tools: false,
        };
        let text = failure.into_error(&secrets).to_string();
        assert!(
            text.contains("[redacted]") && !text.contains("secret"),
            "{text}"
        );
        assert!(text.len() < 1_300);
    }
}
