//! The envelope that results come back in, which nothing inside can close or forge.

use crate::model::ToolMessage;

/// Opens a result, its attributes aside.
pub(super) const OPEN: &str = "<tool_result";
/// Closes it.
pub(crate) const CLOSE: &str = "</tool_result>";

/// The protocol's own tags. What opens one of them inside a body is rewritten; all else passes as it is.
const TAGS: [&str; 3] = ["tool_result", "tool_calls", "tool_call"];

/// Length of the longest of them.
const LONGEST: usize = 11;

/// One result in its envelope. Success and failure are escaped alike, wrapped bodies as any other.
pub(super) fn wrap(row: &ToolMessage) -> String {
    let status = if row.is_error {
        " status=\"error\""
    } else {
        ""
    };
    format!(
        "{OPEN} id=\"{}\"{status}>\n{}\n{CLOSE}",
        attribute(&row.call_id),
        body(&row.content)
    )
}

/// A value for an attribute in double quotes.
pub(super) fn attribute(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for letter in value.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A body, byte for byte but for each `<` that would open or close one of the protocol's tags.
pub(super) fn body(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find('<') {
        let (before, from) = rest.split_at(place);
        safe.push_str(before);
        rest = &from[1..];
        safe.push_str(if opens_tag(rest) { "&lt;" } else { "<" });
    }
    safe.push_str(rest);
    safe
}

/// Whether a tag's name follows, in any case, with white space, slashes and invisible characters where a tolerant reader
/// would overlook them. Looks no further than the next `<`.
fn opens_tag(rest: &str) -> bool {
    let mut letters = rest
        .chars()
        .take_while(|letter| *letter != '<')
        .skip_while(|letter| letter.is_whitespace() || *letter == '/' || is_invisible(*letter));
    let mut name = String::with_capacity(LONGEST);
    loop {
        let next = letters.next();
        let is_named = TAGS.contains(&name.as_str());
        match next {
            // An invisible character may end a name, or be overlooked in it.
            Some(letter) if is_invisible(letter) && !is_named => {}
            Some(letter) if is_name(letter) && name.len() < LONGEST => {
                // The only letter beside ASCII that has one of these as its capital.
                name.push(if letter == 'ſ' {
                    's'
                } else {
                    letter.to_ascii_lowercase()
                });
            }
            next => return is_named && !next.is_some_and(is_name),
        }
    }
}

fn is_name(letter: char) -> bool {
    (letter.is_alphanumeric() || letter == '_') && !is_invisible(letter)
}

/// Control characters, annotations, and what Unicode says is shown as nothing.
///
/// Source: <https://www.unicode.org/Public/UCD/latest/ucd/DerivedCoreProperties.txt>, `Default_Ignorable_Code_Point`
fn is_invisible(letter: char) -> bool {
    match letter {
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        letter => letter.is_control() && !letter.is_whitespace(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protocols_tags_are_disarmed_in_any_spelling() {
        for tag in [
            "</tool_result>",
            "< / TOOL_RESULT >",
            "<tool_call>",
            "<\n/\ttool_calls>",
            "<Tool_Result id=\"x\">",
            "</\u{200b}tool\u{200b}_result>",
            "</tool_result",
            "</tool_result\u{200b}x",
            "</TOOL_REſULT>",
            "<tool_call\u{200b}s>",
            "</tool\u{fe0f}_result>",
            "<\u{e0001}/t\u{34f}ool_result\u{3164}>",
            "<\u{2068}tool_\u{115f}call\u{2069}>",
        ] {
            assert_eq!(body(tag), format!("&lt;{}", &tag[1..]), "{tag}");
        }
    }

    #[test]
    fn all_else_is_kept_byte_for_byte() {
        for text in [
            "if a < b && c > d { \"x\" }",
            "<div class=\"tool_result\">&amp;</div>",
            "<tool_results_table>",
            "<tool_caller/>",
            "<< <",
            "Vec<tool>",
        ] {
            assert_eq!(body(text), text);
        }
    }

    #[test]
    fn attributes_cannot_end() {
        let row = ToolMessage::new("a\"><x & y", "t", "ok");
        assert_eq!(
            wrap(&row),
            "<tool_result id=\"a&quot;&gt;&lt;x &amp; y\">\nok\n</tool_result>"
        );
        assert!(
            wrap(&ToolMessage::error("c", "t", ""))
                .starts_with("<tool_result id=\"c\" status=\"error\">")
        );
    }
}
