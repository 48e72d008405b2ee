//! What a server asks the person behind the host while it works on a call.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt as _;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use crate::clip::clip_chars;
use crate::timeline::visible;

/// More questions at once are nothing that a person answers; they are cancelled.
const MOST_OPEN: usize = 16;
/// More than a person reads.
const MOST_CHARS: usize = 4_000;
/// The largest form that is shown, in bytes.
const LARGEST_SCHEMA: usize = 64 * 1024;

/// What a server asks the person behind the host.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct McpElicitation {
    /// What the host calls the server.
    pub server: String,
    /// The question, in the server's words; clipped, and with what a terminal would obey written out.
    pub message: String,
    /// The schema of the answer: an object of texts, numbers, flags and choices. Its texts are as the server has sent them.
    pub schema: Value,
}

/// What a person says to a server's question.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum McpElicitationAnswer {
    /// The form, filled in.
    Accept(Map<String, Value>),
    /// No.
    Decline,
    /// Nobody has answered.
    Cancel,
}

/// Puts a server's questions to a person, while the call waits.
///
/// The question is the server's: a host shows who asks, and never has a model answer, or itself with a secret. Its future
/// is dropped after a call's [time-out](super::McpLimits::call_timeout), which goes on meanwhile, and as soon as nobody
/// waits for the server any more; the server is told that nobody has answered. What it asks without having been asked for
/// something is never put to anybody.
///
/// ```
/// use tinyagents::async_trait;
/// use tinyagents::mcp::{McpElicitation, McpElicitationAnswer, McpElicitationHandler};
///
/// struct Terminal;
///
/// #[async_trait]
/// impl McpElicitationHandler for Terminal {
///     async fn elicit(&self, question: McpElicitation) -> McpElicitationAnswer {
///         println!("{} asks: {}", question.server, question.message);
///         // … and the answer is read here.
///         McpElicitationAnswer::Decline
///     }
/// }
/// ```
#[async_trait]
pub trait McpElicitationHandler: Send + Sync {
    /// Has the question answered. Dropped when the question is given up.
    async fn elicit(&self, question: McpElicitation) -> McpElicitationAnswer;
}

/// The way to the person, for one server.
#[derive(Clone)]
pub(super) struct Questions {
    server: String,
    handler: Arc<dyn McpElicitationHandler>,
    places: Arc<Semaphore>,
    /// No question is open for longer: the call that it is about is over then, and its place is another one's.
    timeout: Duration,
}

impl Questions {
    pub(super) fn new(
        server: String,
        handler: Arc<dyn McpElicitationHandler>,
        timeout: Duration,
    ) -> Self {
        Self {
            server,
            handler,
            places: Arc::new(Semaphore::new(MOST_OPEN)),
            timeout,
        }
    }

    pub(super) async fn ask(&self, asked: ElicitRequestParams) -> ElicitResult {
        let answer = match (self.question(asked), self.places.try_acquire()) {
            (Some(question), Ok(_place)) => self.put(question).await,
            _ => McpElicitationAnswer::Cancel,
        };
        match answer {
            McpElicitationAnswer::Accept(form) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(form))
            }
            McpElicitationAnswer::Decline => ElicitResult::new(ElicitationAction::Decline),
            McpElicitationAnswer::Cancel => ElicitResult::new(ElicitationAction::Cancel),
        }
    }

    /// The handler is the host's code: whatever becomes of it, the server gets its answer.
    async fn put(&self, question: McpElicitation) -> McpElicitationAnswer {
        let answer = AssertUnwindSafe(async { self.handler.elicit(question).await }).catch_unwind();
        match tokio::time::timeout(self.timeout, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => {
                tracing::error!(server = %self.server, "the handler of a server's question panicked");
                McpElicitationAnswer::Cancel
            }
            Err(_) => McpElicitationAnswer::Cancel,
        }
    }

    /// Only forms were offered to the server.
    fn question(&self, asked: ElicitRequestParams) -> Option<McpElicitation> {
        let ElicitRequestParams::FormElicitationParams {
            message,
            requested_schema,
            ..
        } = asked
        else {
            return None;
        };
        let schema = serde_json::to_value(requested_schema).ok()?;
        (schema.to_string().len() <= LARGEST_SCHEMA).then(|| McpElicitation {
            server: self.server.clone(),
            message: visible(&clip_chars(&message, MOST_CHARS), true),
            schema,
        })
    }
}

impl fmt::Debug for Questions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Questions")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
