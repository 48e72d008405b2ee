//! Reading a model's text, whole and byte by byte: each doubling of the text may double the time and no more.
//!
//! As an indication, 50 MB/s whole and 20 MB/s byte by byte. The sizes of the `PType` catalogue and of the JSON schemas are
//! printed first.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::json;
use tinyagents::ToolSchema;
use tinyagents::dialect::{Dialect, StreamScrubber, parse_calls, render_catalogue};

const SIZES: [usize; 3] = [256 << 10, 512 << 10, 1 << 20];

fn schemas() -> Vec<ToolSchema> {
    vec![
        ToolSchema::new(
            "search",
            "Search the web for pages.",
            json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "What to look for." },
                    "limit": { "type": "integer", "minimum": 1, "maximum": 50, "default": 10, "description": "How many results." }
                },
                "required": ["query"],
                "additionalProperties": false
            }),
        ),
        ToolSchema::new(
            "save_file",
            "Save a file.",
            json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string", "description": "Path in the workspace." },
                    "content": { "type": "string", "description": "The whole new content." },
                    "mode": { "type": "string", "enum": ["create", "replace"], "description": "What to do if it is there." }
                },
                "required": ["path", "content"],
                "additionalProperties": false
            }),
        ),
    ]
}

/// Makes a text of some length.
type Make = fn(usize) -> String;

/// Texts of one kind each.
fn texts() -> [(&'static str, Make); 15] {
    fn repeat(part: &str, size: usize) -> String {
        part.repeat(size / part.len() + 1)
    }
    [
        ("prose", |size| {
            repeat(
                "Some words, a <b>tag</b>, a [link](x), `code` and\na new line. ",
                size,
            )
        }),
        ("one_call", |size| {
            let content = repeat("let x = \"<a>\"; // and so on\n", size);
            let call =
                json!({ "name": "save_file", "arguments": { "path": "a", "content": content } });
            format!("<tool_call>{call}</tool_call>")
        }),
        ("many_calls", |size| {
            repeat(
                "<tool_call>{\"name\":\"search\",\"arguments\":{\"query\":\"x\"}}</tool_call>\n",
                size,
            )
        }),
        ("parameters", |size| {
            format!(
                "<function=search>{}",
                repeat("<parameter=a>\nx\n</parameter>\n", size)
            )
        }),
        ("brackets", |size| repeat("<[<[", size)),
        ("openers", |size| repeat("<tool_call>{\"a\":\"", size)),
        ("open_tags", |size| repeat("<search><query><![CDATA[", size)),
        ("held", |size| repeat("search(\"x\")\n\n", size) + "end"),
        ("spaces", |size| format!("<tool_call>{}", repeat(" ", size))),
        ("spaces_after_a_value", |size| {
            format!(
                "<function=search>\n<parameter=a>\nx\n</parameter>{}",
                repeat(" ", size)
            )
        }),
        ("spaces_after_a_tag", |size| {
            format!("<search><query>x</query>{}", repeat(" ", size))
        }),
        ("passages", |size| {
            repeat("<|channel|>analysis<|message|>Hm.<|end|>", size)
        }),
        ("fields", |size| {
            format!("<search>{}</search>", repeat("<query>x</query>", size))
        }),
        ("headers", |size| {
            repeat(&format!("<|tool_call_begin|>{}", "x".repeat(400)), size)
        }),
        ("angles", |size| repeat("<", size)),
    ]
}

fn parsing(criterion: &mut Criterion) {
    let schemas = schemas();
    let signatures = render_catalogue(Dialect::PType, &schemas).len();
    let json = render_catalogue(Dialect::Json, &schemas).len();
    println!(
        "catalogue: {signatures} bytes as signatures, {json} as JSON, {} %",
        signatures * 100 / json
    );
    for (name, text) in texts() {
        let mut group = criterion.benchmark_group(format!("dialect/{name}"));
        group.sample_size(10);
        for size in SIZES {
            let text = text(size);
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_with_input(BenchmarkId::new("whole", size), &text, |bencher, text| {
                bencher.iter(|| black_box(parse_calls(text, &schemas)));
            });
            group.bench_with_input(
                BenchmarkId::new("bytewise", size),
                &text,
                |bencher, text| {
                    bencher.iter(|| {
                        let mut scrubber = StreamScrubber::new(schemas.clone());
                        for byte in text.as_bytes().chunks(1) {
                            black_box(scrubber.push_bytes(byte));
                        }
                        black_box(scrubber.finish())
                    });
                },
            );
        }
        group.finish();
    }
}

criterion_group!(benches, parsing);
criterion_main!(benches);
