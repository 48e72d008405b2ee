//! An agent product in small: a host that re-exports the trait, attaches prices of its own to its tools, lists them in one
//! function, registers them as a group at start-up, and drives its own loop through the `Dispatcher`, billing what ran.

use std::io::{self, Write};

use tinyagents::model::{ChatModel, Message, ModelRequest, ScriptedModel};
use tinyagents::{AgentDefinition, Dispatcher, RunContext, ToolGroup, ToolRegistry};

use product::Price;

/// What the product's other crates see: the trait under the product's own name, and the data it adds.
mod product {
    pub(crate) use tinytools::Tool as ProductTool;

    /// What one call costs. The runtime carries it through untouched; only this host knows what it means.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct Price {
        pub(crate) credits: u32,
    }

    /// What the host hands to a tool when a call is billed.
    pub(crate) struct Receipt {
        pub(crate) credits: u32,
    }
}

/// The product's tools; every one is in the list below.
pub(crate) mod catalogue {
    use std::any::Any;
    use std::sync::Arc;

    use tinytools::serde_json::{Value, json};
    use tinytools::{Tool, ToolPolicy, ToolResult, anyhow, async_trait};

    use super::product::{Price, ProductTool, Receipt};

    /// Every tool of the product.
    pub(crate) fn all_tools() -> Vec<Arc<dyn ProductTool>> {
        vec![
            Arc::new(Translate {
                price: Price { credits: 2 },
            }),
            Arc::new(Count {
                price: Price { credits: 1 },
            }),
            Arc::new(Wipe),
        ]
    }

    /// Translates single words.
    struct Translate {
        price: Price,
    }

    #[async_trait]
    impl ProductTool for Translate {
        fn name(&self) -> &'static str {
            "translate"
        }

        fn description(&self) -> &'static str {
            "Translate an English word to Norwegian."
        }

        fn parameters_schema(&self) -> Value {
            json!({
                "type": "object",
                "properties": { "word": { "type": "string", "minLength": 1 } },
                "required": ["word"],
                "additionalProperties": false
            })
        }

        fn policy(&self) -> ToolPolicy {
            ToolPolicy::read_only()
        }

        fn host_extension(&self) -> Option<&(dyn Any + Send + Sync)> {
            Some(&self.price)
        }

        fn host_call_extension(&self, data: &(dyn Any + Send + Sync)) -> Option<ToolResult> {
            let receipt: &Receipt = data.downcast_ref()?;
            let text = format!("translation: {} credits", receipt.credits);
            Some(ToolResult::success(text))
        }

        async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
            Ok(match args["word"].as_str() {
                Some("bread") => ToolResult::success("brød"),
                Some("river") => ToolResult::success("elv"),
                _ => ToolResult::error("not in the dictionary"),
            })
        }
    }

    /// Counts letters.
    struct Count {
        price: Price,
    }

    #[async_trait]
    impl ProductTool for Count {
        fn name(&self) -> &'static str {
            "count_letters"
        }

        fn description(&self) -> &'static str {
            "Count the letters of a word."
        }

        fn parameters_schema(&self) -> Value {
            json!({
                "type": "object",
                "properties": { "word": { "type": "string" } },
                "required": ["word"]
            })
        }

        fn policy(&self) -> ToolPolicy {
            ToolPolicy::read_only()
        }

        fn host_extension(&self) -> Option<&(dyn Any + Send + Sync)> {
            Some(&self.price)
        }

        async fn execute(&self, args: Value) -> anyhow::Result<ToolResult> {
            let word = args["word"].as_str().unwrap_or_default();
            Ok(ToolResult::success(word.chars().count().to_string()))
        }
    }

    /// Deletes the dictionary; free of charge, and in no agent's list.
    struct Wipe;

    #[async_trait]
    impl Tool for Wipe {
        fn name(&self) -> &'static str {
            "wipe"
        }

        fn description(&self) -> &'static str {
            "Delete the dictionary."
        }

        fn parameters_schema(&self) -> Value {
            json!({ "type": "object" })
        }

        async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
            Ok(ToolResult::success("wiped"))
        }
    }
}

