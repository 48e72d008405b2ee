//! What a server answers, as a result of ours.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::model::{CallToolResult, ContentBlock, Resource, ResourceContents};
use serde::Serialize;
use serde_json::{Value, json};
use tinytools::{MediaSource, ToolContent, ToolResult};

/// Structured content comes first, and is not told a second time as text. A sound becomes a file, a resource its text or
/// its bytes, a link to one an artifact. The protocol's metadata is for the host alone.
pub(super) fn tool_result(answer: CallToolResult) -> ToolResult {
    let mut result = ToolResult {
        is_error: answer.is_error.unwrap_or(false),
        metadata: answer.meta.map(|meta| json!({ "_meta": meta })),
        ..ToolResult::default()
    };
    let structured = answer.structured_content;
    for block in answer.content {
        if let (ContentBlock::Text(text), Some(structured)) = (&block, &structured)
            && says_the_same(&text.text, structured)
        {
            continue;
        }
        result.content.push(content(block));
    }
    if let Some(json) = structured {
        result.content.insert(0, ToolContent::Json { json });
    }
    result
}

fn says_the_same(text: &str, structured: &Value) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| value == *structured)
}

fn content(block: ContentBlock) -> ToolContent {
    match block {
        ContentBlock::Text(text) => ToolContent::text(text.text),
        ContentBlock::Image(image) => inline(
            &image.data,
            "image",
            Some(image.mime_type),
            |data, media_type| ToolContent::Image {
                source: MediaSource::Inline { data },
                media_type,
            },
        ),
        ContentBlock::Audio(audio) => {
            let name = format!("audio.{}", extension(&audio.mime_type));
            file(&audio.data, name, Some(audio.mime_type))
        }
        ContentBlock::Resource(embedded) => resource(embedded.resource),
        ContentBlock::ResourceLink(link) => artifact(link),
        other => unknown(&other),
    }
}

/// A kind of content that this version of the protocol doesn't have.
fn unknown(content: &impl Serialize) -> ToolContent {
    let value = serde_json::to_value(content);
    value.map_or_else(
        |_| ToolContent::text("[content that can't be shown]"),
        ToolContent::Other,
    )
}

fn resource(resource: ResourceContents) -> ToolContent {
    match resource {
        ResourceContents::TextResourceContents { uri, text, .. } => {
            ToolContent::text(format!("[resource: {uri}]\n{text}"))
        }
        ResourceContents::BlobResourceContents {
            uri,
            mime_type,
            blob,
            ..
        } => {
            let name = file_name(&uri);
            match mime_type {
                Some(media_type) if media_type.starts_with("image/") => {
                    inline(&blob, "image", Some(media_type), |data, media_type| {
                        ToolContent::Image {
                            source: MediaSource::Inline { data },
                            media_type,
                        }
                    })
                }
                media_type => file(&blob, name, media_type),
            }
        }
        other => unknown(&other),
    }
}

fn artifact(link: Resource) -> ToolContent {
    let named = link.title.unwrap_or(link.name);
    let description = match link.description {
        Some(description) if named.is_empty() => Some(description),
        Some(description) => Some(format!("{named}: {description}")),
        None => (!named.is_empty()).then_some(named),
    };
    ToolContent::Artifact {
        uri: link.uri,
        media_type: link.mime_type,
        bytes: link.size,
        description,
    }
}

fn file(data: &str, name: String, media_type: Option<String>) -> ToolContent {
    inline(data, "file", media_type, |data, media_type| {
        ToolContent::File {
            name,
            source: MediaSource::Inline { data },
            media_type,
        }
    })
}

/// A block of bytes; a note where they can't be read.
fn inline(
    data: &str,
    what: &str,
    media_type: Option<String>,
    block: impl FnOnce(Vec<u8>, Option<String>) -> ToolContent,
) -> ToolContent {
    match BASE64.decode(data) {
        Ok(bytes) => block(bytes, media_type),
        Err(_) => ToolContent::text(format!("[{what}: the server's data is no Base64]")),
    }
}

/// The last part of an address, as the name of a file.
fn file_name(uri: &str) -> String {
    let path = uri.split(['?', '#']).next().unwrap_or(uri);
    let last = path.rsplit(['/', '\\']).find(|part| !part.is_empty());
    last.unwrap_or("resource").to_owned()
}

fn extension(media_type: &str) -> &str {
    let subtype = media_type.split('/').nth(1).unwrap_or("bin");
    let subtype = subtype.split(';').next().unwrap_or(subtype);
    match subtype {
        "mpeg" => "mp3",
        other
            if other.chars().all(|letter| letter.is_ascii_alphanumeric()) && !other.is_empty() =>
        {
            other
        }
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(answer: Value) -> ToolResult {
        tool_result(serde_json::from_value(answer).unwrap())
    }

    #[test]
    fn every_kind_of_content_has_a_block() {
        let result = mapped(json!({
            "content": [
                { "type": "text", "text": "hi" },
                { "type": "image", "data": "AAEC", "mimeType": "image/png" },
                { "type": "audio", "data": "AAEC", "mimeType": "audio/mpeg" },
                { "type": "resource", "resource": { "uri": "file:///a/b.txt", "text": "body" } },
                { "type": "resource", "resource": { "uri": "x://a/b.bin?c", "blob": "AAEC" } },
                { "type": "resource", "resource": { "uri": "x://p", "mimeType": "image/gif", "blob": "AAEC" } },
                { "type": "resource_link", "uri": "x://r", "name": "r", "title": "R", "description": "All of it.", "size": 7 },
            ],
            "_meta": { "trace": 1 },
        }));
        let bytes = || vec![0, 1, 2];
        assert_eq!(
            result.content,
            [
                ToolContent::text("hi"),
                ToolContent::image(bytes(), "image/png"),
                ToolContent::file("audio.mp3", bytes(), "audio/mpeg"),
                ToolContent::text("[resource: file:///a/b.txt]\nbody"),
                ToolContent::File {
                    name: "b.bin".to_owned(),
                    source: MediaSource::Inline { data: bytes() },
                    media_type: None,
                },
                ToolContent::image(bytes(), "image/gif"),
                ToolContent::Artifact {
                    uri: "x://r".to_owned(),
                    media_type: None,
                    bytes: Some(7),
                    description: Some("R: All of it.".to_owned()),
                },
            ]
        );
        assert_eq!(result.metadata, Some(json!({ "_meta": { "trace": 1 } })));
        assert!(!result.is_error);
    }

    #[test]
    fn structured_content_is_told_once() {
        let result = mapped(json!({
            "content": [
                { "type": "text", "text": "{\n  \"b\": 2, \"a\": 1\n}" },
                { "type": "text", "text": "and a word" },
            ],
            "structuredContent": { "a": 1, "b": 2 },
        }));
        assert_eq!(
            result.content,
            [
                ToolContent::json(json!({ "a": 1, "b": 2 })),
                ToolContent::text("and a word")
            ]
        );
    }

    #[test]
    fn what_is_no_base64_becomes_a_note_and_takes_nothing_else_along() {
        let result = mapped(json!({
            "content": [
                { "type": "image", "data": "!!", "mimeType": "image/png" },
                { "type": "text", "text": "hi" },
            ],
            "isError": true,
        }));
        assert!(result.is_error);
        assert_eq!(
            result.output(),
            "[image: the server's data is no Base64]\nhi"
        );
    }
}
