//! Hooks around the agent, the model and every tool call, and the ones that come with the crate.

mod contextual_tool_selection;
mod decision;
mod dynamic_tool_selection;
mod gate;
mod hooks;
mod human_approval;
mod next;
mod policy_rules;
mod redaction;
mod stack;
mod told_mask;
mod tool_allowlist;
mod tool_policy;

pub use contextual_tool_selection::ContextualToolSelectionMiddleware;
pub use decision::ToolDecision;
pub use dynamic_tool_selection::DynamicToolSelectionMiddleware;
pub use hooks::Middleware;
pub use human_approval::{ApprovalOutcome, HumanApprovalMiddleware};
pub use next::{NextAgent, NextModel, NextTool};
pub use redaction::RedactionMiddleware;
pub use stack::MiddlewareStack;
pub use tool_allowlist::ToolAllowlistMiddleware;
pub use tool_policy::ToolPolicyMiddleware;

pub(crate) use next::{Core, Onion};
pub(crate) use stack::HookFailure;
pub(crate) use told_mask::ToldMask;
