//! Server-sent events, as endpoints really send them.
//!
//! The format: <https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>.

use std::collections::VecDeque;

use serde_json::Value;

/// Most bytes of one event.
const MAX_EVENT_BYTES: usize = 16 << 20;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One event.
#[derive(Debug, PartialEq)]
pub(super) enum Event {
    /// A piece of the answer.
    Chunk(Value),
    /// The endpoint says that it failed.
    Error(Value),
    /// Data that is no JSON.
    Unreadable(String),
    /// `[DONE]`: nothing follows.
    Done,
}

/// An event was longer than it may be.
#[derive(Debug, PartialEq)]
pub(super) struct EventTooLong;

/// Makes events of bytes, wherever these are cut, one at a time: what a fast endpoint has sent ahead waits as bytes, not as
/// the values that it tells of, which are several times as large.
///
/// An event whose first line of data is a whole JSON value is there as soon as the line ends: every endpoint sends such ones, and
/// some leave out the empty line after them.
#[derive(Debug, Default)]
pub(super) struct EventReader {
    /// What has come; empty once all of it was looked at.
    rest: Vec<u8>,
    /// How much of it was.
    looked_at: usize,
    /// The line that is not complete yet.
    line: Vec<u8>,
    /// Lines of data whose event is not complete yet.
    data: Option<String>,
    is_error: bool,
    /// The last line ended with CR: an LF right after it belongs to that.
    after_cr: bool,
    has_begun: bool,
    ready: VecDeque<Event>,
}

impl EventReader {
    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
    }

    /// The next event that is complete.
    pub(super) fn pop(&mut self) -> Result<Option<Event>, EventTooLong> {
        while self.ready.is_empty() && !self.rest.is_empty() {
            self.read_line()?;
        }
        Ok(self.ready.pop_front())
    }

    /// Takes a line, or what there is of one.
    fn read_line(&mut self) -> Result<(), EventTooLong> {
        // Taken out while it is read; back it comes with what is left.
        let rest = std::mem::take(&mut self.rest);
        let mut start = self.looked_at;
        self.looked_at = 0;
        if std::mem::take(&mut self.after_cr) && rest.get(start) == Some(&b'\n') {
            start += 1;
        }
        let left = &rest[start..];
        let Some(end) = left.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            return self.extend_line(left);
        };
        self.extend_line(&left[..end])?;
        self.after_cr = left[end] == b'\r';
        let next = start + end + 1;
        if next < rest.len() {
            self.rest = rest;
            self.looked_at = next;
        }
        self.end_line()
    }

    /// Takes the end of the bytes. Some endpoints leave out the end of the last line.
    pub(super) fn finish(&mut self) -> Result<(), EventTooLong> {
        while !self.rest.is_empty() {
            self.read_line()?;
        }
        self.end_line()?;
        self.end_event();
        Ok(())
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), EventTooLong> {
        let held = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if held + bytes.len() > MAX_EVENT_BYTES {
            return Err(EventTooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), EventTooLong> {
        let line = std::mem::take(&mut self.line);
        let mut bytes = line.as_slice();
        if !self.has_begun {
            self.has_begun = true;
            bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        }
        if bytes.is_empty() {
            self.end_event();
            return Ok(());
        }
        // Only a whole line is read as text, so a character may be cut between two pieces.
        let text = String::from_utf8_lossy(bytes);
        let (field, value) = match text.split_once(':') {
            // An error outside of any event: the line is the bare object.
            _ if text.starts_with('{') => ("data", text.as_ref()),
            Some((field, value)) => (field, value.strip_prefix(' ').unwrap_or(value)),
            None => (text.as_ref(), ""),
        };
        match field {
            "data" => self.add_data(value),
            "event" => self.is_error = value.trim() == "error",
            // Comments, which keep the connection alive, have no field name; `id` and `retry` are of no use here.
            _ => {}
        }
        // What is read is not held.
        self.extend_line(&[])
    }

    fn add_data(&mut self, value: &str) {
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None if value.trim().is_empty() => {}
            None => match read(value) {
                Some(event) => self.ready_event(event),
                None => self.data = Some(value.to_owned()),
            },
        }
    }

    fn end_event(&mut self) {
        if let Some(data) = self.data.take() {
            let event = read(&data).unwrap_or(Event::Unreadable(data));
            self.ready_event(event);
        }
        self.is_error = false;
    }

    fn ready_event(&mut self, event: Event) {
        let event = match event {
            Event::Chunk(value) if self.is_error || has_error(&value) => Event::Error(value),
            Event::Unreadable(text) if self.is_error => Event::Error(Value::String(text)),
            event => event,
        };
        self.ready.push_back(event);
    }
}

