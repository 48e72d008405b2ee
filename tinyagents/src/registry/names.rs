//! Names of tools.

use std::{borrow::Borrow, fmt, ops::Deref, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Why a text cannot be the name of a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidToolName {
    /// There is no name.
    #[error("a tool name is empty; name the tool, for example `get_weather`")]
    Empty,
    /// The name is longer than [`ToolName::MAX_BYTES`].
    #[error("tool name `{name}` has {length} bytes; shorten it to at most {limit}", limit = ToolName::MAX_BYTES)]
    TooLong {
        /// The beginning of the name.
        name: String,
        /// Its length in bytes.
        length: usize,
    },
    /// The name contains a space, a tab, a line end or another kind of white space.
    #[error("tool name {name:?} contains white space; write `_` between words")]
    Whitespace {
        /// The name.
        name: String,
    },
    /// The name begins with a digit or an underscore, which some providers refuse.
    #[error("tool name `{name}` begins with `{first}`; begin it with a letter from a to z")]
    InvalidStart {
        /// The name.
        name: String,
        /// Its first character.
        first: char,
    },
    /// The name contains a capital letter, so that two tools could differ by nothing else.
    #[error("tool name `{name}` is not in lower case; write `{suggestion}`")]
    NotLowerCase {
        /// The name.
        name: String,
        /// The name in snake case.
        suggestion: String,
    },
    /// The name contains a character that would have to be escaped for some provider.
    #[error(
        "tool name {name:?} contains {character:?}, which not every provider takes; use only a to z, 0 to 9 and `_`"
    )]
    NeedsEscaping {
        /// The name.
        name: String,
        /// The first such character.
        character: char,
    },
    /// The name belongs to a tool of the runtime itself.
    #[error("tool name `{name}` is reserved for the runtime; choose another one")]
    Reserved {
        /// The name.
        name: String,
    },
}

/// The canonical name of a tool: ASCII snake case (`^[a-z][a-z0-9_]*$`), at most 64 bytes, which every provider takes as
/// it is.
///
/// Cheap to clone. Compares, sorts and hashes as its text, so that a map by `ToolName` is searched with a `&str`.
///
/// ```
/// use tinyagents::ToolName;
///
/// let name = ToolName::parse("get_weather")?;
/// assert_eq!(name, "get_weather");
/// assert_eq!(
///     ToolName::parse("getWeather").unwrap_err().to_string(),
///     "tool name `getWeather` is not in lower case; write `get_weather`"
/// );
/// # Ok::<(), tinyagents::InvalidToolName>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolName(Arc<str>);

impl ToolName {
    /// Longest name, in bytes.
    pub const MAX_BYTES: usize = 64;

    /// Names of the tools through which the runtime lets a model find and call other tools.
    pub const RESERVED: [&'static str; 2] = ["tool_search", "tool_call"];

    /// Checks a name.
    ///
    /// # Errors
    ///
    /// The first way in which it is not a canonical name.
    pub fn parse(name: &str) -> Result<Self, InvalidToolName> {
        check_not_empty(name)?;
        check_length(name)?;
        check_whitespace(name)?;
        check_characters(name)?;
        check_start(name)?;
        check_not_reserved(name)?;
        Ok(Self(name.into()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn check_not_empty(name: &str) -> Result<(), InvalidToolName> {
    if name.is_empty() {
        return Err(InvalidToolName::Empty);
    }
    Ok(())
}

/// 64 is the least that `OpenAI`, Gemini, Bedrock and Mistral agree on.
fn check_length(name: &str) -> Result<(), InvalidToolName> {
    if name.len() > ToolName::MAX_BYTES {
        return Err(InvalidToolName::TooLong {
            // Of an endless name, the beginning tells enough.
            name: name.chars().take(ToolName::MAX_BYTES).collect(),
            length: name.len(),
        });
    }
    Ok(())
}

fn check_whitespace(name: &str) -> Result<(), InvalidToolName> {
    if name.contains(char::is_whitespace) {
        return Err(InvalidToolName::Whitespace { name: name.into() });
    }
    Ok(())
}

fn check_characters(name: &str) -> Result<(), InvalidToolName> {
    let foreign = name
        .chars()
        .find(|letter| !letter.is_ascii_alphanumeric() && *letter != '_');
    if let Some(character) = foreign {
        return Err(InvalidToolName::NeedsEscaping {
            name: name.into(),
            character,
        });
    }
    if name.contains(|letter: char| letter.is_ascii_uppercase()) {
        return Err(InvalidToolName::NotLowerCase {
            name: name.into(),
            suggestion: snake_case(name),
        });
    }
    Ok(())
}

/// Gemini asks for a letter or `_` first, the older Bedrock for a letter.
fn check_start(name: &str) -> Result<(), InvalidToolName> {
    match name.chars().next() {
        Some(first) if !first.is_ascii_lowercase() => Err(InvalidToolName::InvalidStart {
            name: name.into(),
            first,
        }),
        _ => Ok(()),
    }
}

fn check_not_reserved(name: &str) -> Result<(), InvalidToolName> {
    if ToolName::RESERVED.contains(&name) {
        return Err(InvalidToolName::Reserved { name: name.into() });
    }
    Ok(())
}

/// An underscore before each capital that follows a small letter or digit, or that begins a word after capitals.
pub(super) fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut words = String::with_capacity(name.len() + 4);
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        let begins_word = before.is_some_and(|before| {
            before.is_ascii_lowercase()
                || before.is_ascii_digit()
                || (before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase))
        });
        if letter.is_ascii_uppercase() && begins_word {
            words.push('_');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

impl fmt::Debug for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Deref for ToolName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for ToolName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for ToolName {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for ToolName {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<ToolName> for str {
    fn eq(&self, other: &ToolName) -> bool {
        self == other.as_str()
    }
}

impl PartialEq<ToolName> for &str {
    fn eq(&self, other: &ToolName) -> bool {
        *self == other.as_str()
    }
}

impl std::str::FromStr for ToolName {
    type Err = InvalidToolName;

    fn from_str(name: &str) -> Result<Self, InvalidToolName> {
        Self::parse(name)
    }
}

impl TryFrom<&str> for ToolName {
    type Error = InvalidToolName;

    fn try_from(name: &str) -> Result<Self, InvalidToolName> {
        Self::parse(name)
    }
}

impl TryFrom<String> for ToolName {
    type Error = InvalidToolName;

    fn try_from(name: String) -> Result<Self, InvalidToolName> {
        Self::parse(&name)
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> Self {
        name.as_str().to_owned()
    }
}

impl From<ToolName> for Arc<str> {
    fn from(name: ToolName) -> Self {
        name.0
    }
}

impl Serialize for ToolName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for ToolName {
    /// Checks the name as [`ToolName::parse`] does.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::parse(&name).map_err(de::Error::custom)
    }
}
