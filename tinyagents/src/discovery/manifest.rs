//! The list of tools that can be found.

use crate::model::ToolSchema;

/// Bytes per token, as an estimate.
const BYTES_PER_TOKEN: usize = 4;
/// A shorter part of a sentence says nothing.
const LEAST_SENTENCE: usize = 24;

/// One line per tool with its name and the first sentence of its description. Where that is more than the budget, there
/// are names alone, and where these are too many, a count. Within the budget, sentences are shortened as far as makes
/// sense to keep to `most_bytes`.
pub(super) fn manifest(tools: &[ToolSchema], token_budget: usize, most_bytes: usize) -> String {
    let budget = token_budget.saturating_mul(BYTES_PER_TOKEN);
    let lines: Vec<(&str, &str)> = tools
        .iter()
        .map(|tool| (tool.name.as_str(), first_sentence(&tool.description)))
        .collect();
    let whole = write(&lines, usize::MAX);
    if whole.len() <= budget {
        if written_bytes(&whole) <= most_bytes {
            return whole;
        }
        return shortened(&lines, most_bytes);
    }
    let names: Vec<&str> = lines.iter().map(|(name, _)| *name).collect();
    let names = names.join(", ");
    if names.len() <= budget {
        return names;
    }
    format!("{} tools", tools.len())
}

/// The longest sentences that fit, but none so short that it says nothing.
fn shortened(lines: &[(&str, &str)], most_bytes: usize) -> String {
    let longest = lines.iter().map(|(_, sentence)| sentence.len()).max();
    let (mut low, mut high) = (LEAST_SENTENCE, longest.unwrap_or_default());
    while low < high {
        let middle = usize::midpoint(low, high + 1);
        if written_bytes(&write(lines, middle)) <= most_bytes {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    write(lines, low)
}

fn write(lines: &[(&str, &str)], most_sentence: usize) -> String {
    let mut text = String::new();
    for (name, sentence) in lines {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(name);
        let sentence = cut_at_word(sentence, most_sentence);
        if !sentence.is_empty() {
            text.push_str(": ");
            text.push_str(sentence);
        }
    }
    text
}

/// Bytes inside of a JSON text, where a line's end takes two.
fn written_bytes(text: &str) -> usize {
    text.len()
        + text
            .bytes()
            .filter(|byte| matches!(byte, b'\n' | b'"' | b'\\'))
            .count()
}

/// The text up to the end of its first sentence or line.
fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default().trim_end();
    let ends = line
        .char_indices()
        .filter(|(_, letter)| matches!(letter, '.' | '!' | '?' | '。'));
    for (at, letter) in ends {
        let (sentence, rest) = line.split_at(at + letter.len_utf8());
        // `e.g.` and `3.5` don't end a sentence; a capital after a space begins one.
        let mut rest = rest.chars();
        match (rest.next(), rest.next()) {
            (None, _) => return sentence,
            (Some(' '), Some(next)) if !next.is_lowercase() => return sentence,
            _ => {}
        }
    }
    line
}

fn cut_at_word(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = text.split_at(end).0;
    let at_word = cut.rsplit_once(' ').map_or(cut, |(whole, _)| whole);
    at_word.trim_end_matches([',', ';', ':', ' '])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tools(count: usize, description: &str) -> Vec<ToolSchema> {
        (0..count)
            .map(|number| ToolSchema::new(format!("tool_{number}"), description, json!({})))
            .collect()
    }

    #[test]
    fn it_degrades_to_names_and_then_to_a_count() {
        let two = tools(2, "Does a thing. And more.");
        let whole = "tool_0: Does a thing.\ntool_1: Does a thing.";
        assert_eq!(manifest(&two, 4_000, usize::MAX), whole);
        assert_eq!(manifest(&two, whole.len() / 4 + 1, usize::MAX), whole);
        assert_eq!(manifest(&two, 9, usize::MAX), "tool_0, tool_1");
        assert_eq!(manifest(&two, 3, usize::MAX), "2 tools");
        assert_eq!(manifest(&two, 0, usize::MAX), "2 tools");
    }

    #[test]
    fn sentences_are_shortened_at_words_before_they_cost_too_much() {
        let many = tools(
            10,
            "Finds every open issue of a repository that somebody has a label for.",
        );
        let text = manifest(&many, 4_000, 500);
        assert!(written_bytes(&text) <= 500, "{text}");
        assert!(
            text.lines()
                .all(|line| line.ends_with("every open issue of a repository")),
            "{text}"
        );
        // Below that a sentence says nothing, whatever it costs.
        let text = manifest(&many, 4_000, 1);
        assert!(text.starts_with("tool_0: Finds every open issue"), "{text}");
    }

    #[test]
    fn a_sentence_ends_where_another_one_begins() {
        for (text, first) in [
            ("Reads a file. Writes none.", "Reads a file."),
            (
                "Rounds to 3.5 e.g. for tests",
                "Rounds to 3.5 e.g. for tests",
            ),
            ("Reads\nand more", "Reads"),
            ("  ", ""),
            ("Ends.", "Ends."),
        ] {
            assert_eq!(first_sentence(text), first);
        }
    }
}
