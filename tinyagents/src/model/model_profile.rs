//! What a model can do.

use super::{ModelError, ToolSchema};

/// What a model can do, and what its provider accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts of a model"
)]
pub struct ModelProfile {
    /// Who offers it, by OpenTelemetry's names (`gen_ai.provider.name`), for example `anthropic`. Default: not stated.
    pub provider: Option<String>,
    /// The name that it is asked for by, for `tracing` spans. Default: not stated.
    pub model: Option<String>,
    /// Takes tool declarations and answers with calls. Without it a text dialect is used. Default: `true`.
    pub tool_calling: bool,
    /// Can be held to a tool's schema while it writes. Default: `false`.
    pub strict_schemas: bool,
    /// May make several calls in one turn. Default: `true`.
    pub parallel_calls: bool,
    /// Can be heard while it speaks; a harness then [tells](crate::AgentEvent::ModelDelta) what it says, where a run has
    /// an event sink. Default: `false`.
    pub streaming: bool,
    /// Most tools in one request; one with more is not sent, but fails with
    /// [`ToolsBeyondProfile`](crate::ModelError::ToolsBeyondProfile). Default: 128.
    pub max_tools: Option<usize>,
    /// Most bytes in a tool's description; a request with a longer one fails likewise. Default: no bound.
    pub max_description_bytes: Option<usize>,
    /// Which tool names the provider takes.
    pub name_rules: NameRules,
}

impl Default for ModelProfile {
    fn default() -> Self {
        Self {
            provider: None,
            model: None,
            tool_calling: true,
            strict_schemas: false,
            parallel_calls: true,
            streaming: false,
            max_tools: Some(128),
            max_description_bytes: None,
            name_rules: NameRules::default(),
        }
    }
}

impl ModelProfile {
    /// Says who offers the model, by OpenTelemetry's names.
    #[must_use]
    pub fn with_provider(mut self, provider: impl Into<String>) -> Self {
        self.provider = Some(provider.into());
        self
    }

    /// Sets the name that the model is asked for by.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Says whether the model takes tool declarations.
    #[must_use]
    pub fn with_tool_calling(mut self, tool_calling: bool) -> Self {
        self.tool_calling = tool_calling;
        self
    }

    /// Says whether the model can be held to a schema.
    #[must_use]
    pub fn with_strict_schemas(mut self, strict_schemas: bool) -> Self {
        self.strict_schemas = strict_schemas;
        self
    }

    /// Says whether the model may make several calls in one turn.
    #[must_use]
    pub fn with_parallel_calls(mut self, parallel_calls: bool) -> Self {
        self.parallel_calls = parallel_calls;
        self
    }

    /// Says whether the model can be heard while it speaks.
    #[must_use]
    pub fn with_streaming(mut self, streaming: bool) -> Self {
        self.streaming = streaming;
        self
    }

    /// Sets the most tools in one request.
    #[must_use]
    pub fn with_max_tools(mut self, max_tools: Option<usize>) -> Self {
        self.max_tools = max_tools;
        self
    }

    /// Whether a request may hold these tools.
    pub(crate) fn check_tools(&self, tools: &[ToolSchema]) -> Result<(), ModelError> {
        if let Some(most) = self.max_tools
            && tools.len() > most
        {
            return Err(ModelError::ToolsBeyondProfile(format!(
                "{} of them, where {most} are allowed",
                tools.len()
            )));
        }
        let Some(most) = self.max_description_bytes else {
            return Ok(());
        };
        match tools.iter().find(|tool| tool.description.len() > most) {
            Some(tool) => Err(ModelError::ToolsBeyondProfile(format!(
                "the description of `{}` has {} bytes, where {most} are allowed",
                tool.name,
                tool.description.len()
            ))),
            None => Ok(()),
        }
    }

    /// Sets which tool names the provider takes.
    #[must_use]
    pub fn with_name_rules(mut self, name_rules: NameRules) -> Self {
        self.name_rules = name_rules;
        self
    }
}

