//! One thing that happens in a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tinytools::{ToolErrorClass, ToolProgress};

use crate::toolset::ToolExposureExplanation;

/// One thing that happens in a run.
///
/// Variants and their fields grow: match with `..`. On the wire the `type` is what [`kind`](Self::kind) says. A value
/// that a model forged for a hidden parameter is in no event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum AgentEvent {
    /// The tools of one turn are fixed.
    #[serde(rename = "tools.advertised")]
    ToolsAdvertised {
        /// How many of the model's first request it is shown; the two to search with are not counted.
        direct: usize,
        /// How many it can find by searching.
        deferred: usize,
        /// Bytes of the schemas it is shown.
        schema_bytes: usize,
    },
    /// Tools were taken out of a turn, or are shown otherwise than they are.
    #[serde(rename = "tools.filtered")]
    ToolsFiltered {
        /// The reason, by the tool's canonical name.
        tools: BTreeMap<String, String>,
        /// What toolsets did to the tools, change by change, and which tools no first request shows. Told once, and again
        /// when something changes.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        explanations: Vec<ToolExposureExplanation>,
    },
    /// The model searched for tools.
    #[serde(rename = "tools.searched")]
    ToolSearched {
        /// What it searched for.
        query: String,
        /// Canonical names of the tools it was shown.
        found: Vec<String>,
        /// Why the host's own ranking failed, where it did; words alone decided then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ranker_error: Option<String>,
    },
    /// The model says something: a piece of its answer, as it comes and before any middleware has seen it. Told where the
    /// model [can be heard](crate::ModelProfile::streaming) while it speaks; the transcript gets the whole answer all the
    /// same, and no piece of an answer that breaks off.
    #[serde(rename = "model.delta")]
    ModelDelta {
        /// Which request of the run is answered, counted from 1: with another one, another answer begins.
        request: u32,
        /// Text for a reader, without the markup of calls.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        /// What the model thinks aloud.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reasoning: String,
        /// All the text of this answer before this piece has turned out to be reasoning.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        restarted: bool,
    },
    /// A call begins.
    #[serde(rename = "tool.started")]
    ToolStarted {
        /// The call's id.
        call_id: String,
        /// The tool's canonical name.
        tool_name: String,
    },
    /// A call says how far it is, or hands out a part of its answer.
    #[serde(rename = "tool.progress")]
    ToolProgress {
        /// The call's id.
        call_id: String,
        /// The tool's canonical name.
        tool_name: String,
        /// How far it is.
        progress: ToolProgress,
        /// A part of the answer, in order.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partial_output: Option<String>,
    },
    /// A call is answered.
    #[serde(rename = "tool.completed")]
    ToolCompleted {
        /// The call's id.
        call_id: String,
        /// The tool's canonical name.
        tool_name: String,
        /// Time from its start to its answer.
        duration_ms: u64,
        /// Bytes of the answer as the model reads it.
        result_bytes: usize,
        /// What the tool had to say to the host alone.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            with = "crate::model::deep_json"
        )]
        metadata: Option<Value>,
    },
    /// A call failed; the model was told.
    #[serde(rename = "tool.failed")]
    ToolFailed {
        /// The call's id.
        call_id: String,
        /// The tool's canonical name.
        tool_name: String,
        /// How the failure is treated.
        class: ToolErrorClass,
        /// The failure, without hidden and redacted values.
        error: String,
        /// Time from its start to its failure.
        duration_ms: u64,
        /// What the tool had to say to the host alone.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            with = "crate::model::deep_json"
        )]
        metadata: Option<Value>,
    },
    /// Content of a result could not be kept in the artifact store; the row has what fits, and no reference.
    #[serde(rename = "artifact.failed")]
    ArtifactFailed {
        /// The call's id.
        call_id: String,
        /// The tool's canonical name.
        tool_name: String,
        /// Bytes of the content.
        bytes: usize,
        /// The store's failure.
        error: String,
    },
    /// A failed attempt will be repeated.
    #[serde(rename = "tool.retried")]
    ToolRetried {
        /// The call's id.
        call_id: String,
        /// The tool's canonical name.
        tool_name: String,
        /// The attempt that failed, counted from 1.
        attempt: u32,
        /// The wait before the next one.
        delay_ms: u64,
    },
    /// A call leaves the loop without an answer.
    #[serde(rename = "tool.deferred")]
    ToolDeferred {
        /// The call's id.
        call_id: String,
        /// Why, such as `approval_required` or `call_deferred`.
        reason: String,
    },
    /// A person approved a call.
    #[serde(rename = "tool.approved")]
    ToolApproved {
        /// The call's id.
        call_id: String,
        /// The tool's canonical name.
        tool_name: String,
    },
    /// A person denied a call.
    #[serde(rename = "tool.denied")]
    ToolDenied {
        /// The call's id.
        call_id: String,
        /// The tool's canonical name.
        tool_name: String,
        /// What the model is told.
        message: String,
    },
    /// A call of a tool that was not advertised.
    #[serde(rename = "tool.unknown")]
    UnknownToolCall {
        /// The call's id.
        call_id: String,
        /// The name as the model wrote it.
        requested_name: String,
        /// The arguments, verbatim.
        #[serde(with = "crate::model::deep_json")]
        arguments: Value,
        /// What became of it: `tool_error`, `fail` or `rewrite:NAME`.
        recovery: String,
    },
    /// A call whose arguments can't be read, or which the schema refuses.
    #[serde(rename = "tool.invalid_args")]
    InvalidToolArgs {
        /// The call's id.
        call_id: String,
        /// The tool's canonical name.
        tool_name: String,
        /// The arguments, without redacted values.
        #[serde(with = "crate::model::deep_json")]
        arguments: Value,
        /// What is wrong with them.
        error: String,
        /// What became of it: `tool_error`, `fail`, `repaired` or `normalized`.
        recovery: String,
    },
    /// A model gave a value for a hidden parameter; the value was thrown away and is not told here.
    #[serde(rename = "tool.forged_argument")]
    ForgedHiddenArgument {
        /// The call's id.
        call_id: String,
        /// The tool's canonical name.
        tool_name: String,
        /// The hidden parameter.
        parameter: String,
    },
    /// An allow-list or a policy forbids a call.
    #[serde(rename = "tool.not_allowed")]
    ToolNotAllowed {
        /// The call's id.
        call_id: String,
        /// The tool's canonical name.
        tool_name: String,
        /// Which rule forbids it.
        reason: String,
    },
    /// A call that came through the bridge for searched tools.
    #[serde(rename = "tool.bridged")]
    DeferredToolCall {
        /// The call's id.
        call_id: String,
        /// The canonical name of the tool behind it.
        tool_name: String,
    },
    /// A call found in the effect ledger was settled without running again, or was found unsettled.
    #[serde(rename = "tool.effect_reconciled")]
    ToolEffectReconciled {
        /// The call's id.
        call_id: String,
        /// The tool's canonical name.
        tool_name: String,
        /// What was done about it.
        outcome: String,
    },
    /// Something from outside steered the run: a cancellation, a limit, a deadline.
    #[serde(rename = "control.applied")]
    ControlApplied {
        /// What, such as `cancelled`, `deadline` or `limit`.
        control: String,
        /// More about it, for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// What a tool or a host had to say.
    #[serde(rename = "custom")]
    Custom {
        /// The call it was said in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call_id: Option<String>,
        /// The canonical name of the tool that said it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_name: Option<String>,
        /// What was said.
        #[serde(with = "crate::model::deep_json")]
        data: Value,
    },
}

