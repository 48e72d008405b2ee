//! One opening tag, and the text between tags.

/// An opening tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) name: String,
    /// In order, entities resolved.
    pub(super) attributes: Vec<(String, String)>,
    /// `<name/>`.
    pub(super) is_empty: bool,
    /// In bytes, brackets included.
    pub(super) length: usize,
}

/// What is at the place of a tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TagRead {
    More,
    /// None; so many bytes had to be looked at.
    No(usize),
    Tag(Tag),
}

/// Whether a tag's name may have this character; the first is a letter or `_`.
pub(in crate::dialect) fn is_tag_name(next: char) -> bool {
    next.is_ascii_alphanumeric() || matches!(next, '_' | '-' | '.')
}

/// Reads an opening tag at the beginning of the text.
pub(super) fn tag(text: &str) -> TagRead {
    let Some(rest) = text.strip_prefix('<') else {
        return if text.is_empty() {
            TagRead::More
        } else {
            TagRead::No(1)
        };
    };
    let Some(length) = rest.find(|next: char| !is_tag_name(next)) else {
        return TagRead::More;
    };
    let name = &rest[..length];
    if !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        return TagRead::No(length + 2);
    }
    let mut at = 1 + length;
    let mut attributes = Vec::new();
    loop {
        let spaced = text.len() - text[at..].trim_start().len();
        let rest = &text[spaced..];
        let done = |is_empty: bool, length: usize, attributes| {
            TagRead::Tag(Tag {
                name: name.to_owned(),
                attributes,
                is_empty,
                length,
            })
        };
        match rest.as_bytes() {
            [] | [b'/'] => return TagRead::More,
            [b'>', ..] => return done(false, spaced + 1, attributes),
            [b'/', b'>', ..] => return done(true, spaced + 2, attributes),
            _ if spaced == at => return TagRead::No(spaced + 1),
            _ => {}
        }
        let Some(equals) = rest.find(|next: char| !is_tag_name(next)) else {
            return TagRead::More;
        };
        let key = &rest[..equals];
        let mut value = rest[equals..].chars();
        let quote = match (value.next(), value.next()) {
            (Some('='), Some(quote @ ('"' | '\''))) => quote,
            (Some('='), None) => return TagRead::More,
            _ => return TagRead::No(spaced + equals + 1),
        };
        let start = equals + 2;
        let Some(end) = rest[start..].find(quote) else {
            return TagRead::More;
        };
        attributes.push((key.to_owned(), unescape(&rest[start..start + end])));
        at = spaced + start + end + 1;
    }
}

pub(in crate::dialect) const CDATA: &str = "<![CDATA[";
pub(in crate::dialect) const CDATA_END: &str = "]]>";

/// The text between two tags: CDATA as it is; else without the line break on either side, entities resolved.
pub(super) fn content(text: &str) -> String {
    if !text.contains(CDATA) {
        return unescape(super::parameters::without_layout(text));
    }
    let mut read = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(CDATA) {
        read.push_str(&unescape(before.trim()));
        let (inside, behind) = after.split_once(CDATA_END).unwrap_or((after, ""));
        read.push_str(inside);
        rest = behind;
    }
    read.push_str(&unescape(rest.trim()));
    read
}

/// Resolves the entities of XML and numeric ones; what is none stays.
fn unescape(text: &str) -> String {
    let mut read = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find('&') {
        read.push_str(&rest[..place]);
        rest = &rest[place..];
        let entity = rest
            .as_bytes()
            .iter()
            .take(10)
            .position(|&byte| byte == b';')
            .and_then(|end| Some((resolve(rest.get(1..end)?)?, end + 1)));
        let (character, length) = entity.unwrap_or(('&', 1));
        read.push(character);
        rest = &rest[length..];
    }
    read.push_str(rest);
    read
}

fn resolve(entity: &str) -> Option<char> {
    Some(match entity {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let code = entity.strip_prefix('#')?;
            let code = match code.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => code.parse(),
            };
            return char::from_u32(code.ok()?);
        }
    })
}
