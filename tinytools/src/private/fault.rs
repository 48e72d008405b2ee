//! What is wrong with one argument, in words a model can act on.

use std::fmt::{self, Write as _};

use serde::de::{Expected, Unexpected};

/// Longest value that an error repeats, in characters.
const MAX_ECHO_CHARS: usize = 40;

/// A value that is not what its place asks for; the path is filled in on the way out.
#[derive(Debug)]
pub struct Mismatch {
    /// Segments from the inside out.
    path: Vec<Segment>,
    problem: Problem,
}

#[derive(Debug)]
enum Segment {
    Key(String),
    Index(usize),
}

#[derive(Debug)]
enum Problem {
    /// What was expected, and what came.
    Wrong { expected: String, got: String },
    /// The place must be filled.
    Missing,
    /// The place must not be there; these are the ones that may.
    Unknown { known: String },
    /// A type's own words.
    Other(String),
}

impl Mismatch {
    pub(super) fn wrong(expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::from(Problem::Wrong {
            expected: expected.into(),
            got: got.into(),
        })
    }

    pub(super) fn missing() -> Self {
        Self::from(Problem::Missing)
    }

    /// The place may be left empty, but what stands for it then is wrong.
    pub(super) fn faulty_default(fault: &str) -> Self {
        Self::from(Problem::Other(format!(
            "is missing, and its default is none of its values ({fault}); give it"
        )))
    }

    pub(super) fn unknown<'a>(known: impl IntoIterator<Item = &'a str>) -> Self {
        Self::from(Problem::Unknown {
            known: quoted(known),
        })
    }

    pub(super) fn within_key(mut self, key: &str) -> Self {
        self.path.push(Segment::Key(key.to_owned()));
        self
    }

    pub(super) fn within_index(mut self, index: usize) -> Self {
        self.path.push(Segment::Index(index));
        self
    }

    /// Leaves out everything that could repeat a value, or a part of one: a key may be as telling.
    pub(super) fn redact(mut self) -> Self {
        self.path.clear();
        match &mut self.problem {
            Problem::Wrong { got, .. } => "another value (not shown)".clone_into(got),
            Problem::Other(message) => "the value (not shown) is not valid".clone_into(message),
            Problem::Missing | Problem::Unknown { .. } => {}
        }
        self
    }
}

impl From<Problem> for Mismatch {
    fn from(problem: Problem) -> Self {
        Self {
            path: Vec::new(),
            problem,
        }
    }
}

impl Mismatch {
    /// The path of the place, below the argument of the given name: `filters[2].since`.
    pub(super) fn path_below(&self, name: &str) -> String {
        let mut path = name.to_owned();
        for segment in self.path.iter().rev() {
            // Writing to a `String` can't fail.
            let _ = match segment {
                Segment::Index(index) => write!(path, "[{index}]"),
                Segment::Key(key) => write!(path, ".{key}"),
            };
        }
        path
    }

    /// What is wrong at that place.
    pub(super) fn problem(&self) -> &impl fmt::Display {
        &self.problem
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong { expected, got } => write!(f, "expected {expected}, got {got}"),
            Self::Missing => f.write_str("required, and missing"),
            Self::Unknown { known } if known.is_empty() => {
                f.write_str("not known here; leave it out")
            }
            Self::Unknown { known } => write!(f, "not known here; choose from {known}"),
            Self::Other(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Mismatch {}

/// Keeps what serde says in pieces, so that a value can be left out of it later.
impl serde::de::Error for Mismatch {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::from(Problem::Other(message.to_string()))
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::wrong(in_json_words(expected), echo(&unexpected))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::wrong(in_json_words(expected), echo(&unexpected))
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::wrong(expected.to_string(), format!("{length} items"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let expected = expected.iter().copied();
        Self::wrong(
            format!("one of {}", quoted(expected)),
            format!("`{}`", shortened(variant)),
        )
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::unknown(expected.iter().copied()).within_key(field)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::missing().within_key(field)
    }
}

/// What serde expects, without names of Rust types: a model knows JSON.
fn in_json_words(expected: &dyn Expected) -> String {
    let expected = expected.to_string();
    let words = match expected.as_str() {
        "i8" => "an integer from -128 to 127",
        "i16" => "an integer from -32768 to 32767",
        "i32" => "an integer from -2147483648 to 2147483647",
        "i64" | "i128" | "isize" => "an integer",
        "u8" => "an integer from 0 to 255",
        "u16" => "an integer from 0 to 65535",
        "u32" => "an integer from 0 to 4294967295",
        "u64" | "u128" | "usize" => "an integer not less than 0",
        "f32" | "f64" => "a number",
        "a sequence" => "an array",
        "a map" => "an object",
        "unit" => "null",
        other if other.starts_with("tuple ") || other.starts_with("a tuple ") => "an array",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    words.to_owned()
}

fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn echo(unexpected: &Unexpected<'_>) -> String {
    match unexpected {
        Unexpected::Str(text) => format!("the string {:?}", shortened(text)),
        Unexpected::Unit => "null".to_owned(),
        Unexpected::Bool(value) => value.to_string(),
        Unexpected::Unsigned(value) => value.to_string(),
        Unexpected::Signed(value) => value.to_string(),
        Unexpected::Float(value) => value.to_string(),
        Unexpected::Seq => "an array".to_owned(),
        Unexpected::Map => "an object".to_owned(),
        other => other.to_string(),
    }
}

/// A value as an error repeats it: at most 40 characters of it.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_ECHO_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
