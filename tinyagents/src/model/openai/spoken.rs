//! How one request speaks of tools: in the endpoint's own way, or in text.

use std::sync::Arc;

use crate::dialect::{Session, StreamScrubber, ToolDialect};
use crate::model::{Message, ModelProfile, ModelRequest, ModelResponse, ToolSchema};
use crate::registry::{NameMap, ToolAliases};

/// How one request speaks of tools, and what its answer means.
#[derive(Debug)]
pub(super) struct Spoken {
    names: NameMap,
    session: Option<Session>,
    /// The tools whose calls are written as text.
    written: Option<Arc<[ToolSchema]>>,
}

impl Spoken {
    /// Puts a request into words that the endpoint takes.
    pub(super) fn open(
        profile: &ModelProfile,
        aliases: &ToolAliases,
        mut request: ModelRequest,
    ) -> (Self, ModelRequest) {
        let is_text = !profile.tool_calling && speaks_of_tools(&request);
        if !is_text {
            request.keep_formats();
        }
        let schemas = Arc::clone(&request.tools);
        let session = is_text.then(|| Session::open(ToolDialect::Auto, profile, &mut request));
        let names = aliases.map(&request);
        let request = names.to_provider(request);
        let spoken = Self {
            names,
            session,
            written: is_text.then_some(schemas),
        };
        (spoken, request)
    }

    /// What holds back the markup of calls, where there may be some.
    pub(super) fn scrubber(&self) -> Option<StreamScrubber> {
        self.written.clone().map(StreamScrubber::new)
    }

    /// The answer with typed calls of canonical names.
    pub(super) fn read(&self, mut response: ModelResponse) -> ModelResponse {
        if let Some(session) = &self.session {
            session.read(&mut response);
        }
        self.names.to_canonical(response)
    }
}

fn speaks_of_tools(request: &ModelRequest) -> bool {
    let is_of_tools =
        |message: &Message| message.as_tool().is_some() || !message.tool_calls().is_empty();
    !request.tools.is_empty() || request.messages.iter().any(is_of_tools)
}
