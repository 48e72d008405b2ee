//! Strings as Python and JavaScript write them.

use crate::cursor::Cursor;

/// Reads a string in either kind of quotes, once or three times; the first of them comes next.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<String, String> {
    let quote = cursor.take(1);
    let mark = char::from(quote.as_bytes()[0]);
    let three = if mark == '"' { "\"\"\"" } else { "'''" };
    // Two quotes and no third are an empty string.
    let close = if cursor.eat(&three[1..]) {
        three
    } else {
        quote
    };
    let mut read = String::new();
    loop {
        read.push_str(cursor.take_while(|next| next != '\\' && next != mark));
        if cursor.eat(close) {
            return Ok(read);
        }
        if cursor.eat("\\") {
            escape(cursor, &mut read)?;
        } else if cursor.eat(quote) {
            read.push_str(quote);
        } else {
            return Err("a string is not closed".to_owned());
        }
    }
}

/// What comes after a backslash.
fn escape(cursor: &mut Cursor<'_>, read: &mut String) -> Result<(), String> {
    let Some(escaped) = cursor.peek() else {
        return Err("a string is not closed".to_owned());
    };
    cursor.take(escaped.len_utf8());
    match escaped {
        'n' => read.push('\n'),
        't' => read.push('\t'),
        'r' => read.push('\r'),
        'b' => read.push('\u{8}'),
        'f' => read.push('\u{c}'),
        '"' | '\'' | '\\' | '/' => read.push(escaped),
        'x' => read.push(code_point(cursor, 2)?),
        'u' => read.push(code_point(cursor, 4)?),
        // A line break after the backslash continues the line.
        '\n' => {}
        // As Python does: what is no escape stands for itself, the backslash included.
        other => read.extend(['\\', other]),
    }
    Ok(())
}

fn code_point(cursor: &mut Cursor<'_>, digits: usize) -> Result<char, String> {
    let high = hex(cursor, digits)?;
    if digits == 4 && (0xd800..0xdc00).contains(&high) && cursor.eat("\\u") {
        let low = hex(cursor, 4)?;
        if (0xdc00..0xe000).contains(&low) {
            let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            return char::from_u32(code).ok_or_else(no_character);
        }
        return Err(no_character());
    }
    char::from_u32(high).ok_or_else(no_character)
}

fn hex(cursor: &mut Cursor<'_>, digits: usize) -> Result<u32, String> {
    let code = cursor
        .rest()
        .get(..digits)
        .filter(|code| code.bytes().all(|digit| digit.is_ascii_hexdigit()))
        .and_then(|code| u32::from_str_radix(code, 16).ok())
        .ok_or_else(no_character)?;
    cursor.take(digits);
    Ok(code)
}

fn no_character() -> String {
    "an escape stands for no character".to_owned()
}
