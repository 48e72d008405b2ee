//! What `assert_portable` finds.

#![allow(missing_docs, clippy::unwrap_used)]

use serde_json::{Value, json};
use tinytools::testing::{assert_portable, hidden_words};
use tinytools::{Injected, Tool, ToolPolicy, ToolResult, anyhow, async_trait, tool};

struct Vault;

/// Open a door.
#[tool(read_only)]
fn open_door(#[hidden] vault: &Vault, number: u32) -> String {
    let _ = vault;
    number.to_string()
}

/// A tool that is portable but for one thing.
struct Made {
    name: &'static str,
    description: &'static str,
    schema: Value,
    error: &'static str,
}

impl Made {
    fn new() -> Self {
        Self {
            name: "open_door",
            description: "Open a door.",
            schema: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
            error: "no such argument",
        }
    }
}

#[async_trait]
impl Tool for Made {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &str {
        self.description
    }

    fn parameters_schema(&self) -> Value {
        self.schema.clone()
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy::read_only()
    }

    fn injected(&self) -> Vec<Injected> {
        vec![Injected::of::<Vault>("vault")]
    }

    async fn execute(&self, _: Value) -> anyhow::Result<ToolResult> {
        anyhow::bail!(self.error)
    }
}

fn faults(tool: &Made) -> String {
    let asserted = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| assert_portable(tool)));
    *asserted.unwrap_err().downcast::<String>().unwrap()
}

#[test]
fn portable_tools_pass() {
    assert_portable(&OpenDoorTool);
    assert_portable(&Made::new());
}

#[test]
fn every_fault_is_named() {
    let closed = |extra: Value| {
        let mut schema = Made::new().schema;
        schema
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        schema
    };
    let long: &'static str =
        "a_name_of_more_than_sixty_four_bytes_that_no_provider_would_ever_take";
    let cases = [
        (
            Made {
                name: "OpenDoor",
                ..Made::new()
            },
            "not snake_case",
        ),
        (
            Made {
                name: long,
                ..Made::new()
            },
            "not snake_case ASCII of at most 64 bytes",
        ),
        (
            Made {
                name: "tool_search",
                ..Made::new()
            },
            "reserved",
        ),
        (
            Made {
                name: "open_vault",
                description: "Open the vault.",
                ..Made::new()
            },
            "its description shows the hidden `vault`",
        ),
        (
            Made {
                description: " ",
                ..Made::new()
            },
            "its description is blank",
        ),
        (
            Made {
                schema: json!({ "type": "string" }),
                ..Made::new()
            },
            "not of `\"type\": \"object\"`",
        ),
        (
            Made {
                schema: json!({ "type": "object", "properties": {} }),
                ..Made::new()
            },
            "open",
        ),
        (
            Made {
                schema: closed(json!({ "anyOf": [] })),
                ..Made::new()
            },
            "`anyOf` at the root",
        ),
        (
            Made {
                schema: closed(json!({ "$comment": "vault" })),
                ..Made::new()
            },
            "its schema shows the hidden `vault`",
        ),
        (
            Made {
                error: "the Vault is shut",
                ..Made::new()
            },
            "its argument error shows the hidden `Vault`",
        ),
    ];
    for (tool, expected) in cases {
        let faults = faults(&tool);
        assert!(faults.contains(expected), "no {expected:?} in {faults}");
    }
}

#[test]
fn a_hidden_word_is_a_whole_word() {
    let told = |text: &str| hidden_words(&OpenDoorTool, text).collect::<Vec<_>>();
    assert_eq!(told("the vaulting horse, Vaults"), Vec::<String>::new());
    assert_eq!(told("a `Vault`, by its vault."), ["Vault", "vault"]);
}
