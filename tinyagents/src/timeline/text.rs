//! The timeline as text.

use std::fmt;
use std::time::Duration;

use super::Timeline;
use super::trace::TracedCall;
use super::visible::visible;

/// Most characters of arguments and of a result on one line.
const MAX_SHOWN: usize = 100;

impl fmt::Display for Timeline<'_> {
    /// One line for the run, and one for each request, call and note, in the order in which they began.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", visible(&self.summary(), false))?;
        for (span, call) in self.lines() {
            let length = span.end.saturating_sub(span.start);
            write!(f, "{} {}  ", Millis(span.start), Millis(length))?;
            match call {
                None => writeln!(f, "model")?,
                Some(call) => write_call(f, call)?,
            }
        }
        Ok(())
    }
}

fn write_call(f: &mut fmt::Formatter<'_>, call: &TracedCall) -> fmt::Result {
    write!(
        f,
        "{} {} {} {}",
        visible(&call.tool_name, false),
        visible(&call.call_id, false),
        call.outcome.name(),
        short(&call.arguments)
    )?;
    match &call.result {
        Some(result) => writeln!(f, " -> {}", short(result))?,
        None => writeln!(f)?,
    }
    for note in &call.notes {
        let text = visible(&note.text, false);
        writeln!(
            f,
            "{} {:>10}  | {}: {text}",
            Millis(note.at),
            "",
            note.kind.name()
        )?;
    }
    Ok(())
}

fn short(text: &str) -> String {
    let mut characters = text.chars();
    let mut shown: String = characters.by_ref().take(MAX_SHOWN).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    visible(&shown, false)
}

/// A time in a column of its own.
struct Millis(Duration);

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>7} ms", self.0.as_millis())
    }
}
