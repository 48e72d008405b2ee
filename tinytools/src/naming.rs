//! A call in words, for a person.

use serde_json::Value;

/// Longest detail, in characters.
const MAX_DETAIL_CHARS: usize = 80;

/// Argument names that tell a person most about a call, best first.
const TELLING_ARGUMENTS: [&str; 12] = [
    "path", "file", "url", "query", "command", "name", "title", "city", "id", "subject", "text",
    "message",
];

/// The tool's name as a person would write it: `search_issues` becomes `Search issues`.
#[must_use]
pub fn humanize_tool_name(name: &str) -> String {
    let words = name.replace(['_', '-', '.'], " ");
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut letters = words.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// A short text that tells one call of a tool from another, taken from its arguments: the first text or number under
/// a telling name such as `path`, `url` or `query`, on one line, at most 80 characters.
#[must_use]
pub fn context_detail_from_args(args: &Value) -> Option<String> {
    TELLING_ARGUMENTS
        .iter()
        .find_map(|name| detail(args.get(name)?))
}

fn detail(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    if text.is_empty() {
        return None;
    }
    if text.chars().count() <= MAX_DETAIL_CHARS {
        return Some(text);
    }
    let kept: String = text.chars().take(MAX_DETAIL_CHARS - 1).collect();
    Some(kept + "…")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_is_written_as_words() {
        assert_eq!(humanize_tool_name("search_issues"), "Search issues");
        assert_eq!(humanize_tool_name("_fs.read-file_"), "Fs read file");
        assert_eq!(humanize_tool_name(""), "");
    }

    #[test]
    fn the_most_telling_argument_is_the_detail() {
        let args = json!({ "query": "rust", "path": " src\n/lib.rs " });
        assert_eq!(
            context_detail_from_args(&args).as_deref(),
            Some("src /lib.rs")
        );
        assert_eq!(
            context_detail_from_args(&json!({ "id": 7 })).as_deref(),
            Some("7")
        );
        assert_eq!(
            context_detail_from_args(&json!({ "path": "  ", "other": "x" })),
            None
        );
        assert_eq!(context_detail_from_args(&Value::Null), None);
    }

    #[test]
    fn a_long_detail_is_cut_on_a_character() {
        let detail = context_detail_from_args(&json!({ "path": "ü".repeat(200) }));
        assert_eq!(detail.map(|text| text.chars().count()), Some(80));
    }
}
