//! What a user says, shows or hands over.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tinytools::{MediaSource, ToolContent};

use crate::model::UserMessage;

/// Text alone, unless there is something to see or to open.
pub(super) fn user_content(message: &UserMessage) -> Value {
    let has_media = message
        .blocks
        .iter()
        .any(|block| matches!(block, ToolContent::Image { .. } | ToolContent::File { .. }));
    if !has_media {
        return json!(message.content);
    }
    message.blocks.iter().map(part).collect()
}

fn part(block: &ToolContent) -> Value {
    let sent = match block {
        ToolContent::Image { source, media_type } => {
            address(source, media_type.as_deref().unwrap_or("image/png"))
                .map(|url| json!({ "type": "image_url", "image_url": { "url": url } }))
        }
        // Files are sent with their bytes alone.
        ToolContent::File {
            name,
            source: source @ MediaSource::Inline { .. },
            media_type,
        } => {
            let kind = media_type.as_deref().unwrap_or("application/octet-stream");
            address(source, kind).map(
                |data| json!({ "type": "file", "file": { "filename": name, "file_data": data } }),
            )
        }
        _ => None,
    };
    sent.unwrap_or_else(|| json!({ "type": "text", "text": block.to_string() }))
}

fn address(source: &MediaSource, media_type: &str) -> Option<String> {
    match source {
        MediaSource::Url { url } => Some(url.clone()),
        MediaSource::Inline { data } => Some(format!(
            "data:{media_type};base64,{}",
            STANDARD.encode(data)
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Message;

    #[test]
    fn pictures_and_files_are_sent_as_parts() {
        let message = Message::user_blocks(vec![
            ToolContent::text("look"),
            ToolContent::image_url("https://x.test/a.png"),
            ToolContent::file("a.pdf", *b"%PDF", "application/pdf"),
        ]);
        let Message::User(message) = message else {
            unreachable!("it was made as one");
        };
        assert_eq!(
            user_content(&message),
            json!([
                { "type": "text", "text": "look" },
                { "type": "image_url", "image_url": { "url": "https://x.test/a.png" } },
                { "type": "file", "file": { "filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERg==" } }
            ])
        );
    }
}
