//! What became of a call that ran.

use tinytools::{ToolErrorClass, ToolResult};

use crate::harness::StopReason;

/// What became of a call that ran: its answer, unless [`Runner::execute`](super::execute::Runner::execute) says that it
/// left the loop. Filled in place, since a result is too large to be handed through every step by value.
#[derive(Default)]
pub(super) struct Execution {
    pub(super) result: ToolResult,
    pub(super) failure: Option<Failure>,
    pub(super) stop: Option<StopReason>,
    /// How often the tool was begun.
    pub(super) attempts: u32,
    /// Something ended the tool before it was done: what it did is not known.
    pub(super) is_interrupted: bool,
}

/// What the host is told of a failure.
pub(super) struct Failure {
    pub(super) class: ToolErrorClass,
    /// What only the host may read; `None` where it is what the model reads.
    pub(super) detail: Option<String>,
}

impl Failure {
    /// The model is told all there is.
    pub(super) fn repairable() -> Self {
        Self {
            class: ToolErrorClass::Repairable,
            detail: None,
        }
    }

    pub(super) fn hard(detail: String) -> Self {
        Self {
            class: ToolErrorClass::Hard,
            detail: Some(detail),
        }
    }
}

impl Execution {
    /// The call failed; `text` is for the model and may not hold a redacted value.
    pub(super) fn fail(&mut self, text: String, class: ToolErrorClass, detail: Option<String>) {
        self.result = ToolResult::error(text);
        self.failure = Some(Failure { class, detail });
    }
}
