//! Models behind the Chat Completions interface: OpenAI's own and those of the many servers that speak it (feature `openai`).
//!
//! | server | base URL | key |
//! |---|---|---|
//! | OpenAI | `https://api.openai.com/v1` | `OPENAI_API_KEY` |
//! | [Ollama](https://docs.ollama.com/openai) | `http://localhost:11434/v1` | none |
//! | [LM Studio](https://lmstudio.ai/docs/developer/openai-compat) | `http://localhost:1234/v1` | none |
//! | [llama.cpp](https://github.com/ggml-org/llama.cpp/tree/master/tools/server) (`llama-server --jinja`) | `http://localhost:8080/v1` | what `--api-key` says |
//! | [vLLM](https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html) (`--enable-auto-tool-choice --tool-call-parser …`) | `http://localhost:8000/v1` | what `--api-key` says |
//!
//! ```no_run
//! use tinyagents::model::{ChatModel, ModelRequest, OpenAiModel};
//! use tinyagents::{AgentHarness, Message};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! // With a key of the environment: `OpenAiModel::from_env("gpt-5-mini").build()?`.
//! let model = OpenAiModel::new("http://localhost:11434/v1", "qwen3")?;
//! let mut harness: AgentHarness<()> = AgentHarness::new();
//! harness.with_model(model);
//! # Ok(())
//! # }
//! ```
//!
//! # Tools
//! A model that takes no tools is spoken to in a text [dialect](crate::dialect): where its profile says so
//! ([`tool_calling`](crate::ModelProfile::tool_calling)), and once the endpoint has said so in an error, for as long as the
//! model and its clones live. Arguments that can't be read come as an [`invalid`](crate::ToolCall::invalid) call; one whose
//! answer ran out of tokens before the arguments were complete is invalid too, and is never mended.
//!
//! Tools are declared by their JSON schemas, whatever their [format](crate::ToolFormat). A request's
//! [metadata](crate::model::ModelRequest::metadata), which has the formats, is sent where the completion is stored (the
//! parameter `store`), as far as it fits there; `with_parameter("metadata", Value::Null)` keeps it back.
//!
//! # Failures
//! What may pass ([`Unavailable`](crate::ModelError::Unavailable), [`RateLimited`](crate::ModelError::RateLimited)) is asked
//! again, after the time that the endpoint says or growing ones, as long as the request's deadline leaves time for it; an
//! answer that has begun to be handed out is not. Dropping a future or a stream closes its connection.
//!
//! # Keys
//! Keys, values of headers and the base URL's query are shown by no `Debug` form and no error, even where an endpoint
//! repeats them, and are sent to no other address: redirects are not followed.

mod assembly;
mod builder;
mod call_ids;
mod calls;
mod endpoint;
mod event_stream;
mod failure;
mod hearing;
mod json;
mod live_answer;
mod metadata;
mod open_ai_model;
mod partial_call;
mod piece;
mod request_body;
mod retry;
mod retry_after;
mod secrets;
mod sent_message;
mod spoken;
mod transport;
mod usage;
mod user_content;

pub use builder::OpenAiBuilder;
pub use endpoint::InvalidEndpoint;
pub use open_ai_model::OpenAiModel;
