//! Any bytes in pieces give the events that they give whole. The first byte says how they are cut.

#[path = "../../src/model/openai/event_stream.rs"]
mod reader;

use reader::{Event, EventReader, has_error};

/// Reads the bytes whole, byte by byte and in pieces, and compares.
pub fn check(data: &[u8]) {
    let Some((&first, bytes)) = data.split_first() else {
        return;
    };
    let whole = events(bytes, |_| bytes.len().max(1));
    assert_eq!(events(bytes, |_| 1), whole);
    // Another length each time, from 1 to 7.
    let pieces = events(bytes, |number| (usize::from(first) + number * 5) % 7 + 1);
    assert_eq!(pieces, whole);
    for event in &whole {
        if let Event::Chunk(value) = event {
            assert!(!has_error(value), "a failure is no piece of an answer");
        }
    }
    // What is there before the end of the bytes is there with more of them.
    let early = early_events(bytes);
    assert!(whole.starts_with(&early));
    let more = [bytes, b"\n\ndata: [DONE]\n\n"].concat();
    assert!(events(&more, |_| more.len()).ends_with(&[Event::Done]));
}

fn events(bytes: &[u8], size: impl Fn(usize) -> usize) -> Vec<Event> {
    let mut reader = EventReader::default();
    let mut events = Vec::new();
    let mut rest = bytes;
    let mut number = 0;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(size(number).min(rest.len()));
        reader.push(piece);
        // Some are taken as they come, the others all at the end.
        if number % 2 == 1 {
            events.extend(taken(&mut reader));
        }
        rest = after;
        number += 1;
    }
    assert!(reader.finish().is_ok(), "no event here is too long");
    events.extend(taken(&mut reader));
    events
}

fn early_events(bytes: &[u8]) -> Vec<Event> {
    let mut reader = EventReader::default();
    reader.push(bytes);
    taken(&mut reader)
}

fn taken(reader: &mut EventReader) -> Vec<Event> {
    let next = || match reader.pop() {
        Ok(event) => event,
        Err(reader::EventTooLong) => panic!("no event here is too long"),
    };
    std::iter::from_fn(next).collect()
}
