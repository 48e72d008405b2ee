//! The timeline as one HTML page.

use std::fmt::Write as _;
use std::time::Duration;

use super::Timeline;
use super::trace::{Span, TracedCall};
use super::visible::escaped;

/// No script, no address, nothing to be fetched; the policy says so to the browser as well.
const HEAD: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Timeline of a run</title>
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #222; background: #fff; }
.line { display: grid; grid-template-columns: 16em 5em 1fr; gap: 0 1em; align-items: center; }
.name { overflow-wrap: anywhere; }
.time { text-align: right; color: #666; font-variant-numeric: tabular-nums; }
.track { position: relative; height: 1.1em; background: #f3f3f3; border-radius: 3px; }
.bar { position: absolute; top: 0; bottom: 0; min-width: 3px; border-radius: 3px; }
.tick { position: absolute; top: -2px; bottom: -2px; width: 3px; }
.model { background: #b8c0cc; }
.completed { background: #4c9f70; }
.failed { background: #c8443c; }
.deferred { background: repeating-linear-gradient(45deg, #e0a100 0 6px, #f2cf6b 6px 12px); }
.denied { background: #8e5bb5; }
.retry { background: #e8731a; }
.recovery { background: #2f7fd0; }
.deferral { background: #a87800; }
.approval { background: #5d3a7a; }
.swatch { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin: 0 .3em 0 1em; }
details { margin: .3em 0; }
summary { cursor: pointer; }
summary .line { display: inline-grid; width: calc(100% - 2em); vertical-align: middle; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f7f7f7; padding: .6em; margin: .3em 0 .3em 1.4em; }
h2 { font-size: 1em; margin: .4em 0 0 1.4em; }
ul { margin: .3em 0 .3em 1.4em; }
</style>
</head>
<body>
"#;

/// The classes of bars and ticks, for the legend.
const KINDS: [&str; 9] = [
    "model",
    "completed",
    "failed",
    "deferred",
    "denied",
    "retry",
    "recovery",
    "deferral",
    "approval",
];

impl Timeline<'_> {
    /// The timeline as one page that needs nothing else: no network, no script. Arguments and results are folded.
    #[must_use]
    pub fn to_html(&self) -> String {
        let mut page = String::from(HEAD);
        let end = self.end();
        // Writing to a `String` can't fail, here and below.
        let _ = writeln!(page, "<h1>{}</h1>\n<p>", escaped(&self.summary()));
        for kind in KINDS {
            let _ = writeln!(page, "<span class=\"swatch {kind}\"></span>{kind}");
        }
        page.push_str("</p>\n");
        for (span, call) in self.lines() {
            match call {
                None => add_line(&mut page, "model", "model", span, None, end),
                Some(call) => add_call(&mut page, call, end),
            }
        }
        page.push_str("</body>\n</html>\n");
        page
    }
}

fn add_call(page: &mut String, call: &TracedCall, end: Duration) {
    page.push_str("<details><summary>");
    let name = format!("{} ({})", call.tool_name, call.outcome.name());
    add_line(page, &name, call.outcome.name(), call.span, Some(call), end);
    page.push_str("</summary>\n");
    let _ = writeln!(page, "<h2>Call</h2><pre>{}</pre>", escaped(&call.call_id));
    if !call.notes.is_empty() {
        page.push_str("<ul>\n");
        for note in &call.notes {
            let (at, text) = (note.at.as_millis(), escaped(&note.text));
            let _ = writeln!(page, "<li>{at} ms, {}: {text}</li>", note.kind.name());
        }
        page.push_str("</ul>\n");
    }
    let _ = writeln!(
        page,
        "<h2>Arguments</h2><pre>{}</pre>",
        escaped(&call.arguments)
    );
    if let Some(result) = &call.result {
        let _ = writeln!(page, "<h2>Result</h2><pre>{}</pre>", escaped(result));
    }
    page.push_str("</details>\n");
}

/// One line on the time axis. `class` is one of [`KINDS`].
fn add_line(
    page: &mut String,
    name: &str,
    class: &str,
    span: Span,
    call: Option<&TracedCall>,
    end: Duration,
) {
    let length = span.end.saturating_sub(span.start);
    let _ = write!(
        page,
        "<div class=\"line\"><span class=\"name\">{}</span><span class=\"time\">{} ms</span>\
         <span class=\"track\"><span class=\"bar {class}\" style=\"left:{:.2}%;width:{:.2}%\"></span>",
        escaped(name),
        length.as_millis(),
        percent(span.start, end),
        percent(length, end),
    );
    for note in call.into_iter().flat_map(|call| &call.notes) {
        let (kind, at) = (note.kind.name(), percent(note.at, end));
        let _ = write!(
            page,
            "<span class=\"tick {kind}\" style=\"left:{at:.2}%\"></span>"
        );
    }
    page.push_str("</span></div>\n");
}

fn percent(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() {
        return 0.0;
    }
    (100.0 * part.as_secs_f64() / whole.as_secs_f64()).min(100.0)
}
