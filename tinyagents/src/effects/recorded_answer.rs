//! The answer as it is recorded, and as it is given back.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tinytools::{ToolContent, ToolResult};

use super::answer_bounds::{bound_follow_up, bound_metadata};
use crate::mask::Mask as _;
use crate::model::ToolMessage;
use crate::redaction::Redactor;
use crate::schema::is_within_depth;

/// Deepest nesting of a tool's JSON that is kept as such. `serde_json` reads 127 levels of arrays and objects, and those of
/// the answer are around it: a row that nobody can read would keep its run from going on for ever.
const MOST_LEVELS: usize = 100;

/// What came of a call, as a ledger keeps it: all that a run which goes on needs to be as if it had never stopped.
///
/// As JSON it is the row's object with what else there is beside it. Rows of earlier versions, which kept the row alone,
/// are read as such.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordedAnswer {
    /// What the model was answered.
    #[serde(flatten)]
    pub row: ToolMessage,
    /// What the call adds to the user message that follows the batch; at most 64 KiB as JSON. Beyond that, bytes are
    /// replaced by a note of what they were, and long texts are cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub follow_up: Vec<ToolContent>,
    /// What the tool had to say to the host alone; left out beyond 64 KiB as JSON, and as text where it is nested more
    /// than 100 levels deep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    /// The size of metadata that was left out, in bytes as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted_metadata_bytes: Option<u64>,
    /// Whether the answer ends the run, whatever the tool declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub return_direct: Option<bool>,
}

impl RecordedAnswer {
    /// A copy for the ledger: it outlives the run, so it holds no value that must not be logged. `row` is what was made
    /// of the result's content.
    pub(super) fn new(row: &ToolMessage, result: &ToolResult, redactor: &Redactor) -> Self {
        let mut answer = Self {
            row: row.clone(),
            follow_up: result.follow_up.clone(),
            metadata: result.metadata.clone(),
            omitted_metadata_bytes: None,
            return_direct: result.return_direct,
        };
        if !redactor.is_empty() {
            redactor.text(&mut answer.row.content);
            redactor.blocks(&mut answer.row.blocks);
            redactor.blocks(&mut answer.follow_up);
            if let Some(metadata) = &mut answer.metadata {
                redactor.value(metadata);
            }
        }
        answer.flatten();
        bound_follow_up(&mut answer.follow_up);
        answer.omitted_metadata_bytes = bound_metadata(&mut answer.metadata);
        answer
    }

    /// Makes text of what is too deep to be read back.
    fn flatten(&mut self) {
        if let Some(metadata) = &mut self.metadata
            && !is_within_depth(metadata, MOST_LEVELS)
        {
            *metadata = Value::String(metadata.to_string());
        }
        for block in self.row.blocks.iter_mut().chain(&mut self.follow_up) {
            if let ToolContent::Json { json: value } | ToolContent::Other(value) = block
                && !is_within_depth(value, MOST_LEVELS)
            {
                *block = ToolContent::text(value.to_string());
            }
        }
    }

    /// Whether it ends the run, where its tool declares that or not.
    pub(crate) fn ends_run(&self, is_declared: bool) -> bool {
        self.return_direct
            .unwrap_or(is_declared && !self.row.is_error)
    }

    /// The same as a result.
    pub(crate) fn into_result(self) -> ToolResult {
        ToolResult {
            is_error: self.row.is_error,
            content: blocks(self.row),
            markdown: None,
            follow_up: self.follow_up,
            metadata: self.metadata,
            return_direct: self.return_direct,
        }
    }
}

/// The blocks of which a row is made: those it has, and its text around the notes that stand for them in it.
fn blocks(row: ToolMessage) -> Vec<ToolContent> {
    let is_text =
        |block: &ToolContent| matches!(block, ToolContent::Text { .. } | ToolContent::Json { .. });
    // Texts among the blocks say what the content says.
    if row.blocks.iter().any(is_text) {
        return row.blocks;
    }
    let mut rest = Some(row.content.as_str());
    let mut blocks = Vec::with_capacity(row.blocks.len() + 1);
    for block in row.blocks {
        if let Some((before, after)) = rest.and_then(|rest| around(rest, &block.to_string())) {
            blocks.extend(before.map(ToolContent::text));
            rest = after;
        }
        blocks.push(block);
    }
    blocks.extend(rest.map(ToolContent::text));
    blocks
}

