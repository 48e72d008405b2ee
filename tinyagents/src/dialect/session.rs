//! One model call in the dialect of a run.

use std::collections::HashSet;
use std::sync::Arc;

use super::render::speech;
use super::{Dialect, StreamScrubber, ToolDialect, parse_calls};
use crate::model::{Message, ModelProfile, ModelRequest, ModelResponse, ToolSchema};
use crate::prompt_tools;

/// Prepares a request for a model that is spoken to in text, and reads its response.
#[derive(Debug)]
pub(crate) struct Session {
    dialect: Dialect,
    schemas: Arc<[ToolSchema]>,
    known_ids: HashSet<String>,
}

impl Session {
    /// Turns the request into one without tools if the dialect is one of text; else its tools are declared by their JSON
    /// schemas, and their formats kept as metadata.
    pub(crate) fn open(
        preference: ToolDialect,
        profile: &ModelProfile,
        request: &mut ModelRequest,
    ) -> Self {
        let schemas = Arc::clone(&request.tools);
        let dialect = preference.choose(profile, &schemas);
        let mut session = Self {
            dialect,
            schemas,
            known_ids: HashSet::new(),
        };
        let speech = speech(dialect);
        if !speech.is_text() {
            request.keep_formats();
            return session;
        }
        session.known_ids = request
            .messages
            .iter()
            .flat_map(Message::tool_calls)
            .map(|call| call.id.clone())
            .collect();
        let messages = std::mem::take(&mut request.messages);
        let messages = prompt_tools::pair_tool_cycles(messages);
        let messages = speech.history(messages, &session.schemas);
        let messages = prompt_tools::ensure_resolvable_user_turn(messages);
        request.messages =
            prompt_tools::with_tool_instructions(messages, dialect, &session.schemas);
        request.tools = Arc::default();
        session
    }

    /// What holds back the markup of calls while the answer comes, where there may be some.
    pub(crate) fn scrubber(&self) -> Option<StreamScrubber> {
        let is_text = speech(self.dialect).is_text();
        is_text.then(|| StreamScrubber::new(Arc::clone(&self.schemas)))
    }

    /// Makes typed calls of what the model wrote. Calls that its provider brought along stay.
    pub(crate) fn read(&self, response: &mut ModelResponse) {
        if !speech(self.dialect).is_text() {
            return;
        }
        let parsed = parse_calls(&response.message.content, &self.schemas);
        if parsed.calls.is_empty() && parsed.reasoning.is_empty() && parsed.text.is_empty() {
            return;
        }
        response.message.content = parsed.text;
        response
            .message
            .tool_calls
            .extend(parsed.calls.into_iter().map(|mut call| {
                // Some models count their ids anew in every turn; an id names one call of a transcript.
                if self.known_ids.contains(&call.id) {
                    call.id.clear();
                }
                call
            }));
    }
}
