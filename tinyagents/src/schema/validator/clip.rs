//! Texts of bounded length.

use std::borrow::Cow;

/// The text, or as much of it as fits with an ellipsis into `max` characters.
#[inline]
pub(in crate::schema) fn clip(text: &str, max: usize) -> Cow<'_, str> {
    // No text has more characters than bytes.
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    clip_by_characters(text, max)
}

#[cold]
fn clip_by_characters(text: &str, max: usize) -> Cow<'_, str> {
    if text.chars().count() <= max {
        return Cow::Borrowed(text);
    }
    let kept: String = text.chars().take(max.saturating_sub(1)).collect();
    Cow::Owned(kept + "…")
}

/// `total` texts with commas between, until `max` characters are used up; then how many more there are.
pub(super) fn list(total: usize, texts: impl IntoIterator<Item = String>, max: usize) -> String {
    let mut left = total;
    let mut listed = String::new();
    let mut characters = 0;
    for text in texts {
        let length = text.chars().count() + 2;
        if characters + length > max && characters > 0 {
            return format!("{listed}, … {left} more");
        }
        if characters > 0 {
            listed.push_str(", ");
        }
        listed.push_str(&clip(&text, max));
        characters += length;
        left -= 1;
    }
    listed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(clip("äöü", 3), "äöü");
        assert_eq!(clip("äöüß", 3), "äö…");
        assert_eq!(clip("abc", 0), "…");
    }

    #[test]
    fn a_list_says_how_much_it_leaves_out() {
        let names = || {
            ["one", "two", "three", "four"]
                .map(String::from)
                .into_iter()
        };
        assert_eq!(list(4, names(), 40), "one, two, three, four");
        assert_eq!(list(4, names(), 12), "one, two, … 2 more");
        assert_eq!(list(4, names(), 1), "…, … 3 more");
    }
}
