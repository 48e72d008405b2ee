//! A paused run, to be kept until its answers are there.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::DeferredToolRequests;
use crate::context::{RunContext, RunId, RunScope, ThreadId};
use crate::harness::AgentRun;
use crate::model::Message;

/// The form that this version writes; it reads every older one.
const VERSION: u32 = 2;
/// From this form on a run keeps what held it within its bounds.
const WITH_SCOPE: u32 = 2;

/// A paused run, as it is kept until its answers are there: for days, for another process, on another host.
///
/// It serialises with the version of its form. A form that is newer than this crate is refused by name rather than read
/// in part. It holds the transcript as the model saw it, so keep it as safe as that.
///
/// Kept with it is what bounded the run: its [`AgentDefinition`](crate::AgentDefinition)s, so that no tool comes back that
/// their lists deny, the workspace, the tags, the limits and the bound on output tokens. Not kept is what belongs to a
/// process: provided values, the state, stores, sinks, the ledger, cancellation and the deadline; and whose child the run
/// was. Give [`context`](Self::context) these again.
///
/// ```no_run
/// # async fn later(harness: tinyagents::AgentHarness, text: &str) -> Result<(), Box<dyn std::error::Error>> {
/// use tinyagents::PausedRun;
///
/// let paused: PausedRun = serde_json::from_str(text)?;
/// let results = paused.requests().approve_all();
/// harness.resume_deferred(&(), paused.context(), paused.messages, results).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PausedRun {
    /// The transcript. Its last turn carries the requests.
    pub messages: Vec<Message>,
    /// The run's id: keys of effects and policies hang on it, so the resumed run takes it over.
    pub run_id: Option<RunId>,
    /// The conversation's id.
    pub thread_id: Option<ThreadId>,
    /// Names of tools that a search had promoted.
    pub promoted_tools: Vec<String>,
    pub(super) scope: RunScope,
}

/// What is written, beside the version.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Body {
    messages: Vec<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<RunId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_id: Option<ThreadId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    promoted_tools: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<RunScope>,
}

/// The outside of every version.
#[derive(Serialize, Deserialize)]
#[serde(expecting = "a paused run")]
struct Versioned<T> {
    version: u32,
    #[serde(flatten)]
    body: T,
}

impl PausedRun {
    /// What is kept of a run that waits for answers; `None` for one that doesn't.
    #[must_use]
    pub fn of(run: &AgentRun) -> Option<Self> {
        run.deferred.as_ref()?;
        Some(Self {
            messages: run.messages.clone(),
            run_id: run.run_id.clone(),
            thread_id: run.thread_id.clone(),
            promoted_tools: run.promoted_tools.clone(),
            scope: run.scope.clone(),
        })
    }

    /// What is asked; nothing, if the transcript doesn't say.
    #[must_use]
    pub fn requests(&self) -> DeferredToolRequests {
        let last = self.messages.iter().rev().find_map(Message::as_assistant);
        let requests = last.and_then(|message| message.deferred.as_deref());
        requests.cloned().unwrap_or_default()
    }

    /// A context for the resumed run: under the same ids, within the same bounds, and with the same tools found. What
    /// counts towards its limits begins anew.
    ///
    /// Provided values, the state, stores, sinks and the ledger belong to a process and are not in it: add them. A run that
    /// had an effect ledger is not resumed without one.
    ///
    /// A run that was kept in form 1 has no bounds in it; give it its definition again by
    /// [`with_definition`](RunContext::with_definition).
    #[must_use]
    pub fn context(&self) -> RunContext {
        let mut ctx = RunContext::new().with_scope(self.scope.clone());
        if let Some(run_id) = &self.run_id {
            ctx = ctx.with_run_id(run_id.clone());
        }
        if let Some(thread_id) = &self.thread_id {
            ctx = ctx.with_thread_id(thread_id.clone());
        }
        ctx.with_promoted_tools(&self.promoted_tools)
    }
}

impl Serialize for PausedRun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self {
            messages,
            run_id,
            thread_id,
            promoted_tools,
            scope,
        } = self.clone();
        let body = Body {
            messages,
            run_id,
            thread_id,
            promoted_tools,
            scope: Some(scope),
        };
        let version = VERSION;
        Versioned { version, body }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PausedRun {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;

        // The version is looked at before anything else: a newer form may look quite different.
        let Versioned { version, body } =
            Versioned::<Map<String, Value>>::deserialize(deserializer)?;
        if version == 0 || version > VERSION {
            return Err(D::Error::custom(format!(
                "a paused run of version {version}; this version of tinyagents reads 1 to {VERSION}"
            )));
        }
        let Body {
            messages,
            run_id,
            thread_id,
            promoted_tools,
            scope,
        } = serde_json::from_value(body.into()).map_err(D::Error::custom)?;
        // Without it the run would come back unbounded.
        let scope = match scope {
            Some(scope) => scope,
            None if version < WITH_SCOPE => RunScope::default(),
            None => return Err(D::Error::missing_field("scope")),
        };
        Ok(Self {
            messages,
            run_id,
            thread_id,
            promoted_tools,
            scope,
        })
    }
}
