//! What tools are called by one provider.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::ToolName;
use crate::model::{Message, ModelRequest, ModelResponse, NameRules, ToolChoice, ToolSchema};
use crate::unique_names::{Naming, unique_names};

/// The names that a provider is told instead of the canonical ones.
///
/// Canonical names fit every provider, so that most need no alias. One is for a provider whose models know a tool by
/// another name; and for names that stand in the history without being canonical: a model has called a tool that there is
/// not, or the transcript comes from elsewhere.
///
/// ```
/// use serde_json::json;
/// use tinyagents::model::{ModelRequest, NameRules};
/// use tinyagents::{Message, ToolAliases, ToolCall, ToolName, ToolSchema};
///
/// let aliases = ToolAliases::new(NameRules::Anthropic)
///     .with_alias(&ToolName::parse("run_command")?, "Bash")?;
/// let call = ToolCall::new("c1", "fs/read", json!({}));
/// let request = ModelRequest::new(vec![Message::assistant_calls("", vec![call])])
///     .with_tools([ToolSchema::new("run_command", "Run it.", json!({ "type": "object" }))]);
///
/// let names = aliases.map(&request);
/// let sent = names.to_provider(request);
/// assert_eq!(sent.tools[0].name, "Bash");
/// assert_eq!(sent.messages[0].tool_calls()[0].name, "fs_read");
/// assert_eq!(names.canonical("Bash"), "run_command");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ToolAliases {
    rules: NameRules,
    /// Canonical name → alias.
    aliases: HashMap<String, String>,
}

/// Why a provider can't be told a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidAlias {
    /// The provider refuses the name.
    #[error("{rules:?} does not take {alias:?} as a tool's name; choose one by its rules")]
    Refused {
        /// The alias.
        alias: String,
        /// The rules it breaks.
        rules: NameRules,
    },
    /// Another tool has the alias.
    #[error("`{alias}` is the alias of `{by}` already; choose another one")]
    Taken {
        /// The alias.
        alias: String,
        /// The canonical name of the tool that has it.
        by: String,
    },
}

impl ToolAliases {
    /// No aliases, for a provider of these rules.
    #[must_use]
    pub fn new(rules: NameRules) -> Self {
        Self {
            rules,
            aliases: HashMap::new(),
        }
    }

    /// Has the provider told `alias` for the tool of a canonical name. A second alias of one tool replaces the first.
    ///
    /// # Errors
    /// Where the provider refuses the alias, or it is another tool's.
    pub fn with_alias(
        mut self,
        canonical: &ToolName,
        alias: impl Into<String>,
    ) -> Result<Self, InvalidAlias> {
        let alias = alias.into();
        if !self.rules.accepts(&alias) {
            return Err(InvalidAlias::Refused {
                alias,
                rules: self.rules,
            });
        }
        let taken = self
            .aliases
            .iter()
            .find(|(other, known)| **known == alias && *canonical != other.as_str());
        if let Some((by, _)) = taken {
            return Err(InvalidAlias::Taken {
                by: by.clone(),
                alias,
            });
        }
        self.aliases.insert(canonical.as_str().to_owned(), alias);
        Ok(self)
    }

    /// The names of everything in a request, both ways. No two get the same name, whatever the history holds.
    #[must_use]
    pub fn map(&self, request: &ModelRequest) -> NameMap {
        let names = names_in(request);
        let aliased: HashMap<String, String> = names
            .iter()
            .filter_map(|name| {
                let alias = self.aliases.get(*name)?;
                Some(((*name).to_owned(), alias.clone()))
            })
            .collect();
        if aliased.is_empty() && names.iter().all(|name| self.rules.accepts(name)) {
            return NameMap::default();
        }
        let taken: Vec<&str> = aliased.values().map(String::as_str).collect();
        let naming = Naming {
            is_kept: &|name| self.rules.accepts(name),
            plain: &|name| plain(name, self.rules),
            max_bytes: self.rules.max_name_bytes(),
        };
        let others = names
            .into_iter()
            .filter(|name| !aliased.contains_key(*name));
        let mut to_provider = unique_names(others, &taken, &naming);
        to_provider.extend(aliased);
        to_provider.retain(|canonical, provider| canonical != provider);
        let to_canonical = to_provider
            .iter()
            .map(|(canonical, provider)| (provider.clone(), canonical.clone()))
            .collect();
        NameMap {
            to_provider,
            to_canonical,
        }
    }
}