/// The product at work: its tools, and what has been billed.
struct Product {
    registry: ToolRegistry,
    dispatcher: Dispatcher,
    instructions: Option<String>,
}

impl Product {
    /// Start-up: the tools are registered as one group, or the product doesn't start.
    fn start() -> anyhow::Result<Self> {
        let group = ToolGroup::new("dictionary", catalogue::all_tools())
            .with_instructions("Look words up; never guess a translation.");
        let instructions = group.instructions.clone();
        let mut registry = ToolRegistry::new();
        registry.register_group(group)?;
        Ok(Self {
            dispatcher: Dispatcher::new(registry.clone()),
            registry,
            instructions,
        })
    }

    /// What one call of a tool costs, by the data on the tool itself.
    fn price(&self, tool_name: &str) -> Option<Price> {
        let tool = self.registry.get(tool_name)?.tool()?;
        tool.host_extension()?.downcast_ref().copied()
    }

    /// Bills a call that ran, and lets its tool word the receipt if it wants to.
    fn bill(&self, tool_name: &str) -> Option<(u32, String)> {
        let Price { credits } = self.price(tool_name)?;
        let tool = self.registry.get(tool_name)?.tool()?;
        let receipt = product::Receipt { credits };
        let worded = tool.host_call_extension(&receipt);
        let text = worded.map_or_else(
            || format!("{tool_name}: {credits} credits"),
            |result| result.text(),
        );
        Some((credits, text))
    }

    /// The host's own loop: ask, dispatch, bill, until the model answers in words.
    async fn converse(
        &self,
        model: &dyn ChatModel,
        context: &RunContext,
        question: &str,
        out: &mut impl Write,
    ) -> anyhow::Result<()> {
        let mut messages: Vec<Message> = self.instructions.iter().map(Message::system).collect();
        messages.push(Message::user(question));
        let mut total = 0;
        loop {
            let turn = self.dispatcher.turn(context).await?;
            let tools: Vec<_> = turn.schemas().to_vec();
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            writeln!(out, "shown: {}", names.join(", "))?;
            let request = ModelRequest::new(messages.clone()).with_tools(tools);
            let message = model.complete(request).await?.message;
            if message.tool_calls.is_empty() {
                writeln!(out, "answer: {}", message.content)?;
                break;
            }
            let batch = turn.dispatch(&(), context, message.tool_calls).await?;
            for row in &batch.messages {
                writeln!(out, "{}: {}", row.tool_name, row.content)?;
            }
            for (credits, receipt) in batch
                .executed_tools
                .iter()
                .filter_map(|name| self.bill(name))
            {
                total += credits;
                writeln!(out, "billed {receipt}")?;
            }
            messages.push(Message::assistant_calls(message.content, batch.calls));
            messages.extend(batch.messages.into_iter().map(Message::Tool));
            messages.extend(batch.follow_up);
        }
        writeln!(out, "total: {total} credits")?;
        Ok(())
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    run(&mut io::stdout().lock()).await
}

pub(crate) async fn run(out: &mut impl Write) -> anyhow::Result<()> {
    let product = Product::start()?;
    // The agent may use two of the three tools, whatever its model asks for.
    let agent = AgentDefinition::new("translator").with_tools(["translate", "count_letters"]);
    let context = RunContext::new().with_definition(agent);
    let model = ScriptedModel::new()
        .calls([
            (
                "translate",
                tinytools::serde_json::json!({ "word": "bread" }),
            ),
            (
                "count_letters",
                tinytools::serde_json::json!({ "word": "brød" }),
            ),
            ("wipe", tinytools::serde_json::json!({})),
        ])
        .text("Bread is brød, four letters.");
    let question = "What is bread in Norwegian, and how long is the word?";
    product.converse(&model, &context, question, out).await
}
