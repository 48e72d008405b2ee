//! A model that says what it was told to say.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::Value;

use super::{
    AssistantMessage, ChatModel, ModelError, ModelProfile, ModelRequest, ModelResponse, ToolCall,
};

/// A deterministic model for tests and examples: each request takes the next turn of its script.
///
/// Calls get the ids `call-1`, `call-2`, … over the whole script. Clones share the place in the script and the record
/// of requests, so keep one to look at [`requests`](Self::requests) after the run.
///
/// ```
/// use serde_json::json;
/// use tinyagents::ScriptedModel;
///
/// let model = ScriptedModel::new()
///     .call("weather", json!({ "city": "Oslo" }))
///     .text("Four degrees in Oslo.");
/// assert_eq!(model.requests().len(), 0);
/// ```
#[derive(Clone, Debug)]
pub struct ScriptedModel {
    turns: Vec<Turn>,
    calls: usize,
    profile: ModelProfile,
    played: Arc<Mutex<Vec<ModelRequest>>>,
}

#[derive(Clone, Debug)]
enum Turn {
    Answer(AssistantMessage),
    Failure(String),
}

impl Default for ScriptedModel {
    fn default() -> Self {
        Self {
            turns: Vec::new(),
            calls: 0,
            profile: ModelProfile::default().with_max_tools(None),
            played: Arc::default(),
        }
    }
}

impl ScriptedModel {
    /// A model with nothing to say yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One turn with one call.
    #[must_use]
    pub fn call(self, name: impl Into<String>, arguments: Value) -> Self {
        self.calls([(name, arguments)])
    }

    /// One turn with several calls.
    #[must_use]
    pub fn calls<N: Into<String>>(mut self, calls: impl IntoIterator<Item = (N, Value)>) -> Self {
        let calls = calls
            .into_iter()
            .map(|(name, arguments)| ToolCall::new(self.next_id(), name, arguments))
            .collect();
        self.message(AssistantMessage::default().with_tool_calls(calls))
    }

    /// One turn with one call, its arguments as a gateway sent them.
    #[must_use]
    pub fn raw_call(mut self, name: impl Into<String>, arguments: impl AsRef<str>) -> Self {
        let call = ToolCall::from_text(self.next_id(), name, arguments);
        self.message(AssistantMessage::default().with_tool_calls(vec![call]))
    }

    /// One turn of text.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.message(AssistantMessage::new(text))
    }

    /// One turn of any kind, ids as they are.
    #[must_use]
    pub fn message(mut self, message: AssistantMessage) -> Self {
        self.turns.push(Turn::Answer(message));
        self
    }

    /// One turn in which the endpoint refuses the request.
    #[must_use]
    pub fn failure(mut self, reason: impl Into<String>) -> Self {
        self.turns.push(Turn::Failure(reason.into()));
        self
    }

    /// Sets what the model claims to be able to do. Default: [`ModelProfile::default`], but with any number of tools.
    #[must_use]
    pub fn with_profile(mut self, profile: ModelProfile) -> Self {
        self.profile = profile;
        self
    }

    /// Every request so far, those beyond the end of the script included.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.played().clone()
    }

    fn next_id(&mut self) -> String {
        self.calls += 1;
        format!("call-{}", self.calls)
    }

    fn played(&self) -> MutexGuard<'_, Vec<ModelRequest>> {
        self.played.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ChatModel for ScriptedModel {
    async fn complete(&self, request: ModelRequest) -> Result<ModelResponse, ModelError> {
        let turn = {
            let mut played = self.played();
            played.push(request);
            played.len()
        };
        match self.turns.get(turn - 1) {
            Some(Turn::Answer(message)) => Ok(ModelResponse::new(message.clone())),
            Some(Turn::Failure(reason)) => Err(ModelError::Refused(reason.clone())),
            None => Err(ModelError::ScriptEnded {
                turn,
                length: self.turns.len(),
            }),
        }
    }

    fn profile(&self) -> ModelProfile {
        self.profile.clone()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Message;

    async fn ask(model: &ScriptedModel) -> Result<ModelResponse, ModelError> {
        model
            .complete(ModelRequest::new(vec![Message::user("go")]))
            .await
    }

    #[tokio::test]
    async fn turns_are_played_in_order_with_ids_over_the_script() {
        let model = ScriptedModel::new()
            .call("a", json!({}))
            .calls([("b", json!({ "n": 1 })), ("c", json!({ "n": 2 }))])
            .raw_call("d", "{n:1}")
            .text("done");
        let mut ids = Vec::new();
        for _ in 0..3 {
            let response = ask(&model).await.unwrap();
            ids.extend(
                response
                    .message
                    .tool_calls
                    .into_iter()
                    .map(|call| (call.id, call.name)),
            );
        }
        let expected = [
            ("call-1", "a"),
            ("call-2", "b"),
            ("call-3", "c"),
            ("call-4", "d"),
        ];
        assert_eq!(
            ids,
            expected.map(|(id, name)| (id.to_owned(), name.to_owned()))
        );
        assert_eq!(ask(&model).await.unwrap().text(), "done");
        assert_eq!(model.requests().len(), 4);
    }

    #[tokio::test]
    async fn a_raw_call_keeps_what_could_not_be_read() {
        let model = ScriptedModel::new().raw_call("d", "{n:1}");
        let call = ask(&model).await.unwrap().message.tool_calls.remove(0);
        assert_eq!(call.arguments, json!("{n:1}"));
        assert!(call.invalid.is_some());
    }

    #[tokio::test]
    async fn the_end_of_the_script_is_an_error_that_names_the_turn() {
        let model = ScriptedModel::new().text("only");
        ask(&model).await.unwrap();
        let error = ask(&model.clone()).await.unwrap_err();
        assert!(matches!(
            error,
            ModelError::ScriptEnded { turn: 2, length: 1 }
        ));
        assert!(error.to_string().contains("no turn 2"));
    }

    #[tokio::test]
    async fn a_failure_is_told() {
        let model = ScriptedModel::new().failure("quota");
        assert!(matches!(ask(&model).await, Err(ModelError::Refused(reason)) if reason == "quota"));
    }
}
