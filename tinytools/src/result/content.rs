//! The blocks of an answer.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// One block of an answer.
///
/// On the wire a block is `{"type": "text", "text": "…"}` and so on. A block of a type this version doesn't know is
/// kept as it is and written back unchanged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolContent {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// A JSON value.
    Json {
        /// The value.
        json: Value,
    },
    /// A picture.
    Image {
        /// Where it is, or its bytes.
        #[serde(flatten)]
        source: MediaSource,
        /// For example `image/png`; needed with inline bytes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
    },
    /// A file.
    File {
        /// The file's name, without a directory.
        name: String,
        /// Where it is, or its bytes.
        #[serde(flatten)]
        source: MediaSource,
        /// For example `application/pdf`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
    },
    /// A reference to content that is kept elsewhere.
    Artifact {
        /// Where it is kept.
        uri: String,
        /// For example `text/csv`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
        /// Its size in bytes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
        /// What it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// A block that this version can't read, kept as it is.
    #[serde(untagged)]
    Other(Value),
}

impl ToolContent {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// A JSON block.
    #[must_use]
    pub fn json(value: Value) -> Self {
        Self::Json { json: value }
    }

    /// A picture with its bytes.
    pub fn image(bytes: impl Into<Vec<u8>>, media_type: impl Into<String>) -> Self {
        Self::Image {
            source: MediaSource::Inline { data: bytes.into() },
            media_type: Some(media_type.into()),
        }
    }

    /// A picture at an address.
    pub fn image_url(url: impl Into<String>) -> Self {
        Self::Image {
            source: MediaSource::Url { url: url.into() },
            media_type: None,
        }
    }

    /// A file with its bytes.
    pub fn file(
        name: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
        media_type: impl Into<String>,
    ) -> Self {
        Self::File {
            name: name.into(),
            source: MediaSource::Inline { data: bytes.into() },
            media_type: Some(media_type.into()),
        }
    }
}

impl fmt::Display for ToolContent {
    /// The block as the text of a tool row.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { text } => f.write_str(text),
            // The same texts as through a serializer, and sooner.
            Self::Json {
                json: Value::Number(number),
            } => number.fmt(f),
            Self::Json {
                json: Value::Bool(value),
            } => f.write_str(if *value { "true" } else { "false" }),
            Self::Json { json } | Self::Other(json) => write!(f, "{json}"),
            Self::Image { source, media_type } => {
                write!(
                    f,
                    "[image: {}]",
                    Note(&[media_type.as_deref()], Some(source))
                )
            }
            Self::File {
                name,
                source,
                media_type,
            } => write!(
                f,
                "[file: {}]",
                Note(&[Some(name.as_str()), media_type.as_deref()], Some(source))
            ),
            Self::Artifact {
                uri,
                media_type,
                bytes,
                description,
            } => {
                let size = bytes.map(|bytes| format!("{bytes} bytes"));
                let facts = [
                    Some(uri.as_str()),
                    media_type.as_deref(),
                    size.as_deref(),
                    description.as_deref(),
                ];
                write!(f, "[artifact: {}]", Note(&facts, None))
            }
        }
    }
}

/// The known facts of a block that isn't text, separated by commas.
struct Note<'a>(&'a [Option<&'a str>], Option<&'a MediaSource>);

impl fmt::Display for Note<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for fact in self.0.iter().flatten() {
            write!(f, "{separator}{fact}")?;
            separator = ", ";
        }
        match self.1 {
            Some(MediaSource::Url { url }) => write!(f, "{separator}{url}"),
            Some(MediaSource::Inline { data }) => write!(f, "{separator}{} bytes", data.len()),
            None => Ok(()),
        }
    }
}

/// Where the bytes of a picture or file are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum MediaSource {
    /// At an address.
    Url {
        /// The address.
        url: String,
    },
    /// Here; Base64 on the wire.
    Inline {
        /// The bytes.
        #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
        data: Vec<u8>,
    },
}

fn to_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&BASE64.encode(bytes))
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    BASE64.decode(text).map_err(serde::de::Error::custom)
}
