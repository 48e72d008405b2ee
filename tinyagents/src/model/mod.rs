//! What is said to a model and what it answers: messages, tool calls, tool schemas, and the model itself.

mod chat_model;
pub(crate) mod deep_json;
mod follow_up;
mod message;
mod model_error;
mod model_profile;
mod model_request;
mod model_response;
mod model_stream;
#[cfg(feature = "openai")]
pub mod openai;
mod plain_json;
mod provider_extras;
mod scripted;
pub(crate) mod strict_json;
mod tool_call;
mod tool_message;
mod tool_schema;

pub use chat_model::ChatModel;
pub use message::{AssistantMessage, Message, SystemMessage, UserMessage};
pub use model_error::ModelError;
pub use model_profile::{ModelProfile, NameRules};
pub use model_request::{ModelRequest, ToolChoice};
pub use model_response::{ModelResponse, Usage};
pub use model_stream::{ModelDelta, ModelStream};
#[cfg(feature = "openai")]
pub use openai::OpenAiModel;
pub use provider_extras::ProviderExtras;
pub use scripted::ScriptedModel;
pub use tool_call::ToolCall;
pub use tool_message::ToolMessage;
pub use tool_schema::{ToolFormat, ToolSchema};

pub(crate) use follow_up::add_follow_up;
