//! Blocks of a result, as the protocol has them.

use std::fmt::Write as _;
use std::string::FromUtf8Error;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::model::{ContentBlock, Resource, ResourceContents};
use tinytools::{MediaSource, ToolContent};

/// Bytes of a type that nobody has told.
const UNKNOWN: &str = "application/octet-stream";

/// One block. What the protocol has no form for is told as text.
pub(super) fn block(content: ToolContent) -> ContentBlock {
    match content {
        ToolContent::Text { text } => ContentBlock::text(text),
        ToolContent::Image { source, media_type } => match source {
            MediaSource::Inline { data } => match media_type {
                Some(media_type) => ContentBlock::image(BASE64.encode(data), media_type),
                None => file("image", data, None),
            },
            MediaSource::Url { url } => link(Resource::new(url, "image"), media_type),
            source => told(&ToolContent::Image { source, media_type }),
        },
        ToolContent::File {
            name,
            source,
            media_type,
        } => match source {
            MediaSource::Inline { data } => file(&name, data, media_type),
            MediaSource::Url { url } => link(Resource::new(url, name), media_type),
            source => told(&ToolContent::File {
                name,
                source,
                media_type,
            }),
        },
        ToolContent::Artifact {
            uri,
            media_type,
            bytes,
            description,
        } => {
            let name = uri.rsplit('/').find(|part| !part.is_empty());
            let mut resource = Resource::new(uri.clone(), name.unwrap_or(&uri));
            resource.size = bytes;
            resource.description = description;
            link(resource, media_type)
        }
        // A block of the protocol itself, such as a resource of another server, stays what it is.
        ToolContent::Other(value) => match serde_json::from_value(value.clone()) {
            Ok(block) => block,
            Err(_) => ContentBlock::text(value.to_string()),
        },
        other => told(&other),
    }
}

fn told(content: &ToolContent) -> ContentBlock {
    ContentBlock::text(content.to_string())
}

fn link(resource: Resource, media_type: Option<String>) -> ContentBlock {
    ContentBlock::resource_link(match media_type {
        Some(media_type) => resource.with_mime_type(media_type),
        None => resource,
    })
}

/// Sound has a form of its own; any other file is a resource: text where it says that it is and is, else bytes.
fn file(name: &str, data: Vec<u8>, media_type: Option<String>) -> ContentBlock {
    let media_type = media_type.unwrap_or_else(|| UNKNOWN.to_owned());
    if media_type.starts_with("audio/") {
        return ContentBlock::audio(BASE64.encode(data), media_type);
    }
    let uri = attachment(name);
    let contents = if is_text(&media_type) {
        String::from_utf8(data).map_err(FromUtf8Error::into_bytes)
    } else {
        Err(data)
    };
    let contents = match contents {
        Ok(text) => ResourceContents::text(text, uri),
        Err(data) => ResourceContents::blob(BASE64.encode(data), uri),
    };
    ContentBlock::resource(contents.with_mime_type(media_type))
}

fn is_text(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    essence.starts_with("text/")
        || matches!(essence, "application/json" | "application/xml")
        || essence.ends_with("+json")
        || essence.ends_with("+xml")
}

/// An address that names the file and no place: there is nothing to be fetched from.
fn attachment(name: &str) -> String {
    let mut uri = "attachment:///".to_owned();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a `String` can't fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn wire(content: ToolContent) -> Value {
        serde_json::to_value(block(content)).unwrap()
    }

    #[test]
    fn every_kind_of_block_has_its_form() {
        let cases = [
            (
                ToolContent::text("a"),
                json!({ "type": "text", "text": "a" }),
            ),
            (
                ToolContent::image(b"png".to_vec(), "image/png"),
                json!({ "type": "image", "data": "cG5n", "mimeType": "image/png" }),
            ),
            (
                ToolContent::image_url("https://example.com/a.png"),
                json!({ "type": "resource_link", "uri": "https://example.com/a.png", "name": "image" }),
            ),
            (
                ToolContent::file("a.wav", b"wav".to_vec(), "audio/wav"),
                json!({ "type": "audio", "data": "d2F2", "mimeType": "audio/wav" }),
            ),
            (
                ToolContent::file("a b.txt", b"hi".to_vec(), "text/plain"),
                json!({ "type": "resource", "resource": {
                    "uri": "attachment:///a%20b.txt", "mimeType": "text/plain", "text": "hi"
                } }),
            ),
            (
                ToolContent::file("a.txt", vec![0xff], "text/plain"),
                json!({ "type": "resource", "resource": {
                    "uri": "attachment:///a.txt", "mimeType": "text/plain", "blob": "/w=="
                } }),
            ),
            (
                ToolContent::Artifact {
                    uri: "artifact://x/report.csv".into(),
                    media_type: Some("text/csv".into()),
                    bytes: Some(7),
                    description: Some("the whole".into()),
                },
                json!({
                    "type": "resource_link", "uri": "artifact://x/report.csv", "name": "report.csv",
                    "description": "the whole", "mimeType": "text/csv", "size": 7
                }),
            ),
            (
                ToolContent::Other(
                    json!({ "type": "resource", "resource": { "uri": "test://x", "text": "t" } }),
                ),
                json!({ "type": "resource", "resource": { "uri": "test://x", "text": "t" } }),
            ),
            (
                ToolContent::Other(json!({ "type": "hologram" })),
                json!({ "type": "text", "text": r#"{"type":"hologram"}"# }),
            ),
        ];
        for (content, expected) in cases {
            assert_eq!(wire(content), expected);
        }
    }
}
