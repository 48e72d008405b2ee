//! Keys and values in tags of their own, after a bare name, as GLM writes it.

use super::machine::Machine;
use super::parameters::{KeyRead, Parameters, Syntax, plain_key};
use super::scan::{Next, literal, skip_space};
use super::tagged;

const KEY_CLOSE: &str = "</arg_key>";
const VALUE: &str = "<arg_value>";

static SYNTAX: Syntax = Syntax {
    open: "<arg_key>",
    key,
    close: "</arg_value>",
    end: &[tagged::CLOSE],
    closers: &[],
};

/// The arguments of a call of this tool.
pub(super) fn arguments(name: &str) -> Box<dyn Machine> {
    Box::new(Parameters::new(&SYNTAX, name, 0))
}

fn key(rest: &str) -> KeyRead {
    match plain_key(rest, KEY_CLOSE) {
        KeyRead::Key { key, length, .. } => match literal(rest, skip_space(rest, length), VALUE) {
            Next::Maybe => KeyRead::More,
            Next::No => KeyRead::No,
            Next::Yes(length) => KeyRead::Key {
                key,
                length,
                is_text: None,
            },
        },
        other => other,
    }
}
