//! What the runtime asks of a model.

use std::sync::Arc;

use async_trait::async_trait;

use super::{ModelError, ModelProfile, ModelRequest, ModelResponse, ModelStream};

/// A model that can be talked to.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Asks for the next assistant message.
    ///
    /// Dropping the future must end the request. Retries are the model's own affair; the loop asks once.
    ///
    /// # Errors
    /// When there is no usable answer.
    async fn complete(&self, request: ModelRequest) -> Result<ModelResponse, ModelError>;

    /// Asks for the next assistant message, and hands it out while it comes.
    ///
    /// Dropping the future or the stream must end the request. Default: the whole answer of
    /// [`complete`](Self::complete) at once.
    ///
    /// # Errors
    /// When there is no answer. One that breaks off is an error of the stream.
    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, ModelError> {
        Ok(ModelStream::from_response(self.complete(request).await?))
    }

    /// What the model can do. Default: [`ModelProfile::default`].
    fn profile(&self) -> ModelProfile {
        ModelProfile::default()
    }
}

#[async_trait]
impl<T: ChatModel + ?Sized> ChatModel for Arc<T> {
    async fn complete(&self, request: ModelRequest) -> Result<ModelResponse, ModelError> {
        (**self).complete(request).await
    }

    async fn stream(&self, request: ModelRequest) -> Result<ModelStream, ModelError> {
        (**self).stream(request).await
    }

    fn profile(&self) -> ModelProfile {
        (**self).profile()
    }
}
