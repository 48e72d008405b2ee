//! Events as lines of JSON.

use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{AgentEvent, EventSink, RunEvent};
use crate::context::RunId;

/// Writes every event as one line of JSON, its `run_id` included.
///
/// It writes in the run's own task: hand it a file, a pipe or a buffer, not a slow connection. Lines that could not be
/// written are counted in [`lost`](Self::lost), and the first reason is kept for [`take_error`](Self::take_error). A run
/// goes on without them, so a host that has to know keeps an `Arc` of the sink and asks when the run is over. A line that
/// was written in part is ended before the next one, so that it
/// takes no other line with it: a reader skips what isn't JSON.
///
/// ```
/// use std::sync::Arc;
///
/// use tinyagents::{JsonLines, RunContext};
///
/// let lines = Arc::new(JsonLines::new(Vec::new()));
/// let ctx = RunContext::new().with_events(Arc::clone(&lines));
/// // … a run in that context …
/// # drop(ctx);
/// assert!(lines.take_error().is_none());
/// ```
pub struct JsonLines<W> {
    lines: Mutex<Lines<W>>,
    lost: AtomicU64,
}

/// The writer, whether the last line in it has no end, and why a line was lost.
struct Lines<W> {
    writer: W,
    is_torn: bool,
    error: Option<io::Error>,
}

impl<W: Write> Lines<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        if self.is_torn {
            self.writer.write_all(b"\n")?;
            self.is_torn = false;
        }
        let mut rest = line;
        while !rest.is_empty() {
            match self.writer.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    rest = rest.get(written..).unwrap_or_default();
                    self.is_torn = !rest.is_empty();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.writer.flush()
    }
}

impl<W: Write + Send> JsonLines<W> {
    /// Writes to `writer`, each line at once.
    pub fn new(writer: W) -> Self {
        Self {
            lines: Mutex::new(Lines {
                writer,
                is_torn: false,
                error: None,
            }),
            lost: AtomicU64::new(0),
        }
    }

    /// How many events could not be written.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Why the first event could not be written that was lost since this was last asked; `None` where none was.
    #[must_use]
    pub fn take_error(&self) -> Option<io::Error> {
        self.lines().error.take()
    }

    /// The writer, with everything written so far.
    pub fn into_inner(self) -> W {
        let lines = self.lines.into_inner();
        lines.unwrap_or_else(PoisonError::into_inner).writer
    }

    fn lines(&self) -> MutexGuard<'_, Lines<W>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lose(&self, error: io::Error) {
        self.lost.fetch_add(1, Ordering::Relaxed);
        self.lines().error.get_or_insert(error);
    }

    fn write(&self, event: &RunEvent) -> io::Result<()> {
        let mut line = serde_json::to_vec(event)?;
        line.push(b'\n');
        self.lines().write(&line)
    }
}

impl<W: Write + Send> EventSink for JsonLines<W> {
    fn emit(&self, run_id: &RunId, event: AgentEvent) {
        let run_id = run_id.clone();
        if let Err(error) = self.write(&RunEvent { run_id, event }) {
            self.lose(error);
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
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;

    /// Says how often it was written to.
    #[derive(Default)]
    struct Full(u32);

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            self.0 += 1;
            Err(io::Error::other(format!("disk full: {}", self.0)))
        }

        fn flush(&mut self) -> io::Result<()> {
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
    fn what_can_not_be_written_is_counted_and_the_first_reason_kept() {
        let sink = Arc::new(JsonLines::new(Full::default()));
        assert!(sink.take_error().is_none());
        for _ in 0..2 {
            sink.emit(&RunId::from("r1"), event("a"));
        }
        assert_eq!(sink.lost(), 2);
        assert_eq!(sink.take_error().unwrap().to_string(), "disk full: 1");
        assert!(sink.take_error().is_none());
        sink.emit(&RunId::from("r1"), event("a"));
        assert_eq!(sink.take_error().unwrap().to_string(), "disk full: 3");
        assert_eq!(sink.lost(), 3);
    }

    /// Takes so many bytes, and is then full until there is room again.
    struct Disk {
        kept: Arc<Mutex<Vec<u8>>>,
        room: Arc<AtomicU64>,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let room = usize::try_from(self.room.load(Ordering::Relaxed)).unwrap();
            let taken = &bytes[..bytes.len().min(room)];
            if taken.is_empty() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.room.fetch_sub(taken.len() as u64, Ordering::Relaxed);
            self.kept.lock().unwrap().extend(taken);
            Ok(taken.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_torn_by_a_full_disk_takes_no_later_line_with_it() {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let one = JsonLines::new(Vec::new());
        one.emit(&RunId::from("r1"), event("a"));
        let line = one.into_inner().len() as u64;
        for torn_at in [0, 1, 20, line - 2, line - 1] {
            let room = Arc::new(AtomicU64::new(line + torn_at));
            kept.lock().unwrap().clear();
            let sink = JsonLines::new(Disk {
                kept: Arc::clone(&kept),
                room: Arc::clone(&room),
            });
            let run = RunId::from("r1");
            sink.emit(&run, event("a"));
            sink.emit(&run, event("b"));
            sink.emit(&run, event("c"));
            assert_eq!(sink.lost(), 2, "torn at {torn_at}");
            room.store(1000, Ordering::Relaxed);
            sink.emit(&run, event("d"));
            assert_eq!(sink.lost(), 2);
            let text = String::from_utf8(kept.lock().unwrap().clone()).unwrap();
            let read: Vec<Value> = text
                .lines()
                .filter_map(|line| serde_json::from_str::<Value>(line).ok())
                .map(|line| line["data"].clone())
                .collect();
            let whole_but_for_its_end = torn_at == line - 1;
            let expected = if whole_but_for_its_end {
                vec!["a", "b", "d"]
            } else {
                vec!["a", "d"]
            };
            assert_eq!(read, expected, "torn at {torn_at}: {text}");
        }
    }
}
