//! Hooks around the agent, the model and every tool call.

mod decision;
mod hooks;
mod stack;

pub use decision::ToolDecision;
pub use hooks::Middleware;
pub use stack::MiddlewareStack;
