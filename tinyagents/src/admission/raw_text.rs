//! Arguments that are no object, and whose parts therefore can't be told apart.

/// Whether the text is sure to hold no argument of these names; in doubt it is not.
///
/// A name may be hidden in an escape, in markup or in another case. A value may stand there without its name: where
/// some of the names are of values that must not be repeated, text that names nothing at all is in doubt as well.
pub(super) fn names_none_of(text: &str, names: &[&str], has_redacted: bool) -> bool {
    if has_doubtful_escape(text) || text.contains("&#") || text.contains("<|") {
        return false;
    }
    if has_redacted && !text.contains('{') {
        return false;
    }
    let text = text.to_lowercase();
    let mut names = names.iter();
    names.all(|name| is_word(name) && !text.contains(&name.to_lowercase()))
}

/// Whether a backslash stands before anything but what is no letter of a name: `\u0070`, `\x70` and the like.
fn has_doubtful_escape(text: &str) -> bool {
    text.split('\\').skip(1).any(|after| {
        let first = after.chars().next();
        // Nothing follows where there is another backslash.
        first.is_some_and(|first| !"\"'/nrtbf".contains(first))
    }) || text.ends_with('\\')
}

/// Whether a name has no character that would be written by an escape.
fn is_word(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_names_nothing_unsaid_stays() {
        for text in [
            "{city: 'Oslo', }",
            r#"{"city": "Oslo\n"#,
            r#""{\"city\": \"Oslo\"}""#,
            r"{'city': 'a\\b'}",
        ] {
            assert!(names_none_of(text, &["password"], true), "{text}");
        }
        assert!(names_none_of("Oslo", &["tenant"], false));
    }

    #[test]
    fn text_that_may_hold_an_unsaid_value_goes() {
        for text in [
            "{password: 'x'",
            "{PassWord: 'x'",
            r#"{"p\u0061ssword": "x""#,
            r#""{\"p\\u0061ssword\": 1""#,
            r"{'p\x61ssword': 'x'",
            "{'pass\\\nword': 'x'",
            "{&#112;assword: x",
            "{pass<|x|>word: x",
            r#"{"city": "Oslo\"#,
            "hunter2",
            "[\"hunter2\"]",
        ] {
            assert!(!names_none_of(text, &["password"], true), "{text}");
        }
        assert!(!names_none_of("{a: 1}", &["b\"c"], false));
    }
}
