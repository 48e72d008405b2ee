//! A process that runs effectful tools until it is killed, and the look at what it left.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test code")]

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tinyagents::effects::{LedgerError, ToolEffectLedger, ToolEffectStatus};
use tinyagents::model::{AssistantMessage, ChatModel, ModelError, ModelRequest, ModelResponse};
use tinyagents::runtime::{AgentHarness, RunLimits, RunPolicy, StopReason};
use tinyagents::tinytools::{
    Tool, ToolCallOptions, ToolPolicy, ToolReplay, ToolResult, ToolRunContext, async_trait,
};
use tinyagents::{Message, RunContext, TinyAgentsError, ToolCall};

const RUN: &str = "killed";
/// So often is one run killed before it may come to its end.
const KILLS_PER_RUN: usize = 20;

/// Tells the parent that something is about to happen or has happened.
fn signal() {
    let mut out = std::io::stdout().lock();
    out.write_all(b".\n").and_then(|()| out.flush()).unwrap();
}

/// What a tool does to the world.
#[derive(Clone, Copy, PartialEq)]
enum Effect {
    /// Adds a line; twice is two lines.
    Append,
    /// Makes a file; twice is as once.
    Create,
}

struct Effectful {
    name: &'static str,
    effect: Effect,
    is_concurrent: bool,
    is_blocking: bool,
    folder: PathBuf,
}

#[async_trait]
impl Tool for Effectful {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &'static str {
        "Changes something outside of the ledger."
    }

    fn parameters_schema(&self) -> Value {
        json!({ "type": "object" })
    }

    fn policy(&self) -> ToolPolicy {
        let mut policy = ToolPolicy::classified();
        policy.side_effects.writes_files = true;
        if self.effect == Effect::Create {
            policy.runtime.idempotent = true;
            policy.runtime.replay = ToolReplay::Safe;
        }
        policy
    }

    fn is_blocking(&self) -> bool {
        self.is_blocking
    }

    fn is_concurrency_safe(&self, _: &Value) -> bool {
        self.is_concurrent
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        anyhow::bail!("it needs its key")
    }

    async fn execute_with_context(
        &self,
        _: Value,
        _: ToolCallOptions,
        ctx: Option<&dyn ToolRunContext>,
    ) -> anyhow::Result<ToolResult> {
        let ctx = ctx.unwrap();
        let (key, id) = (ctx.idempotency_key().unwrap(), ctx.call_id().unwrap());
        signal();
        tokio::task::yield_now().await;
        match self.effect {
            Effect::Append => {
                let path = self.folder.join("effects.log");
                let mut log = OpenOptions::new().create(true).append(true).open(path)?;
                log.write_all(line(key, id).as_bytes())?;
            }
            Effect::Create => fs::write(self.folder.join("saved").join(id), key)?,
        }
        signal();
        Ok(ToolResult::success(format!("done {id}")))
    }
}

/// The line of an effect. A kill may cut a write off where one page of the file ends and the next begins, so that lines
/// have a length of which pages are a multiple.
fn line(key: &str, id: &str) -> String {
    let line = format!("{:<255}\n", format!("{key} {id}"));
    assert_eq!(line.len(), 256);
    line
}

/// A model that calls tools without end, or says goodbye, and writes down what was said before it answers.
struct Caller {
    folder: PathBuf,
    is_last: bool,
}

#[async_trait]
impl ChatModel for Caller {
    async fn complete(&self, request: ModelRequest) -> Result<ModelResponse, ModelError> {
        let turns = request.messages.iter().filter_map(Message::as_assistant);
        let turn = turns.count();
        let message = if self.is_last {
            AssistantMessage::new("goodbye")
        } else {
            let names = [
                "append",
                "save",
                "append",
                "append_alone",
                "append_blocking",
                "save",
            ];
            let call = |(number, name): (usize, &&str)| {
                ToolCall::new(format!("t{turn}-{number}"), *name, json!({}))
            };
            AssistantMessage::new("").with_tool_calls(names.iter().enumerate().map(call).collect())
        };
        let mut messages = request.messages.clone();
        messages.push(message.clone().into());
        save(&self.folder, &messages);
        signal();
        Ok(ModelResponse::new(message))
    }
}

