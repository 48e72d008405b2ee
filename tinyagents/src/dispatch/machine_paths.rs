//! Paths of the machine, taken out of what a foreign error says.

use std::borrow::Cow;

/// What stands in place of a path.
const PATH: &str = "[path]";

/// The text without absolute paths: `/x/y`, `C:\x`, `\\server\share` and `file:` addresses. A path in quotes ends with
/// them; any other ends at white space, but for a name with a space inside of it. Other addresses stay, and so do
/// relative paths and a lone `/x`, which may as well be a route or a flag.
pub(super) fn without_paths(text: &str) -> Cow<'_, str> {
    if !text.contains(['/', '\\']) && !starts_with_file(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    let (mut copied, mut at) = (0, 0);
    let mut before = None;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let mut taken = first.len_utf8();
        if before.is_none_or(may_precede) {
            if let Some(length) = path_length(rest, before) {
                shown.push_str(&text[copied..at]);
                shown.push_str(PATH);
                copied = at + length;
                taken = length;
            } else if let Some(length) = address_length(rest) {
                taken = length;
            }
        }
        before = rest[..taken].chars().next_back();
        at += taken;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[copied..]);
    Cow::Owned(shown)
}

/// Whether a path may begin after this character: not inside of a word, a relative path or a variable.
fn may_precede(before: char) -> bool {
    !(before.is_alphanumeric() || "._-~/\\%@$&+#?}".contains(before))
}

/// Length of an address that is no file's.
fn address_length(text: &str) -> Option<usize> {
    let scheme = text.find("://")?;
    let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte);
    let is_address = scheme > 1 && text[..scheme].bytes().all(is_scheme);
    is_address.then(|| text.find(ends_word).unwrap_or(text.len()))
}

/// Length of the path that the text begins with.
fn path_length(text: &str, before: Option<char>) -> Option<usize> {
    let start = path_start(text)?;
    // In quotes it ends with them, whatever is between.
    if let Some(quote @ ('"' | '\'' | '`')) = before
        && let Some(end) = text.find([quote, '\n'])
        && text[end..].starts_with(quote)
    {
        return Some(end);
    }
    let mut end = word_end(text);
    // `/home/Jane Doe/x` goes on: a next word that isn't a path of its own, and in which there is a separator.
    while let Some(next) = text[end..].strip_prefix(' ') {
        let word = &next[..word_end(next)];
        let goes_on = word
            .find(['/', '\\'])
            .is_some_and(|separator| separator > 0);
        if !goes_on || path_start(word).is_some() || address_length(word).is_some() {
            break;
        }
        end += 1 + word.len();
    }
    let path = text[..end].trim_end_matches(['.', ',', ':', ';', '!', '?']);
    let path = match path.char_indices().next_back() {
        Some((last, ')')) if !path.contains('(') => &path[..last],
        Some((last, ']')) if !path.contains('[') => &path[..last],
        Some((last, '}')) if !path.contains('{') => &path[..last],
        _ => path,
    };
    (path.len() >= start).then_some(path.len())
}

/// Length of the least that tells the text for an absolute path.
fn path_start(text: &str) -> Option<usize> {
    if starts_with_file(text) {
        return Some("file:/".len());
    }
    let is_separator = |byte: u8| byte == b'/' || byte == b'\\';
    let bytes = text.as_bytes();
    if let [drive, b':', separator, next, ..] = bytes
        && drive.is_ascii_alphabetic()
        && is_separator(*separator)
        && !next.is_ascii_whitespace()
    {
        return Some(4);
    }
    let first = *bytes.first().filter(|first| is_separator(**first))?;
    let lead = bytes.iter().take_while(|byte| **byte == first).count();
    if first == b'\\' && lead < 2 {
        return None;
    }
    let name = text[lead..].find(|letter| letter == char::from(first) || ends_word(letter))?;
    let after = &text[lead + name..];
    let second = after.trim_start_matches(char::from(first));
    let has_second =
        second.len() < after.len() && !second.starts_with(ends_word) && !second.is_empty();
    (name > 0 && has_second).then(|| lead + name + 1)
}

fn starts_with_file(text: &str) -> bool {
    text.get(..6)
        .is_some_and(|start| start.eq_ignore_ascii_case("file:/"))
}

fn word_end(text: &str) -> usize {
    text.find(ends_word).unwrap_or(text.len())
}

fn ends_word(letter: char) -> bool {
    letter.is_whitespace() || "\"'`<>|".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_and_what_is_around_them_stays() {
        for (text, shown) in [
            ("/home/ann/x", "[path]"),
            ("open /home/ann/x.db: not found", "open [path]: not found"),
            ("failed (/srv/a/b), again", "failed ([path]), again"),
            ("in \"/home/Ann B/my x\" now", "in \"[path]\" now"),
            ("at /home/Ann B/x/y.txt: no", "at [path]: no"),
            ("at:/srv/a/b=/srv/c/d", "at:[path]"),
            ("é/ü: '/srv/é/ü'", "é/ü: '[path]'"),
            (r"open C:\Users\ann\x: no", "open [path]: no"),
            (r"open C:\Program Files\x\y: no", "open [path]: no"),
            ("open c:/Users/ann", "open [path]"),
            (r#"path "C:\\Users\\ann""#, r#"path "[path]""#),
            (r"on \\files\ann\x.txt", "on [path]"),
            ("see file:///etc/x y", "see [path] y"),
            ("FILE:/etc/x", "[path]"),
            ("//srv/a/b", "[path]"),
            ("line\n/srv/a/b\nline", "line\n[path]\nline"),
            ("/srv/a/b /srv/c/d", "[path] [path]"),
        ] {
            assert_eq!(without_paths(text), shown, "{text}");
        }
    }

    #[test]
    fn what_is_no_path_of_the_machine_stays() {
        for text in [
            "",
            "GET https://example.com/a/b?f=/etc/x: 404",
            "ask example.com:80/a/b",
            "src/a/b.rs, ./a/b and ../a/b",
            "and/or, 3 / 4, a // b",
            "$HOME/a/b or ~/a/b",
            r"a regular expression: \d+\w or \\d",
            "unknown flag /v",
            "/",
            "\\\\",
            "//",
            "C:",
            "é",
        ] {
            assert_eq!(without_paths(text), text);
        }
    }
}
