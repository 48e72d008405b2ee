//! Text as words to search by.

/// The words of a text, in lower case: identifiers are taken apart at `_`, capitals and digits, and a plural is its
/// singular.
pub(super) fn words(text: &str, mut word: impl FnMut(&str)) {
    let mut current = String::new();
    let mut letters = text.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(letter) = letters.next() {
        if !letter.is_alphanumeric() {
            finish(&mut current, &mut word);
            before = None;
            continue;
        }
        if let Some(before) = before
            && begins_word(before, letter, letters.peek().copied())
        {
            finish(&mut current, &mut word);
        }
        current.extend(letter.to_lowercase());
        before = Some(letter);
    }
    finish(&mut current, &mut word);
}

/// A capital after a small letter, the last of several capitals before a small one, and a digit beside a letter.
fn begins_word(before: char, letter: char, after: Option<char>) -> bool {
    if before.is_numeric() != letter.is_numeric() {
        return true;
    }
    letter.is_uppercase() && (before.is_lowercase() || after.is_some_and(char::is_lowercase))
}

fn finish(current: &mut String, word: &mut impl FnMut(&str)) {
    if !current.is_empty() {
        word(singular(current));
        current.clear();
    }
}

fn singular(word: &str) -> &str {
    let plural = word.len() > 3 && !word.ends_with("ss") && !word.ends_with("us");
    word.strip_suffix('s').filter(|_| plural).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        words(text, |word| all.push(word.to_owned()));
        all
    }

    #[test]
    fn identifiers_are_taken_apart() {
        assert_eq!(split("create_issue"), ["create", "issue"]);
        assert_eq!(
            split("createIssueHTTPRequest"),
            ["create", "issue", "http", "request"]
        );
        assert_eq!(split("s3-upload v2"), ["s", "3", "upload", "v", "2"]);
        assert_eq!(split("Åpne dørene!"), ["åpne", "dørene"]);
        assert_eq!(split("  __ "), Vec::<String>::new());
    }

    #[test]
    fn a_plural_is_found_by_its_singular() {
        assert_eq!(
            split("issues, status; class gas"),
            ["issue", "status", "class", "gas"]
        );
    }
}