/// Which names of tools and ids of calls a provider takes, and how many tools. Every canonical name and every generated id
/// fits all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NameRules {
    /// Letters, digits, `_` and `-`, at most 64; ids of at most 40; 128 tools; descriptions of 1,024.
    #[default]
    OpenAi,
    /// Letters, digits, `_` and `-`, at most 128; ids of these letters, of any length.
    Anthropic,
    /// A letter or `_`, then letters, digits, `_`, `.`, `:` and `-`, at most 64; 512 tools.
    Gemini,
    /// Letters, digits, `_` and `-`, at most 64, in the history too; ids of these letters, at most 64.
    Bedrock,
    /// Letters, digits, `_` and `-`, at most 64; ids of exactly nine letters and digits.
    Mistral,
    /// Letters, digits, `_`, `.` and `-`, at most 128.
    Mcp,
}

impl NameRules {
    /// The rules of every provider.
    pub const ALL: [Self; 6] = [
        Self::OpenAi,
        Self::Anthropic,
        Self::Gemini,
        Self::Bedrock,
        Self::Mistral,
        Self::Mcp,
    ];

    /// Longest name, in bytes.
    #[must_use]
    pub const fn max_name_bytes(self) -> usize {
        match self {
            Self::Anthropic | Self::Mcp => 128,
            Self::OpenAi | Self::Gemini | Self::Bedrock | Self::Mistral => 64,
        }
    }

    /// Most tools of one request; `None` where no bound is known.
    ///
    /// `OpenAI`: openai/openai-openapi#76. Gemini: the text of a 400 error, "At most 512 function declarations can be
    /// specified" (google-gemini/gemini-cli#19083).
    #[must_use]
    pub const fn max_tools(self) -> Option<usize> {
        match self {
            Self::OpenAi => Some(128),
            Self::Gemini => Some(512),
            _ => None,
        }
    }

    /// Most characters of a tool's description; `None` where no bound is known.
    #[must_use]
    pub const fn max_description_chars(self) -> Option<usize> {
        match self {
            Self::OpenAi => Some(1_024),
            _ => None,
        }
    }

    /// Whether the provider takes this name of a tool.
    #[must_use]
    pub fn accepts(self, name: &str) -> bool {
        let starts_well = self != Self::Gemini
            || name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        !name.is_empty()
            && name.len() <= self.max_name_bytes()
            && starts_well
            && name.chars().all(|letter| self.takes_letter(letter))
    }

    pub(crate) fn takes_letter(self, letter: char) -> bool {
        let further = match self {
            Self::OpenAi | Self::Anthropic | Self::Bedrock | Self::Mistral => "_-",
            Self::Gemini => "_.:-",
            Self::Mcp => "_.-",
        };
        letter.is_ascii_alphanumeric() || further.contains(letter)
    }

    /// Whether the provider takes this id of a call.
    #[must_use]
    pub fn accepts_call_id(self, id: &str) -> bool {
        let is_plain = id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        match self {
            Self::OpenAi => (1..=40).contains(&id.len()),
            Self::Anthropic => !id.is_empty() && is_plain,
            Self::Bedrock => (1..=64).contains(&id.len()) && is_plain,
            Self::Mistral => id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            Self::Gemini | Self::Mcp => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_provider_takes_its_own_names() {
        for rules in NameRules::ALL {
            assert!(rules.accepts("get_weather"));
            assert!(!rules.accepts("") && !rules.accepts("a b") && !rules.accepts("ä"));
            assert!(!rules.accepts(&"a".repeat(129)));
        }
        let dotted = NameRules::ALL.map(|rules| rules.accepts("gh.search"));
        assert_eq!(dotted, [false, false, true, false, false, true]);
        assert!(!NameRules::Gemini.accepts("1st") && NameRules::OpenAi.accepts("1st"));
        assert!(NameRules::Anthropic.accepts(&"a".repeat(128)));
    }
    #[test]
    fn each_provider_takes_its_own_ids() {
        for rules in NameRules::ALL {
            assert!(rules.accepts_call_id("a1B2c3D4e"), "{rules:?}");
        }
        let long = "a".repeat(41);
        assert!(!NameRules::OpenAi.accepts_call_id(&long));
        assert!(NameRules::Anthropic.accepts_call_id(&long));
        assert!(!NameRules::Anthropic.accepts_call_id("call.1"));
        assert!(!NameRules::Bedrock.accepts_call_id(""));
        assert!(!NameRules::Mistral.accepts_call_id("call_1234"));
        assert!(!NameRules::Mistral.accepts_call_id("a1B2c3D4"));
    }
}