fn read(data: &str) -> Option<Event> {
    let data = data.trim();
    if data == "[DONE]" {
        return Some(Event::Done);
    }
    serde_json::from_str(data).ok().map(Event::Chunk)
}

/// Whether a value tells of a failure, whatever the status was.
pub(super) fn has_error(value: &Value) -> bool {
    value.get("error").is_some_and(|error| !error.is_null())
        || value.get("object").and_then(Value::as_str) == Some("error")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read_in_pieces(bytes: &[u8], size: usize) -> Vec<Event> {
        let mut reader = EventReader::default();
        let mut events = Vec::new();
        for piece in bytes.chunks(size) {
            reader.push(piece);
            events.extend(std::iter::from_fn(|| reader.pop().unwrap()));
        }
        reader.finish().unwrap();
        events.extend(std::iter::from_fn(|| reader.pop().unwrap()));
        events
    }

    #[test]
    fn events_are_the_same_wherever_the_bytes_are_cut() {
        let stream = "\u{feff}: hello\r\n\r\ndata: {\"text\":\"smørrebrød 🥪\"}\r\n\r\n:\r\rdata:{\"n\":1}\r\revent: ping\ndata\n\n\
            id: 4\nretry: 10\ndata: {\ndata: \"n\": 2\ndata: }\n\ndata: [DONE]\n\n";
        let whole = read_in_pieces(stream.as_bytes(), stream.len());
        assert_eq!(
            whole,
            [
                Event::Chunk(json!({ "text": "smørrebrød 🥪" })),
                Event::Chunk(json!({ "n": 1 })),
                Event::Chunk(json!({ "n": 2 })),
                Event::Done,
            ]
        );
        for size in 1..stream.len() {
            assert_eq!(read_in_pieces(stream.as_bytes(), size), whole, "{size}");
        }
    }

    #[test]
    fn an_event_is_there_when_its_line_ends() {
        let mut reader = EventReader::default();
        let mut next = |bytes: &str| {
            reader.push(bytes.as_bytes());
            reader.pop().unwrap()
        };
        assert_eq!(next("data: {\"n\":1}"), None);
        assert_eq!(next("\r"), Some(Event::Chunk(json!({ "n": 1 }))));
        assert_eq!(next("\n\r\n"), None);
    }

    #[test]
    fn the_end_of_the_last_line_may_be_missing() {
        assert_eq!(read_in_pieces(b"data: [DONE]", 3), [Event::Done]);
        assert_eq!(
            read_in_pieces(b"data: {\"n\":", 4),
            [Event::Unreadable("{\"n\":".to_owned())]
        );
    }

    #[test]
    fn errors_are_told_from_chunks() {
        let error = json!({ "error": { "message": "overloaded" } });
        for text in [
            format!("data: {error}\n\n"),
            format!("event: error\ndata: {error}\n\n"),
            format!("{error}\n"),
        ] {
            let events = read_in_pieces(text.as_bytes(), 7);
            assert_eq!(events, [Event::Error(error.clone())], "{text}");
        }
        assert_eq!(
            read_in_pieces(b"event: error\ndata: out of memory\n\n", 5),
            [Event::Error(json!("out of memory"))]
        );
        let chunk = json!({ "error": null, "choices": [] });
        assert_eq!(
            read_in_pieces(format!("data: {chunk}\n\n").as_bytes(), 9),
            [Event::Chunk(chunk)]
        );
    }

    #[test]
    fn an_event_without_an_end_is_refused() {
        let outcome = |piece: Vec<u8>| {
            let mut reader = EventReader::default();
            (0..17).find_map(|_| {
                reader.push(&piece);
                reader.pop().err()
            })
        };
        let piece = vec![b'x'; 1 << 20];
        assert_eq!(outcome(piece.clone()), Some(EventTooLong));
        let line = [b"data: x".as_slice(), &piece, b"\n"].concat();
        assert_eq!(outcome(line), Some(EventTooLong));
    }

    #[test]
    fn what_came_ahead_is_read_one_event_at_a_time() {
        let mut reader = EventReader::default();
        reader.push("data: {\"n\":1}\n\n".repeat(1_000).as_bytes());
        assert!(reader.pop().unwrap().is_some());
        assert!(reader.ready.is_empty() && !reader.rest.is_empty());
    }
}
