//! Events as lines of JSON.

use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{AgentEvent, EventSink, RunEvent};
use crate::context::RunId;

/// Writes every event as one line of JSON, its `run_id` included.
///
/// It writes in the run's own task: hand it a file, a pipe or a buffer, not a slow connection. Lines that could not be
/// written are counted in [`lost`](Self::lost).
pub struct JsonLines<W> {
    writer: Mutex<W>,
    lost: AtomicU64,
}

impl<W: Write + Send> JsonLines<W> {
    /// Writes to `writer`, each line at once.
    pub fn new(writer: W) -> Self {
        Self {
            writer: Mutex::new(writer),
            lost: AtomicU64::new(0),
        }
    }

    /// How many events could not be written.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// The writer, with everything written so far.
    pub fn into_inner(self) -> W {
        self.writer
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, event: &RunEvent) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(event)?;
        line.push(b'\n');
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.write_all(&line)?;
        writer.flush()
    }
}

impl<W: Write + Send> EventSink for JsonLines<W> {
    fn emit(&self, run_id: &RunId, event: AgentEvent) {
        let run_id = run_id.clone();
        if self.write(&RunEvent { run_id, event }).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl<W> fmt::Debug for JsonLines<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonLines")
            .field("lost", &self.lost)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("disk full"))
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn event(text: &str) -> AgentEvent {
        AgentEvent::Custom {
            call_id: None,
            tool_name: None,
            data: json!(text),
        }
    }

    #[test]
    fn each_event_is_one_line() {
        let sink = JsonLines::new(Vec::new());
        sink.emit(&RunId::from("r1"), event("a\nb"));
        sink.emit(&RunId::from("r1"), event("c"));
        let text = String::from_utf8(sink.into_inner()).unwrap();
        let expected = concat!(
            r#"{"run_id":"r1","type":"custom","data":"a\nb"}"#,
            "\n",
            r#"{"run_id":"r1","type":"custom","data":"c"}"#,
            "\n"
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn what_can_not_be_written_is_counted() {
        let sink = JsonLines::new(Full);
        sink.emit(&RunId::from("r1"), event("a"));
        assert_eq!(sink.lost(), 1);
    }
}
