//! Whom a schema is for.

use std::fmt;

use crate::model::NameRules;

/// Whom a tool's schema is sent to, each with a JSON Schema of its own.
///
/// What each of them refuses is listed where it is written down: at the rules of [`lint`](super::lint).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaTarget {
    /// All of the others at once, but for strict mode: what every provider takes.
    #[default]
    Portable,
    /// `OpenAI`'s function calling, and the many endpoints that speak like it.
    OpenAi,
    /// The same with `strict: true`: the model is held to the schema while it writes.
    OpenAiStrict,
    /// Anthropic's Messages API.
    Anthropic,
    /// The Gemini API, by `parameters`. A tool without arguments has to be sent without `parameters`.
    Gemini,
    /// Amazon Bedrock's Converse API: Claude, Nova and others.
    Bedrock,
    /// A client of an MCP server.
    Mcp,
}

impl SchemaTarget {
    /// Every target.
    pub const ALL: [Self; 7] = [
        Self::Portable,
        Self::OpenAi,
        Self::OpenAiStrict,
        Self::Anthropic,
        Self::Gemini,
        Self::Bedrock,
        Self::Mcp,
    ];

    /// Which names and ids the provider takes; `None` where it has to be all of them.
    #[must_use]
    pub fn name_rules(self) -> Option<NameRules> {
        match self {
            Self::Portable => None,
            Self::OpenAi | Self::OpenAiStrict => Some(NameRules::OpenAi),
            Self::Anthropic => Some(NameRules::Anthropic),
            Self::Gemini => Some(NameRules::Gemini),
            Self::Bedrock => Some(NameRules::Bedrock),
            Self::Mcp => Some(NameRules::Mcp),
        }
    }

    /// Most tools of one request; `None` where no bound is known.
    #[must_use]
    pub fn max_tools(self) -> Option<usize> {
        match self {
            Self::Portable => NameRules::OpenAi.max_tools(),
            _ => self.name_rules()?.max_tools(),
        }
    }

    /// Most characters of a tool's description; `None` where no bound is known.
    #[must_use]
    pub fn max_description_chars(self) -> Option<usize> {
        match self {
            Self::Portable => NameRules::OpenAi.max_description_chars(),
            _ => self.name_rules()?.max_description_chars(),
        }
    }
}

impl fmt::Display for SchemaTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Portable => "portable",
            Self::OpenAi => "openai",
            Self::OpenAiStrict => "openai_strict",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Bedrock => "bedrock",
            Self::Mcp => "mcp",
        })
    }
}
