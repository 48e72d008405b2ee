//! `<function=NAME>` around tagged parameters, as Qwen-coder writes it, or around JSON, as Functionary and Llama do.

use super::invoke;
use super::machine::{Machine, Opener};
use super::named_json::{Header, HeaderRead, NamedJson};
use super::parameters::{KeyRead, Parameters, Syntax, plain_key};
use super::tagged;
use super::wrapped::{Choice, Wrapped};

pub(super) const OPEN: &str = "<function=";
const END: &str = "</function>";

pub(super) const OPENER: Opener = Opener::new(OPEN, begin);

static SYNTAX: Syntax = Syntax {
    open: "<parameter=",
    key: |rest| plain_key(rest, ">"),
    close: invoke::PARAMETER_END,
    end: &[END],
    closers: &[tagged::CLOSE],
};

const CLOSERS: &[&str] = &[END, tagged::CLOSE];

pub(super) fn begin() -> Box<dyn Machine> {
    Box::new(Wrapped::new(OPEN.len(), |rest| {
        match plain_key(rest, ">") {
            KeyRead::More => Choice::More,
            KeyRead::No => Choice::No,
            KeyRead::Key { key, length, .. } => {
                // The name stays in the region, for the grammar that reads JSON after a header.
                let body = Wrapped::new(length, move |body| match body.bytes().next() {
                    None => Choice::More,
                    Some(b'{') => Choice::Inner(0, json_body(&key)),
                    Some(_) => Choice::Inner(0, Box::new(Parameters::new(&SYNTAX, &key, 0))),
                });
                Choice::Inner(0, Box::new(body))
            }
        }
    }))
}

fn json_body(name: &str) -> Box<dyn Machine> {
    let header = Header {
        id: String::new(),
        name: name.to_owned(),
        end: 0,
    };
    let read = move |_: &str| HeaderRead::Header(header.clone());
    Box::new(NamedJson::new(read, CLOSERS))
}