fn save(folder: &Path, messages: &[Message]) {
    let new = folder.join("transcript.new");
    fs::write(&new, serde_json::to_vec(messages).unwrap()).unwrap();
    fs::rename(new, folder.join("transcript.json")).unwrap();
}

fn load(folder: &Path) -> Vec<Message> {
    match fs::read(folder.join("transcript.json")) {
        Ok(text) => serde_json::from_slice(&text).unwrap(),
        Err(_) => vec![Message::user("go")],
    }
}

/// Where the child is to work; nothing in a process that nobody means to kill.
pub(crate) fn folder() -> Option<PathBuf> {
    std::env::var_os("TINYAGENTS_KILL_FOLDER").map(PathBuf::from)
}

/// Which of its run's processes this one is, where somebody means to kill it.
#[allow(dead_code, reason = "not every ledger is opened differently each time")]
pub(crate) fn number() -> Option<usize> {
    std::env::var("TINYAGENTS_KILL_NUMBER").ok()?.parse().ok()
}

/// What the process does that is killed.
pub(crate) async fn work(folder: &Path, ledger: Arc<dyn ToolEffectLedger>) {
    let is_last = std::env::var_os("TINYAGENTS_KILL_LAST").is_some();
    let ctx = RunContext::new()
        .with_run_id(RUN)
        .with_tool_effect_ledger(ledger);
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(Caller {
        folder: folder.to_owned(),
        is_last,
    });
    for (name, effect, is_concurrent, is_blocking) in [
        ("append", Effect::Append, true, false),
        ("append_alone", Effect::Append, false, false),
        ("append_blocking", Effect::Append, true, true),
        ("save", Effect::Create, true, false),
    ] {
        let folder = folder.to_owned();
        let tool = Effectful {
            name,
            effect,
            is_concurrent,
            is_blocking,
            folder,
        };
        harness.register_tool(tool).unwrap();
    }
    let limits = RunLimits {
        max_model_calls: u32::MAX,
        max_tool_calls: u32::MAX,
        ..RunLimits::default()
    };
    harness.with_policy(RunPolicy {
        limits,
        ..RunPolicy::default()
    });
    let mut messages = load(folder);
    // Its killed predecessor may still have a lease: nobody can tell a dead host from a silent one.
    while let Err(error) = harness
        .reconcile_tool_effects(&ctx, RUN, &mut messages)
        .await
    {
        let TinyAgentsError::Ledger(error) = error else {
            panic!("{error:?}");
        };
        assert!(
            matches!(error.downcast_ref(), Some(LedgerError::RunHeld { .. })),
            "{error:?}"
        );
        tokio::task::yield_now().await;
    }
    let run = harness.invoke_in_context(&(), ctx, messages).await.unwrap();
    assert_eq!(run.stop, StopReason::Finished);
    save(folder, &run.messages);
}

