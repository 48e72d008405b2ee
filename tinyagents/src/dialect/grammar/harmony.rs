//! Channels and recipients between sentinel tokens, as gpt-oss writes them.

use super::machine::{Machine, Opener, Then};
use super::named_json::{Header, HeaderRead, NamedJson};
use super::wrapped::{Choice, Silent, Wrapped};

const START: &str = "<|start|>";
const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
const CALL: &str = "<|call|>";
const END: &str = "<|end|>";
const RETURN: &str = "<|return|>";

pub(super) const OPENERS: [Opener; 5] = [
    Opener::new(START, || Box::new(Wrapped::new(START.len(), message))),
    Opener::new(CHANNEL, || Box::new(Wrapped::new(CHANNEL.len(), message))),
    Opener::new(CALL, || Box::new(Silent(CALL.len()))),
    Opener::new(END, || Box::new(Silent(END.len()))),
    Opener::new(RETURN, || Box::new(Silent(RETURN.len()))),
];

/// A header up to the message: a call if it has a recipient, reasoning if that is its channel, else text.
fn message(rest: &str) -> Choice {
    let Some(end) = rest.find(MESSAGE) else {
        return Choice::More;
    };
    let body = end + MESSAGE.len();
    let header = &rest[..end];
    if let Some((_, recipient)) = header.split_once("to=") {
        let length = recipient
            .find(|next: char| next.is_whitespace() || next == '<')
            .unwrap_or(recipient.len());
        let name = &recipient[..length];
        let name = name.strip_prefix("functions.").unwrap_or(name);
        return Choice::Inner(body, arguments(name));
    }
    let is_analysis = header
        .split("<|")
        .any(|part| part.trim_end().ends_with("analysis"));
    let then = if is_analysis {
        Then::Reasoning(&[END, RETURN])
    } else {
        Then::Text
    };
    Choice::Markup(body, then)
}

fn arguments(name: &str) -> Box<dyn Machine> {
    let header = Header {
        id: String::new(),
        name: name.to_owned(),
        end: 0,
    };
    let read = move |_: &str| HeaderRead::Header(header.clone());
    Box::new(NamedJson::new(read, &[CALL, END]).with_empty_body())
}
