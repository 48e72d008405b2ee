//! What the runtime asks of a model.

use std::sync::Arc;

use async_trait::async_trait;

use super::{ModelError, ModelProfile, ModelRequest, ModelResponse};

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

    fn profile(&self) -> ModelProfile {
        (**self).profile()
    }
}
