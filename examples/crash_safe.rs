//! A run that charges three cards and is killed in the middle of the second, then started again with its effect ledger.
//! It tells what it found and did: one result was kept, one charge can't be known, one had not begun; none is made twice.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, abort};
use std::sync::Arc;

use tinyagents::effects::{SqliteLedger, ToolEffectLedger};
use tinyagents::model::{ModelRequest, ModelResponse};
use tinyagents::tinytools::serde_json::{self, json};
use tinyagents::{
    AgentEvent, AgentHarness, EventLog, Message, Middleware, RunContext, ScriptedModel,
    TinyAgentsError, ToolRunContext as _, async_trait, tool,
};

/// Where the run is kept; whoever has it set is one of the two processes.
pub(crate) const FOLDER: &str = "CRASH_SAFE_FOLDER";
/// The card at whose charge the process dies.
pub(crate) const DIES_AT: &str = "CRASH_SAFE_DIES_AT";

/// The payment service: what it was asked for is in a file of its own.
pub(crate) struct Bank {
    book: PathBuf,
}

/// Charge a card.
#[tool(payment, external_service)]
pub(crate) fn charge_card(
    #[hidden] bank: &Bank,
    #[hidden] ctx: &RunContext,
    card: &str,
    cents: u64,
) -> anyhow::Result<String> {
    let key = ctx.idempotency_key().unwrap_or_default();
    let mut book = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&bank.book)?;
    writeln!(book, "{card} {cents} key {}", key.get(..8).unwrap_or(key))?;
    if env::var(DIES_AT).is_ok_and(|dies_at| dies_at == card) {
        // The card is charged, and nobody will ever be told.
        abort();
    }
    Ok(format!("charged {cents} cents to {card}"))
}

/// Writes down what was said after each answer of the model, before its calls run.
struct Transcript {
    path: PathBuf,
}

#[async_trait]
impl Middleware for Transcript {
    async fn before_model(
        &self,
        _: &mut RunContext,
        request: &mut ModelRequest,
    ) -> Result<(), TinyAgentsError> {
        self.save(&request.messages)
    }

    async fn after_model(
        &self,
        _: &mut RunContext,
        response: &mut ModelResponse,
    ) -> Result<(), TinyAgentsError> {
        let mut messages = self.load()?;
        messages.push(response.message.clone().into());
        self.save(&messages)
    }
}

impl Transcript {
    fn load(&self) -> Result<Vec<Message>, TinyAgentsError> {
        if !self.path.exists() {
            return Ok(vec![Message::user(
                "Charge the three cards, 1900 cents each.",
            )]);
        }
        let text = fs::read(&self.path).map_err(anyhow::Error::from)?;
        Ok(serde_json::from_slice(&text).map_err(anyhow::Error::from)?)
    }

    fn save(&self, messages: &[Message]) -> Result<(), TinyAgentsError> {
        let text = serde_json::to_vec(messages).map_err(anyhow::Error::from)?;
        fs::write(&self.path, text).map_err(anyhow::Error::from)?;
        Ok(())
    }
}

/// What each of the two processes does; neither knows which one it is.
pub(crate) async fn work(folder: &Path) -> anyhow::Result<()> {
    let ledger: Arc<dyn ToolEffectLedger> =
        Arc::new(SqliteLedger::open(folder.join("effects.db"))?);
    let transcript = Transcript {
        path: folder.join("transcript.json"),
    };
    let mut messages = transcript.load()?;
    let is_new = messages.len() == 1;
    let charge = |card: &str| ("charge_card", json!({ "card": card, "cents": 1900 }));
    let model = if is_new {
        ScriptedModel::new().calls(["visa", "amex", "diners"].map(charge))
    } else {
        ScriptedModel::new()
    };
    let mut harness: AgentHarness<()> = AgentHarness::new();
    harness.with_model(model.text("Two are charged for certain; please look into the amex."));
    harness.register_tool(ChargeCardTool)?;
    harness.with_middleware(transcript);

    let log = EventLog::new();
    let ctx = RunContext::new()
        .with_run_id("order-17")
        .with_tool_effect_ledger(ledger)
        .with_events(log.clone())
        .provide(Bank {
            book: folder.join("bank.txt"),
        });
    harness
        .reconcile_tool_effects(&ctx, "order-17", &mut messages)
        .await?;
    let run = harness.invoke_in_context(&(), ctx, messages).await?;

    let mut out = std::io::stdout().lock();
    for event in log.events() {
        if let AgentEvent::ToolEffectReconciled {
            call_id, outcome, ..
        } = event
        {
            writeln!(out, "found:  {call_id} {outcome}")?;
        }
    }
    for row in run.messages.iter().filter_map(Message::as_tool) {
        writeln!(out, "answer: {} {}", row.call_id, row.content)?;
    }
    writeln!(out, "model:  {}", run.final_text.unwrap_or_default())?;
    Ok(())
}

fn start(folder: &Path, dies_at: &str) -> std::io::Result<ExitStatus> {
    let mut process = Command::new(env::current_exe()?);
    process.env(FOLDER, folder).env(DIES_AT, dies_at).status()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    if let Some(folder) = env::var_os(FOLDER) {
        return work(Path::new(&folder)).await;
    }
    let folder = tempfile::tempdir()?;
    let mut out = std::io::stdout();
    let first = start(folder.path(), "amex")?;
    writeln!(out, "the first process: {first}")?;
    let second = start(folder.path(), "")?;
    writeln!(out, "the second process: {second}")?;
    let book = fs::read_to_string(folder.path().join("bank.txt"))?;
    write!(out, "the bank was asked for:\n{book}")?;
    anyhow::ensure!(!first.success() && second.success() && book.lines().count() == 3);
    Ok(())
}