impl AgentEvent {
    /// The event's name, as on the wire.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ToolsAdvertised { .. } => "tools.advertised",
            Self::ToolsFiltered { .. } => "tools.filtered",
            Self::ToolSearched { .. } => "tools.searched",
            Self::ModelDelta { .. } => "model.delta",
            Self::ToolStarted { .. } => "tool.started",
            Self::ToolProgress { .. } => "tool.progress",
            Self::ToolCompleted { .. } => "tool.completed",
            Self::ToolFailed { .. } => "tool.failed",
            Self::ArtifactFailed { .. } => "artifact.failed",
            Self::ToolRetried { .. } => "tool.retried",
            Self::ToolDeferred { .. } => "tool.deferred",
            Self::ToolApproved { .. } => "tool.approved",
            Self::ToolDenied { .. } => "tool.denied",
            Self::UnknownToolCall { .. } => "tool.unknown",
            Self::InvalidToolArgs { .. } => "tool.invalid_args",
            Self::ForgedHiddenArgument { .. } => "tool.forged_argument",
            Self::ToolNotAllowed { .. } => "tool.not_allowed",
            Self::DeferredToolCall { .. } => "tool.bridged",
            Self::ToolEffectReconciled { .. } => "tool.effect_reconciled",
            Self::ControlApplied { .. } => "control.applied",
            Self::Custom { .. } => "custom",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_event_has_its_wire_form() {
        let mut kinds = std::collections::BTreeSet::new();
        for wire in [
            json!({ "type": "tools.advertised", "direct": 2, "deferred": 0, "schema_bytes": 90 }),
            json!({ "type": "tools.filtered", "tools": { "pay": "not allowed" } }),
            json!({
                "type": "tools.filtered",
                "tools": { "pay": "needs approval" },
                "explanations": [{ "change": "approval_required", "tool": "pay" }]
            }),
            json!({ "type": "tools.searched", "query": "pay", "found": ["pay"] }),
            json!({ "type": "tools.searched", "query": "pay", "found": [], "ranker_error": "no model" }),
            json!({ "type": "model.delta", "request": 1, "text": "Four " }),
            json!({ "type": "model.delta", "request": 2, "reasoning": "hm", "restarted": true }),
            json!({ "type": "tool.started", "call_id": "c1", "tool_name": "t" }),
            json!({ "type": "tool.progress", "call_id": "c1", "tool_name": "t", "progress": { "progress": 1.0, "total": 2.0 } }),
            json!({ "type": "tool.progress", "call_id": "c1", "tool_name": "t", "progress": {}, "partial_output": "ab" }),
            json!({ "type": "tool.completed", "call_id": "c1", "tool_name": "t", "duration_ms": 3, "result_bytes": 4 }),
            json!({ "type": "tool.failed", "call_id": "c1", "tool_name": "t", "class": "hard", "error": "no", "duration_ms": 3 }),
            json!({ "type": "artifact.failed", "call_id": "c1", "tool_name": "t", "bytes": 9, "error": "disk full" }),
            json!({ "type": "tool.retried", "call_id": "c1", "tool_name": "t", "attempt": 1, "delay_ms": 200 }),
            json!({ "type": "tool.deferred", "call_id": "c1", "reason": "approval_required" }),
            json!({ "type": "tool.approved", "call_id": "c1", "tool_name": "t" }),
            json!({ "type": "tool.denied", "call_id": "c1", "tool_name": "t", "message": "no" }),
            json!({ "type": "tool.unknown", "call_id": "c1", "requested_name": "x", "arguments": { "a": 1 }, "recovery": "tool_error" }),
            json!({ "type": "tool.invalid_args", "call_id": "c1", "tool_name": "t", "arguments": "{", "error": "cut", "recovery": "tool_error" }),
            json!({ "type": "tool.forged_argument", "call_id": "c1", "tool_name": "t", "parameter": "user" }),
            json!({ "type": "tool.not_allowed", "call_id": "c1", "tool_name": "t", "reason": "policy" }),
            json!({ "type": "tool.bridged", "call_id": "c1", "tool_name": "t" }),
            json!({ "type": "tool.effect_reconciled", "call_id": "c1", "tool_name": "t", "outcome": "answered" }),
            json!({ "type": "control.applied", "control": "cancelled" }),
            json!({ "type": "custom", "call_id": "c1", "tool_name": "t", "data": [1] }),
        ] {
            let event: AgentEvent = serde_json::from_value(wire.clone()).unwrap();
            assert_eq!(serde_json::to_value(&event).unwrap(), wire);
            assert_eq!(event.kind(), wire["type"]);
            kinds.insert(event.kind());
        }
        assert_eq!(kinds.len(), 21);
    }
}
