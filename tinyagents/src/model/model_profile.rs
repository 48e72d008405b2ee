//! What a model can do.

/// What a model can do, and what its provider accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelProfile {
    /// Takes tool declarations and answers with calls. Without it a text dialect is used. Default: `true`.
    pub tool_calling: bool,
    /// Can be held to a tool's schema while it writes. Default: `false`.
    pub strict_schemas: bool,
    /// May make several calls in one turn. Default: `true`.
    pub parallel_calls: bool,
    /// Most tools in one request. Default: 128.
    pub max_tools: Option<usize>,
    /// Most bytes in a tool's description. Default: no bound.
    pub max_description_bytes: Option<usize>,
    /// Which tool names the provider takes.
    pub name_rules: NameRules,
}

impl Default for ModelProfile {
    fn default() -> Self {
        Self {
            tool_calling: true,
            strict_schemas: false,
            parallel_calls: true,
            max_tools: Some(128),
            max_description_bytes: None,
            name_rules: NameRules::default(),
        }
    }
}

impl ModelProfile {
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

    /// Sets the most tools in one request.
    #[must_use]
    pub fn with_max_tools(mut self, max_tools: Option<usize>) -> Self {
        self.max_tools = max_tools;
        self
    }

    /// Sets which tool names the provider takes.
    #[must_use]
    pub fn with_name_rules(mut self, name_rules: NameRules) -> Self {
        self.name_rules = name_rules;
        self
    }
}

/// Which tool names a provider takes. Every canonical name fits all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NameRules {
    /// Letters, digits, `_` and `-`, at most 64.
    #[default]
    OpenAi,
    /// Letters, digits, `_` and `-`, at most 128.
    Anthropic,
    /// A letter or `_`, then letters, digits, `_`, `.`, `:` and `-`, at most 64.
    Gemini,
    /// Letters, digits, `_`, `.` and `-`, at most 128.
    Mcp,
}

impl NameRules {
    /// Whether the provider takes this name.
    #[must_use]
    pub fn accepts(self, name: &str) -> bool {
        let (longest, further) = match self {
            Self::OpenAi => (64, "_-"),
            Self::Anthropic => (128, "_-"),
            Self::Gemini => (64, "_.:-"),
            Self::Mcp => (128, "_.-"),
        };
        let starts_well = self != Self::Gemini
            || name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        !name.is_empty()
            && name.len() <= longest
            && starts_well
            && name
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || further.contains(letter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_provider_takes_its_own_names() {
        let all = [
            NameRules::OpenAi,
            NameRules::Anthropic,
            NameRules::Gemini,
            NameRules::Mcp,
        ];
        for rules in all {
            assert!(rules.accepts("get_weather"));
            assert!(!rules.accepts("") && !rules.accepts("a b") && !rules.accepts("ä"));
            assert!(!rules.accepts(&"a".repeat(129)));
        }
        let dotted = all.map(|rules| rules.accepts("gh.search"));
        assert_eq!(dotted, [false, false, true, true]);
        assert!(!NameRules::Gemini.accepts("1st") && NameRules::OpenAi.accepts("1st"));
        assert!(NameRules::Anthropic.accepts(&"a".repeat(128)));
    }
}
