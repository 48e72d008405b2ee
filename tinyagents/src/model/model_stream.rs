//! An answer while it comes.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::stream::{self, BoxStream, Stream, StreamExt};

use super::{ModelError, ModelResponse};

/// One more piece of an answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelDelta {
    /// Text for a reader.
    Text(String),
    /// What the model thinks aloud.
    Reasoning(String),
    /// The whole answer, calls included; the last piece of every answer that is complete. Where the pieces before it
    /// differ, it is right.
    Done(ModelResponse),
}

/// An answer while it comes: pieces of text, then the whole.
///
/// An error ends it. Dropping it ends the request. Calls are there when the answer is complete and not before, so that
/// half a call can't be run.
///
/// ```
/// use tinyagents::model::{ChatModel, ModelDelta, ModelRequest};
/// use tinyagents::{Message, ScriptedModel};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), tinyagents::model::ModelError> {
/// let model = ScriptedModel::new().text("Four degrees.");
/// let mut answer = model.stream(ModelRequest::new(vec![Message::user("Oslo?")])).await?;
/// while let Some(delta) = answer.next().await {
///     match delta? {
///         ModelDelta::Text(text) => print!("{text}"),
///         ModelDelta::Done(response) => assert_eq!(response.text(), "Four degrees."),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub struct ModelStream {
    deltas: BoxStream<'static, Result<ModelDelta, ModelError>>,
}

impl ModelStream {
    /// An answer from its pieces; the last of them has to be [`Done`](ModelDelta::Done) or an error.
    pub fn new(
        deltas: impl Stream<Item = Result<ModelDelta, ModelError>> + Send + 'static,
    ) -> Self {
        Self {
            deltas: deltas.boxed(),
        }
    }

    /// An answer that is there already.
    #[must_use]
    pub fn from_response(response: ModelResponse) -> Self {
        let reasoning = response.message.reasoning.clone();
        let text = response.message.content.clone();
        let mut deltas = Vec::with_capacity(3);
        if !reasoning.is_empty() {
            deltas.push(Ok(ModelDelta::Reasoning(reasoning)));
        }
        if !text.is_empty() {
            deltas.push(Ok(ModelDelta::Text(text)));
        }
        deltas.push(Ok(ModelDelta::Done(response)));
        Self::new(stream::iter(deltas))
    }

    /// The next piece; `None` after the last.
    pub async fn next(&mut self) -> Option<Result<ModelDelta, ModelError>> {
        self.deltas.next().await
    }

    /// Waits for the whole answer.
    ///
    /// # Errors
    /// The error that ended it, and [`InvalidResponse`](ModelError::InvalidResponse) where it ended without one and
    /// without [`Done`](ModelDelta::Done).
    pub async fn into_response(mut self) -> Result<ModelResponse, ModelError> {
        while let Some(delta) = self.next().await {
            if let ModelDelta::Done(response) = delta? {
                return Ok(response);
            }
        }
        Err(ModelError::broken_off())
    }
}

impl Stream for ModelStream {
    type Item = Result<ModelDelta, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, ctx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.deltas.poll_next_unpin(ctx)
    }
}

impl fmt::Debug for ModelStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelStream").finish_non_exhaustive()
    }
}