/// The lines before and after the note, where the text has it.
fn around<'a>(text: &'a str, note: &str) -> Option<(Option<&'a str>, Option<&'a str>)> {
    text.match_indices(note).find_map(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + note.len()..]);
        let (before_line, after_line) = (before.strip_suffix('\n'), after.strip_prefix('\n'));
        let is_line = (before.is_empty() || before_line.is_some())
            && (after.is_empty() || after_line.is_some());
        is_line.then_some((before_line, after_line))
    })
}

/// A row alone.
impl From<ToolMessage> for RecordedAnswer {
    fn from(row: ToolMessage) -> Self {
        Self {
            row,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_of_an_earlier_version_is_read_and_written_as_it_was() {
        let stored = json!({
            "call_id": "c", "tool_name": "pay", "content": "paid", "is_error": false,
            "blocks": [{ "type": "artifact", "uri": "artifact:1" }],
        });
        let answer: RecordedAnswer = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(answer, RecordedAnswer::from(answer.row.clone()));
        assert_eq!(answer.row.content, "paid");
        assert_eq!(answer.row.blocks.len(), 1);
        assert_eq!(serde_json::to_value(answer).unwrap(), stored);
    }

    #[test]
    fn a_result_made_of_an_answer_reads_as_that() {
        let (text, image) = (
            ToolContent::text,
            ToolContent::image_url("https://x.test/a"),
        );
        for content in [
            vec![],
            vec![text("")],
            vec![text("a"), image.clone()],
            vec![image.clone(), text("a\n\nb"), image.clone()],
            vec![text("see [image: https://x.test/a] here"), image.clone()],
            vec![image.clone(), text("")],
        ] {
            let result = ToolResult {
                content,
                ..ToolResult::default()
            };
            let media = result.content.iter().filter(|block| **block == image);
            let row =
                ToolMessage::new("c", "t", result.output()).with_blocks(media.cloned().collect());
            let again = RecordedAnswer::from(row).into_result();
            assert_eq!(again.output(), result.output());
            let media = |result: &ToolResult| {
                result
                    .content
                    .iter()
                    .filter(|block| **block == image)
                    .count()
            };
            assert_eq!(media(&again), media(&result));
        }
    }

    #[test]
    fn an_answer_of_any_depth_can_be_read_back() {
        for depth in [MOST_LEVELS, 1000] {
            let nested = (0..depth).fold(json!("receipt"), |inner, _| json!([inner]));
            let block = ToolContent::Json {
                json: nested.clone(),
            };
            let row = ToolMessage::new("c", "t", "paid").with_blocks(vec![block.clone()]);
            let result = ToolResult::success("paid")
                .with_follow_up(block)
                .with_metadata(nested.clone());
            let answer = RecordedAnswer::new(&row, &result, &Redactor::none());
            let text = serde_json::to_string(&answer).unwrap();
            let read: RecordedAnswer = serde_json::from_str(&text).unwrap();
            assert_eq!(read, answer);
            assert_eq!(read.follow_up[0].to_string(), nested.to_string());
            assert_eq!(read.metadata == Some(nested), depth == MOST_LEVELS);
        }
    }

    #[test]
    fn an_earlier_version_reads_the_row_of_what_is_written_now() {
        let answer = RecordedAnswer {
            row: ToolMessage::new("c", "pay", "paid"),
            follow_up: vec![ToolContent::text("seen")],
            metadata: Some(json!({ "receipt": 12_345_678_901_234_567_890_u64, "rate": 0.1 })),
            omitted_metadata_bytes: Some(70_000),
            return_direct: Some(true),
        };
        let text = serde_json::to_string(&answer).unwrap();
        assert_eq!(
            serde_json::from_str::<RecordedAnswer>(&text).unwrap(),
            answer
        );
        assert_eq!(
            serde_json::from_str::<ToolMessage>(&text).unwrap(),
            answer.row
        );
    }
}
