//! Text that shows what it holds.

use std::fmt::Write as _;

/// The text with every character that a terminal or a browser would obey instead of showing it written out: controls,
/// and marks that turn the direction of writing. Line feeds and tabs stay where `keeps_lines` says so.
pub(crate) fn visible(text: &str, keeps_lines: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if (keeps_lines && matches!(character, '\n' | '\t')) || !is_obeyed(character) {
            shown.push(character);
        } else {
            // Writing to a `String` can't fail.
            let _ = write!(shown, "{}", character.escape_default());
        }
    }
    shown
}

fn is_obeyed(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// The text as HTML, in an element or a quoted attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in visible(text, true).chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_or_a_browser_would_obey_is_left() {
        assert_eq!(
            visible("a\u{1b}[31m\nb\u{202e}", false),
            "a\\u{1b}[31m\\nb\\u{202e}"
        );
        assert_eq!(visible("ä\n\t\r", true), "ä\n\t\\r");
        assert_eq!(
            escaped("<b a=\"1\" c='2'>&"),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;"
        );
    }
}
