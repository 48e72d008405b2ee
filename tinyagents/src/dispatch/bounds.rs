//! How much of a result a row may hold.

use tinytools::{MediaSource, ToolContent};

use crate::clip::clip_bytes;
use crate::registry::RegisteredTool;

/// The bounds on a tool's results: its own, and what the host's middlewares make of them.
pub(super) struct Bounds {
    bytes: usize,
    chars: usize,
    /// What the middlewares allow.
    enforced: usize,
}

impl Bounds {
    pub(super) fn of(tool: Option<&RegisteredTool>) -> Self {
        Self {
            bytes: size(tool.and_then(|tool| tool.policy().runtime.max_result_bytes)),
            enforced: usize::MAX,
            chars: tool
                .and_then(RegisteredTool::max_result_size_chars)
                .unwrap_or(usize::MAX),
        }
    }

    /// The same, narrowed by the middlewares.
    pub(super) fn enforced(self, bytes: Option<u64>) -> Self {
        let enforced = size(bytes);
        Self {
            bytes: self.bytes.min(enforced),
            enforced,
            ..self
        }
    }

    /// Whether the middlewares cut this content.
    pub(super) fn truncate(&self, content: &str) -> bool {
        content.len() > self.enforced
    }

    /// Whether the content is within all bounds.
    pub(super) fn hold(&self, content: &str) -> bool {
        content.len() <= self.bytes && head_end(content, self.chars) == content.len()
    }

    /// Whether what a block carries beside the content is within the bound; its note there stays where it isn't.
    pub(super) fn hold_media(&self, block: &ToolContent) -> bool {
        match block {
            ToolContent::Image {
                source: MediaSource::Inline { data },
                ..
            }
            | ToolContent::File {
                source: MediaSource::Inline { data },
                ..
            } => data.len() <= self.bytes,
            ToolContent::Other(value) => {
                self.bytes == usize::MAX || value.to_string().len() <= self.bytes
            }
            _ => true,
        }
    }

    /// The content, or as much of its beginning and its end as fits with a notice between them into both bounds. The
    /// notice says where the whole is, if it is kept.
    pub(super) fn cut(&self, content: String, kept_as: Option<&str>) -> String {
        if self.hold(&content) {
            return content;
        }
        let notices = [
            kept_as.map(|uri| format!("; the whole is {uri}")),
            Some(String::new()),
        ];
        for whole in notices.iter().flatten() {
            let notice = format!("\n[cut: the result has {} bytes{whole}]\n", content.len());
            let room = (
                self.bytes.checked_sub(notice.len()),
                self.chars.checked_sub(notice.chars().count()),
            );
            if let (Some(bytes), Some(chars)) = room {
                let (head, tail) = ends(&content, bytes, chars);
                return [head, &notice, tail].concat();
            }
        }
        clip_bytes(&content, self.bytes.min(head_end(&content, self.chars)))
    }
}

fn size(bytes: Option<u64>) -> usize {
    let bytes = bytes.map(usize::try_from);
    bytes.and_then(Result::ok).unwrap_or(usize::MAX)
}

/// The beginning and the end of a text that is too long, two thirds and one third of the room, on character boundaries.
fn ends(content: &str, bytes: usize, chars: usize) -> (&str, &str) {
    let end = content.floor_char_boundary(bytes - bytes / 3);
    let end = end.min(head_end(content, chars - chars / 3));
    let (head, rest) = content.split_at(end);
    let start = rest.ceil_char_boundary(rest.len().saturating_sub(bytes / 3));
    let start = start.max(tail_start(rest, chars / 3));
    (head, &rest[start..])
}

/// Where the first `chars` characters end.
fn head_end(content: &str, chars: usize) -> usize {
    // No text has more characters than bytes.
    let nth = (content.len() > chars).then(|| content.char_indices().nth(chars));
    nth.flatten().map_or(content.len(), |(end, _)| end)
}

/// Where the last `chars` characters begin.
fn tail_start(content: &str, chars: usize) -> usize {
    if content.len() <= chars {
        return 0;
    }
    let Some(before) = chars.checked_sub(1) else {
        return content.len();
    };
    let nth = content.char_indices().rev().nth(before);
    nth.map_or(0, |(start, _)| start)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_shown_is_within_both_bounds_and_has_both_ends(
            content in "[ -~äß💩\n]{0,400}",
            bytes in 0_usize..500,
            chars in 0_usize..500,
            is_kept: bool,
        ) {
            let enforced = usize::MAX;
            let bounds = Bounds { bytes, chars, enforced };
            let uri = "artifact://0123456789.txt";
            let shown = bounds.cut(content.clone(), is_kept.then_some(uri));
            prop_assert!(shown.len() <= bytes && shown.chars().count() <= chars, "{shown}");
            if bounds.hold(&content) {
                prop_assert_eq!(shown, content);
            } else if let Some((head, rest)) = shown.split_once("\n[cut: the result has ") {
                let (notice, tail) = rest.split_once("]\n").unwrap();
                prop_assert!(content.starts_with(head) && content.ends_with(tail));
                prop_assert!(head.len() + tail.len() < content.len());
                let size = format!("{} bytes", content.len());
                prop_assert!(notice.starts_with(&size), "{}", notice);
                if is_kept && bytes.min(chars) > 80 {
                    prop_assert!(notice.ends_with(uri), "{}", notice);
                }
            } else {
                prop_assert!(bytes.min(chars) < 80, "no notice: {}", shown);
            }
        }
    }

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        let content = format!("begin{}end", "·".repeat(1000));
        let bounds = Bounds {
            bytes: 100,
            chars: usize::MAX,
            enforced: usize::MAX,
        };
        let shown = bounds.cut(content, None);
        assert!(
            shown.starts_with("begin") && shown.ends_with("end"),
            "{shown}"
        );
        assert!(
            shown.contains("\n[cut: the result has 2008 bytes]\n"),
            "{shown}"
        );
    }
}