fn child(folder: &Path) -> Command {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args([
            "child_that_is_killed",
            "--exact",
            "--ignored",
            "--nocapture",
        ])
        .env("TINYAGENTS_KILL_FOLDER", folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    child
}

/// The standard library's own seed of hashers is all the chance this needs.
fn random(below: u64) -> u64 {
    RandomState::new().hash_one(0_u8) % below
}

fn run_and_kill(folder: &Path, number: usize, opening: Duration) {
    let mut child = child(folder)
        .env("TINYAGENTS_KILL_NUMBER", number.to_string())
        .spawn()
        .unwrap();
    // Sometimes while it opens the ledger or reconciles, mostly somewhere in its work.
    let signals = random(60).saturating_sub(10);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut told = lines
        .map_while(Result::ok)
        .filter(|line| line.ends_with('.'));
    let signalled = told.by_ref().take(usize::try_from(signals).unwrap());
    let heard = signalled.count();
    assert_eq!(
        u64::try_from(heard).unwrap(),
        signals,
        "the child died by itself"
    );
    // The instant has to be a random one: this is the one place where a test waits for the clock.
    let longest = if signals == 0 {
        opening
    } else {
        Duration::from_micros(400)
    };
    let micros = u64::try_from(longest.as_micros()).unwrap();
    std::thread::sleep(Duration::from_micros(random(micros)));
    child.kill().unwrap();
    child.wait().unwrap();
    // Not before: a child that can't tell any more would panic instead of being killed.
    drop(told);
}

#[derive(Debug, Default)]
struct Counts {
    calls: usize,
    interrupted_with_effect: usize,
    interrupted_without_effect: usize,
}

async fn check(folder: &Path, ledger: &dyn ToolEffectLedger, counts: &mut Counts) {
    let log = fs::read_to_string(folder.join("effects.log")).unwrap_or_default();
    let mut keys = HashMap::new();
    let mut effects: BTreeMap<&str, usize> = BTreeMap::new();
    for line in log.lines() {
        let (key, id) = line.trim_end().split_once(' ').unwrap();
        assert!(
            keys.insert(key, id).is_none(),
            "the effect of {id} happened twice"
        );
        *effects.entry(id).or_default() += 1;
    }
    let messages = load(folder);
    let mut known = 0;
    for (at, message) in messages.iter().enumerate() {
        let calls = message.tool_calls();
        let rows: Vec<_> = messages[at + 1..]
            .iter()
            .map_while(Message::as_tool)
            .collect();
        let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        let answered: Vec<&str> = rows.iter().map(|row| row.call_id.as_str()).collect();
        if message.as_assistant().is_some() {
            assert_eq!(ids, answered, "every call has one answer, in call order");
        }
        for (call, row) in calls.iter().zip(rows) {
            counts.calls += 1;
            let id = call.id.as_str();
            let recorded = ledger.of_call(RUN, id).await.unwrap();
            assert_eq!(recorded.len(), 1, "{id} is in the ledger once");
            let happened = effects.get(id).copied().unwrap_or_default();
            known += happened;
            match recorded[0].status {
                ToolEffectStatus::Completed => {
                    assert!(
                        !row.is_error && row.content == format!("done {id}"),
                        "{row:?}"
                    );
                    let saved = fs::read_to_string(folder.join("saved").join(id));
                    if call.name == "save" {
                        assert_eq!(saved.unwrap(), recorded[0].key);
                    } else {
                        assert_eq!(happened, 1, "{id} is completed");
                    }
                }
                ToolEffectStatus::Interrupted => {
                    assert_ne!(call.name, "save", "what is safe is run to its end");
                    assert!(
                        row.is_error && row.content.contains("interrupted before settlement"),
                        "{row:?}"
                    );
                    match happened {
                        0 => counts.interrupted_without_effect += 1,
                        _ => counts.interrupted_with_effect += 1,
                    }
                }
                status => panic!("{id} is {status:?}: {row:?}"),
            }
        }
    }
    assert_eq!(
        known,
        keys.len(),
        "every effect belongs to a call of the transcript"
    );
    assert!(ledger.unresolved(RUN).await.unwrap().is_empty());
}

/// Kills `kills` processes, each at a random instant: of one run up to [`KILLS_PER_RUN`], then it may come to its end and
/// is looked at. `TINYAGENTS_KILLS` says how often instead. `open` gives the ledger of a folder, and `opening` is how long
/// a process may need to open it and to reconcile.
pub(crate) async fn kill_again_and_again(
    kills: usize,
    opening: Duration,
    open: impl AsyncFn(&Path) -> Arc<dyn ToolEffectLedger>,
) {
    let wanted = std::env::var("TINYAGENTS_KILLS").ok();
    let kills = wanted.map_or(kills, |kills| kills.parse().unwrap());
    let mut counts = Counts::default();
    let mut left = kills;
    while left > 0 {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("saved")).unwrap();
        for number in 0..left.min(KILLS_PER_RUN) {
            run_and_kill(folder.path(), number, opening);
        }
        left = left.saturating_sub(KILLS_PER_RUN);
        let last = child(folder.path())
            .env("TINYAGENTS_KILL_LAST", "")
            .output()
            .unwrap();
        assert!(last.status.success(), "{last:?}");
        let ledger = open(folder.path()).await;
        check(folder.path(), &*ledger, &mut counts).await;
    }
    println!("{kills} kills: {counts:?}");
    let interrupted = counts.interrupted_with_effect + counts.interrupted_without_effect;
    assert!(interrupted > 0, "the kills hit nothing: {counts:?}");
}