/// The names of one request, canonical and as the provider knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameMap {
    to_provider: HashMap<String, String>,
    to_canonical: HashMap<String, String>,
}

impl NameMap {
    /// What the provider calls a tool; the name itself, where there is nothing to change.
    #[must_use]
    pub fn provider<'a>(&'a self, canonical: &'a str) -> &'a str {
        self.to_provider
            .get(canonical)
            .map_or(canonical, String::as_str)
    }

    /// The canonical name of what the provider calls a tool; the name itself, where there is nothing to change.
    #[must_use]
    pub fn canonical<'a>(&'a self, provider: &'a str) -> &'a str {
        self.to_canonical
            .get(provider)
            .map_or(provider, String::as_str)
    }

    /// The request in the provider's names: declarations, history and tool choice.
    #[must_use]
    pub fn to_provider(&self, mut request: ModelRequest) -> ModelRequest {
        if self.to_provider.is_empty() {
            return request;
        }
        if request
            .tools
            .iter()
            .any(|tool| self.to_provider.contains_key(&tool.name))
        {
            let renamed: Arc<[ToolSchema]> = request
                .tools
                .iter()
                .map(|tool| ToolSchema {
                    name: self.provider(&tool.name).to_owned(),
                    ..tool.clone()
                })
                .collect();
            request.tools = renamed;
        }
        for message in &mut request.messages {
            rename(message, &self.to_provider);
        }
        if let ToolChoice::Tool(name) = &mut request.tool_choice {
            rename_one(name, &self.to_provider);
        }
        request
    }

    /// The response in canonical names.
    #[must_use]
    pub fn to_canonical(&self, mut response: ModelResponse) -> ModelResponse {
        for call in &mut response.message.tool_calls {
            rename_one(&mut call.name, &self.to_canonical);
        }
        response
    }
}

fn rename(message: &mut Message, names: &HashMap<String, String>) {
    match message {
        Message::Assistant(message) => {
            for call in &mut message.tool_calls {
                rename_one(&mut call.name, names);
            }
        }
        Message::Tool(message) => rename_one(&mut message.tool_name, names),
        Message::System(_) | Message::User(_) => {}
    }
}

fn rename_one(name: &mut String, names: &HashMap<String, String>) {
    if let Some(other) = names.get(name.as_str()) {
        name.clone_from(other);
    }
}

/// Every name of a tool in a request, once.
fn names_in(request: &ModelRequest) -> BTreeSet<&str> {
    let mut names: BTreeSet<&str> = request
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    for message in &request.messages {
        names.extend(message.tool_calls().iter().map(|call| call.name.as_str()));
        names.extend(message.as_tool().map(|row| row.tool_name.as_str()));
    }
    if let ToolChoice::Tool(name) = &request.tool_choice {
        names.insert(name);
    }
    // A row that lost its tool's name has none to map; the provider goes by the id.
    names.remove("");
    names
}

/// The name with `_` for each letter that the provider refuses, and for what may not stand first.
fn plain(name: &str, rules: NameRules) -> String {
    let mut plain: String = name
        .chars()
        .map(|letter| {
            if rules.takes_letter(letter) {
                letter
            } else {
                '_'
            }
        })
        .collect();
    if plain.trim_matches('_').is_empty() {
        return String::new();
    }
    if !plain.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        plain.insert(0, '_');
    }
    plain
}
