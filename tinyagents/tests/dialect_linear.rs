//! Twice the text takes twice the time, whole and byte by byte, whatever the text is.

#![allow(missing_docs, unreachable_pub)]

mod dialect_support;

use std::hint::black_box;
use std::time::{Duration, Instant};

use dialect_support::{schemas, texts};
use tinyagents::ToolSchema;
use tinyagents::dialect::{StreamScrubber, parse_calls};

/// The shorter text, and how many of it the longer one has.
const SIZE: usize = 16 << 10;
const TIMES: usize = 8;

/// Most that the longer one may take, in times of as many shorter ones. To look at all of it again for each byte would take
/// `TIMES` of it.
const MOST: u32 = 4;

fn whole(text: &str, schemas: &[ToolSchema]) {
    black_box(parse_calls(text, schemas));
}

fn bytewise(text: &str, schemas: &[ToolSchema]) {
    let mut scrubber = StreamScrubber::new(schemas);
    for byte in text.as_bytes().chunks(1) {
        black_box(scrubber.push_bytes(byte));
    }
    black_box(scrubber.finish());
}

/// The shortest of some times to read a text so often: what else the machine does only adds to one.
fn shortest(
    read: fn(&str, &[ToolSchema]),
    text: &str,
    times: usize,
    schemas: &[ToolSchema],
) -> Duration {
    let times = (0..3).map(|_| {
        let start = Instant::now();
        for _ in 0..times {
            read(text, schemas);
        }
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

/// The times of many short texts and of one as long as all of them. Both take about as long, so that other work of the
/// machine slows both down alike.
fn compared(
    read: fn(&str, &[ToolSchema]),
    [short, long]: [&str; 2],
    schemas: &[ToolSchema],
) -> (Duration, Duration) {
    let many = shortest(read, short, TIMES, schemas);
    (many, shortest(read, long, 1, schemas))
}

fn is_linear(many: Duration, one: Duration) -> bool {
    one <= many * MOST + Duration::from_millis(5)
}

#[test]
fn the_time_grows_as_the_text_does() {
    let schemas = schemas();
    for (name, make) in texts() {
        let [short, long] = [SIZE, SIZE * TIMES].map(make);
        for (way, read) in [
            ("whole", whole as fn(&str, &[ToolSchema])),
            ("bytewise", bytewise),
        ] {
            let (many, one) = compared(read, [&short, &long], &schemas);
            println!("{name}, {way}: {many:?}, {one:?}");
            assert!(
                is_linear(many, one),
                "{name}, {way}: {one:?} where {many:?} are due"
            );
        }
    }
}

#[test]
fn a_reader_that_begins_again_would_be_found() {
    fn again(text: &str, schemas: &[ToolSchema]) {
        for end in (0..text.len()).step_by(1024) {
            whole(&text[..end], schemas);
        }
    }
    let (_, make) = texts()[0];
    let [short, long] = [SIZE, SIZE * TIMES].map(make);
    let (many, one) = compared(again, [&short, &long], &schemas());
    assert!(!is_linear(many, one), "{one:?} where {many:?} are due");
}
