//! A mask over everything that a result or a message says.

use serde_json::Value;
use tinytools::{MediaSource, ToolContent, ToolResult};

/// Puts something in place of what must not be told.
pub(crate) trait Mask {
    /// What stands in place of a value that goes as a whole.
    fn mask(&self) -> &str;

    /// Masks a text.
    fn text(&self, text: &mut String);

    /// Masks every text of a JSON value, names included, and every number that says what must not be told.
    fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(object) => {
                let mut masked = serde_json::Map::new();
                for (mut name, mut value) in std::mem::take(object) {
                    self.text(&mut name);
                    self.value(&mut value);
                    masked.insert(name, value);
                }
                *object = masked;
            }
            Value::Number(number) => {
                let said = number.to_string();
                let mut shown = said.clone();
                self.text(&mut shown);
                if shown != said {
                    *value = Value::from(self.mask());
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Masks every text of the blocks: addresses, names, types, and bytes that are text.
    fn blocks(&self, blocks: &mut [ToolContent]) {
        for block in blocks {
            match block {
                ToolContent::Text { text } => self.text(text),
                ToolContent::Json { json } => self.value(json),
                ToolContent::Other(value) => self.value(value),
                ToolContent::Artifact {
                    uri,
                    media_type,
                    description,
                    bytes: _,
                } => {
                    self.text(uri);
                    self.optional(media_type);
                    self.optional(description);
                }
                ToolContent::Image { source, media_type } => {
                    self.source(source);
                    self.optional(media_type);
                }
                ToolContent::File {
                    name,
                    source,
                    media_type,
                } => {
                    self.text(name);
                    self.source(source);
                    self.optional(media_type);
                }
                _ => {}
            }
        }
    }

    /// Masks all that a result says, to the model and to the host.
    fn result(&self, result: &mut ToolResult) {
        self.blocks(&mut result.content);
        self.blocks(&mut result.follow_up);
        self.optional(&mut result.markdown);
        if let Some(metadata) = &mut result.metadata {
            self.value(metadata);
        }
    }

    /// Masks a text that may not be there.
    fn optional(&self, text: &mut Option<String>) {
        if let Some(text) = text {
            self.text(text);
        }
    }

    /// Masks an address, or bytes that are text.
    fn source(&self, source: &mut MediaSource) {
        match source {
            MediaSource::Url { url } => self.text(url),
            MediaSource::Inline { data } => {
                if let Ok(said) = std::str::from_utf8(data) {
                    let mut shown = said.to_owned();
                    self.text(&mut shown);
                    if shown != said {
                        *data = shown.into_bytes();
                    }
                }
            }
            _ => {}
        }
    }
}
