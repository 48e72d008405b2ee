//! Results cut to a number of bytes.

use tinytools::{ToolContent, ToolResult};

use crate::clip::clip_bytes;

/// Cuts what a model would read of a result, on a character boundary and with a notice where there is room for one.
/// Gives the bytes there were, if it was cut. Pictures, files and references stay.
pub(super) fn enforce(result: &mut ToolResult, limit: u64) -> Option<usize> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut full = None;
    if let Some(markdown) = &mut result.markdown
        && markdown.len() > limit
    {
        full = Some(markdown.len());
        *markdown = cut(markdown, limit);
    }
    let content = result.output();
    if content.len() > limit {
        full = full.max(Some(content.len()));
        result.content.retain(|block| {
            !matches!(
                block,
                ToolContent::Text { .. } | ToolContent::Json { .. } | ToolContent::Other(_)
            )
        });
        result
            .content
            .insert(0, ToolContent::text(cut(&content, limit)));
    }
    full
}

fn cut(text: &str, limit: usize) -> String {
    let notice = format!(
        "\n[truncated: max_result_bytes is {limit} of {}]",
        text.len()
    );
    match limit.checked_sub(notice.len()) {
        Some(room) => {
            let kept = &text[..text.floor_char_boundary(room)];
            format!("{kept}{notice}")
        }
        None => clip_bytes(text, limit),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    proptest! {
        #[test]
        fn a_cut_result_is_within_its_bound_and_says_so(text in "[aä💩\n]{0,200}", limit in 0_u64..300) {
            let mut result = ToolResult::success_with_markdown(text.clone(), text.clone());
            let full = enforce(&mut result, limit);
            let bound = usize::try_from(limit).unwrap();
            prop_assert!(result.output_for_llm(false).len() <= bound);
            prop_assert!(result.markdown.as_ref().unwrap().len() <= bound);
            prop_assert_eq!(full, (text.len() > bound).then_some(text.len()));
            if full.is_none() {
                prop_assert_eq!(result.text(), text);
            }
        }
    }

    #[test]
    fn json_is_cut_as_text_and_pictures_stay() {
        let mut result = ToolResult::json(json!({ "rows": "x".repeat(500) }));
        result = result.with_content(ToolContent::image_url("https://example.org/a.png"));
        assert!(enforce(&mut result, 200).is_some());
        assert!(
            matches!(&result.content[..], [ToolContent::Text { text }, ToolContent::Image { .. }]
            if text.contains("truncated"))
        );
    }
}
