//! How much a ledger keeps of an answer beside its row, which has bounds of its own.

use std::io::{Result, Write};

use serde::Serialize;
use serde_json::Value;
use tinytools::ToolContent;

use crate::clip::clip_bytes;

/// The bytes as JSON that are kept of a follow-up, and of metadata.
const MOST: usize = 64 * 1024;
/// The bytes of a note in place of a block.
const NOTE: usize = 512;

/// Bounds a follow-up: blocks that find no room become their notes, long texts keep their beginning, and what has no room
/// even so is counted.
pub(super) fn bound_follow_up(blocks: &mut Vec<ToolContent>) {
    if json_size(blocks) <= MOST {
        return;
    }
    // Room for the last note is kept aside.
    let mut room = MOST - NOTE;
    let mut left_out = 0_usize;
    blocks.retain_mut(|block| {
        let mut size = json_size(block) + 1;
        if size > room {
            *block = short(block, room / 2);
            size = json_size(block) + 1;
        }
        let has_room = size <= room;
        if has_room {
            room -= size;
        } else {
            left_out += 1;
        }
        has_room
    });
    if left_out > 0 {
        let note = format!("[{left_out} blocks more were not kept]");
        blocks.push(ToolContent::text(note));
    }
}

/// Takes metadata away that is over the bound, and gives its size.
pub(super) fn bound_metadata(metadata: &mut Option<Value>) -> Option<u64> {
    let size = metadata.as_ref().map(json_size)?;
    if size <= MOST {
        return None;
    }
    *metadata = None;
    u64::try_from(size).ok()
}

/// A text's beginning, or the note that stands for another block in a text.
fn short(block: &ToolContent, room: usize) -> ToolContent {
    let text = block.to_string();
    let is_text = matches!(block, ToolContent::Text { .. } | ToolContent::Json { .. });
    if !is_text {
        return ToolContent::text(clip_bytes(&text, NOTE));
    }
    // What JSON escapes takes more room.
    let shown = room.saturating_mul(text.len()) / json_size(&text);
    let head = clip_bytes(&text, shown);
    ToolContent::text(format!("{head}\n[cut: the text has {} bytes]", text.len()))
}

fn json_size(value: &impl Serialize) -> usize {
    let mut size = Size(0);
    match serde_json::to_writer(&mut size, value) {
        Ok(()) => size.0,
        // What is no JSON can't be kept.
        Err(_) => usize::MAX,
    }
}

/// Counts what is written.
struct Size(usize);

impl Write for Size {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn bounded(blocks: Vec<ToolContent>) -> Vec<ToolContent> {
        let mut bounded = blocks;
        bound_follow_up(&mut bounded);
        assert!(json_size(&bounded) <= MOST, "{}", json_size(&bounded));
        bounded
    }

    #[test]
    fn what_is_within_the_bound_stays_as_it_is() {
        let blocks = vec![
            ToolContent::image(vec![7; 40_000], "image/png"),
            ToolContent::text("page 1"),
        ];
        assert_eq!(bounded(blocks.clone()), blocks);
        let mut metadata = Some(json!({ "receipt": "x".repeat(60_000) }));
        assert_eq!(bound_metadata(&mut metadata), None);
        assert!(metadata.is_some());
    }

    #[test]
    fn bytes_that_find_no_room_become_their_note_and_what_follows_is_kept() {
        let picture = ToolContent::image(vec![7; 70_000], "image/png");
        let blocks = bounded(vec![
            ToolContent::text("before"),
            picture.clone(),
            ToolContent::text("after"),
        ]);
        let texts: Vec<String> = blocks.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["before", &picture.to_string(), "after"]);
        assert!(matches!(blocks[1], ToolContent::Text { .. }));
        assert!(texts[1].contains("70000"), "{}", texts[1]);
    }

    #[test]
    fn a_long_text_keeps_its_beginning() {
        for letter in ["ä", "\u{1}", "\""] {
            let blocks = bounded(vec![
                ToolContent::text(format!("begin{}", letter.repeat(100_000))),
                ToolContent::text("after"),
            ]);
            let text = blocks[0].to_string();
            assert!(text.starts_with("begin") && text.contains("…\n[cut: the text has "));
            assert!(json_size(&text) > MOST / 3, "{}", json_size(&text));
            assert_eq!(blocks[1].to_string(), "after");
        }
    }

    #[test]
    fn blocks_beyond_all_room_are_counted() {
        let blocks = bounded(vec![ToolContent::text(""); 10_000]);
        let kept = blocks.len() - 1;
        let note = format!("[{} blocks more were not kept]", 10_000 - kept);
        assert!(kept > 1_000);
        assert_eq!(blocks[kept].to_string(), note);
        let far = ToolContent::image_url(format!("data:image/png,{}", "x".repeat(100_000)));
        let blocks = bounded(vec![far; 1_000]);
        assert!(blocks.len() > 50);
    }

    #[test]
    fn metadata_over_the_bound_is_left_out() {
        let mut metadata = Some(json!("x".repeat(70_000)));
        assert_eq!(bound_metadata(&mut metadata), Some(70_002));
        assert_eq!(metadata, None);
    }
}
