//! What stands around an object.

use super::{quoted, rewrite::rewrite_object};
use crate::cursor::Cursor;

/// Most redundant braces around an object; a model that is told of them tends to add one more each time.
const MAX_WRAPPING: usize = 8;

/// Longest name in a tag of a chat template, in bytes.
const MAX_TAG: usize = 64;

/// A text without what stands around it.
pub(super) enum Peeled {
    /// An object, rewritten as JSON.
    Object(String),
    /// A text that was written as a string.
    Encoded(String),
}

/// Takes off what stands around an object. `None` if there is anything that isn't known to say nothing.
pub(super) fn peel(text: &str) -> Option<Peeled> {
    let mut cursor = Cursor::new(text);
    cursor.skip_space();
    skip_opening_fence(&mut cursor);
    if let Some(text) = unescaped(cursor.rest()) {
        return Some(Peeled::Encoded(text));
    }
    let mut string = String::new();
    let peeled = if quoted::rewrite(&mut cursor, &mut string)? {
        Peeled::Encoded(serde_json::from_str(&string).ok()?)
    } else {
        Peeled::Object(wrapped_object(&mut cursor)?)
    };
    skip_debris(&mut cursor);
    cursor.rest().is_empty().then_some(peeled)
}

/// The inside of a Markdown fence, or all of the text.
pub(in crate::admission) fn without_fences(text: &str) -> &str {
    let mut cursor = Cursor::new(text);
    cursor.skip_space();
    skip_opening_fence(&mut cursor);
    cursor.rest().trim_end().trim_end_matches('`').trim_end()
}

fn skip_opening_fence(cursor: &mut Cursor<'_>) {
    if skip_fence(cursor) {
        cursor.take_while(|letter| letter.is_ascii_alphanumeric() || "_+-".contains(letter));
        cursor.skip_space();
    }
}

fn skip_fence(cursor: &mut Cursor<'_>) -> bool {
    let is_fence = cursor.rest().starts_with("```");
    if is_fence {
        cursor.take_while(|letter| letter == '`');
    }
    is_fence
}

/// The text without backslashes, where it is the inside of a string: every quote has one, and nothing else does.
fn unescaped(text: &str) -> Option<String> {
    let first = text.trim_start_matches(|letter: char| letter == '{' || letter.is_whitespace());
    if !text.starts_with('{') || !first.starts_with("\\\"") {
        return None;
    }
    let escaped = text.matches("\\\"").count();
    let is_consistent =
        text.matches('"').count() == escaped && text.matches('\\').count() == escaped;
    is_consistent.then(|| text.replace("\\\"", "\""))
}

fn wrapped_object(cursor: &mut Cursor<'_>) -> Option<String> {
    skip_empty_object(cursor);
    let mut wrapping = 0;
    while let Some(inner) = inside_brace(*cursor) {
        wrapping += 1;
        if wrapping > MAX_WRAPPING {
            return None;
        }
        *cursor = inner;
    }
    let object = rewrite_object(cursor)?;
    for _ in 0..wrapping {
        cursor.skip_space();
        cursor.eat("}").then_some(())?;
    }
    if wrapping == 0 {
        // At most one: of several, an opening bracket may be missing as well.
        cursor.skip_space();
        let _ = cursor.eat("}") || cursor.eat("]");
    }
    Some(object)
}

/// Some gateways open a call with `{}` and send the arguments after it.
fn skip_empty_object(cursor: &mut Cursor<'_>) {
    let mut after = *cursor;
    if !after.eat("{") {
        return;
    }
    after.skip_space();
    if !after.eat("}") {
        return;
    }
    after.skip_space();
    if after.peek() == Some('{') {
        *cursor = after;
    }
}

/// The place after an opening brace, if another one follows.
fn inside_brace(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    if !cursor.eat("{") {
        return None;
    }
    cursor.skip_space();
    (cursor.peek() == Some('{')).then_some(cursor)
}

/// Skips closing fences and tags of chat templates, which say that something ended.
fn skip_debris(cursor: &mut Cursor<'_>) {
    loop {
        cursor.skip_space();
        if !skip_fence(cursor) && !skip_tag(cursor) {
            return;
        }
    }
}

fn skip_tag(cursor: &mut Cursor<'_>) -> bool {
    // `<|call|>`, `<｜tool▁calls▁end｜>`, `</tool_call>`, `<tool_call|>`, `[/TOOL_CALLS]`, `<end_of_turn>`.
    const SHAPES: [(&str, &str); 6] = [
        ("<|", "|>"),
        ("<｜", "｜>"),
        ("</", ">"),
        ("<", "|>"),
        ("[/", "]"),
        ("<end_", ">"),
    ];
    SHAPES.iter().any(|(opening, closing)| {
        let mut after = *cursor;
        if !after.eat(opening) {
            return false;
        }
        let name = after.take_while(|letter| letter.is_alphanumeric() || "_-:.▁".contains(letter));
        let is_tag = !name.is_empty() && name.len() <= MAX_TAG && after.eat(closing);
        if is_tag {
            *cursor = after;
        }
        is_tag
    })
}
